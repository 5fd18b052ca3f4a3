package eventpipe

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// processesWith returns the processes, other than this one, that were started
// with the diagnostics port address in their environment. Those of other users
// are invisible. A process that is about to run another program has no
// environment for a moment, longer on a busy system: unsure reports that there is
// such a process that is no kernel thread. known is true: this system can list
// processes.
func processesWith(address string) (pids []int, unsure, known bool) {
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		environ, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "environ"))
		if len(environ) == 0 && err == nil {
			_, err = os.Readlink(filepath.Join("/proc", entry.Name(), "exe"))
			unsure = unsure || err == nil
		}
		for _, kv := range bytes.Split(environ, []byte{0}) {
			if bytes.HasPrefix(kv, []byte(portsVariable)) && bytes.Contains(kv, []byte(address)) {
				pids = append(pids, pid)
				break
			}
		}
	}
	return pids, unsure, true
}

// programOf is the name of a process's program, "" when the process has ended.
func programOf(pid int) string {
	x, err := readProc(pid)
	if err != nil {
		return ""
	}
	return x.name(splitNUL(x.read("cmdline")))
}
