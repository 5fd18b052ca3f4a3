package attach

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ThreadNames returns the names of the threads of the process by their ids in its own
// namespace, as its runtime writes them. They are nil if the process is not local or the
// system does not have them in /proc. The system keeps the first 15 bytes of a name.
func (a *Process) ThreadNames() map[uint64]string {
	if a.PID == 0 {
		return nil
	}
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", a.PID))
	var names map[uint64]string
	for _, dir := range tasks {
		name, err := os.ReadFile(filepath.Join(dir, "comm"))
		id := taskID(dir)
		if err != nil || id == 0 {
			continue // the thread has ended
		}
		if names == nil {
			names = map[uint64]string{}
		}
		names[id] = strings.TrimSuffix(string(name), "\n")
	}
	return names
}

// taskID returns the id of a thread in the namespace of its process, 0 if it is not
// known.
func taskID(dir string) uint64 {
	status, _ := os.ReadFile(filepath.Join(dir, "status"))
	for line := range strings.Lines(string(status)) {
		if ids := strings.Fields(line); len(ids) > 1 && ids[0] == "NSpid:" {
			id, _ := strconv.ParseUint(ids[len(ids)-1], 10, 64)
			return id
		}
	}
	id, _ := strconv.ParseUint(filepath.Base(dir), 10, 64)
	return id
}
