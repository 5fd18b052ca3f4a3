package eventpipe

import (
	"errors"
	"fmt"
	"os"
)

// halts are the states of processes that execute nothing, as /proc has them, and
// what they mean.
var halts = map[string]string{
	"T": "a signal has stopped it, and SIGCONT continues it",
	"t": "a debugger has stopped it",
	"Z": "it has ended",
}

// Halted returns why the process with a PID in the caller's namespace executes nothing:
// "a signal has stopped it, and SIGCONT continues it". It returns "" if the process runs,
// or if the system does not report it.
func Halted(pid int) string {
	if pid <= 0 {
		return ""
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, os.ErrNotExist) {
		return halts["Z"]
	}
	s, _ := parseStat(text)
	return halts[string(s.field(state))]
}

// isGone reports whether the process has ended, as far as the system reports it.
func isGone(pid int) bool { return Halted(pid) == halts["Z"] }
