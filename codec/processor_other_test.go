//go:build !linux

package codec

import (
	"testing"
	"time"
)

// threadTime skips the test: only Linux reports the processor time of a thread
// here.
func threadTime(t *testing.T) func() time.Duration {
	t.Helper()
	t.Skip("the processor time of a thread is known on Linux only")
	return nil
}
