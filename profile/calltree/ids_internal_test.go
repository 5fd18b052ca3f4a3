package calltree

import (
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/profile"
)

// TestNumbers: ids of more than 32 bits become small ones that no other thread has, and the name
// has the real one.
func TestNumbers(t *testing.T) {
	const pointer = 0x7b1c4f5cc0
	pids, tids := IDs([]profile.Thread{{ID: pointer, ProcessID: 7}, {ID: 1, ProcessID: 7}, {ID: pointer + 8, ProcessID: 1 << 40}, {ID: pointer, ProcessID: 7}, {ID: 1<<32 - 1}})
	expect.Equal(t, "threads", fmt.Sprint(tids), "[2 1 3 2 4294967295]")
	expect.Equal(t, "processes", fmt.Sprint(pids), "[7 7 1 7 0]")
	expect.Equal(t, "name", WithID("UI", pointer, 2), "UI (528755940544)")
	expect.Equal(t, "name with the id", WithID("process 1099511627776", 1<<40, 1), "process 1099511627776")
	expect.Equal(t, "name of a thread with its own id", WithID("UI", 1, 1), "UI")
}
