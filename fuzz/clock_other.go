//go:build !unix

package fuzz

import "time"

// busy is the time since the process has begun.
func busy() time.Duration { return time.Since(began) }
