//go:build !unix

package agent

import "time"

// processorTime returns 0: the bound of processor time has no effect.
func processorTime() time.Duration { return 0 }
