//go:build linux

package attach

import (
	"os"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestThreadNames names the main thread of this process, and no thread of a process that
// is not local.
func TestThreadNames(t *testing.T) {
	comm, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Fatal(err)
	}
	pid := os.Getpid()
	names := (&Process{PID: pid}).ThreadNames()
	expect.Equal(t, "name of the main thread", names[uint64(pid)], strings.TrimSuffix(string(comm), "\n"))
	expect.AtLeast(t, "threads", len(names), 2)
	expect.Equal(t, "names without a PID are nil", (&Process{}).ThreadNames() == nil, true)
}
