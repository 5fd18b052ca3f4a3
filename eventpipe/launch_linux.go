package eventpipe

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// processesWith are the processes, other than this one, that were started with a
// diagnostics port of ours in their environment. Those of other users are not
// seen. A process that is about to run another program has no environment for a
// moment, longer on a busy system: unsure is true when there is one that has none,
// and is no kernel thread. known is true: the system can tell.
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
