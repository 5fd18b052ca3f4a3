package memory

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// TrimCode returns the pages of the program's code that only its start needed to the
// system, so that a recording beside a service takes little memory. Pages that are needed
// again are read from the file. A debugger's breakpoints in them are lost.
func TrimCode() {
	const doNotNeed = 4 // MADV_DONTNEED
	exe, err := os.Readlink("/proc/self/exe")
	maps, failed := os.ReadFile("/proc/self/maps")
	if err != nil || failed != nil {
		return
	}
	for line := range strings.Lines(string(maps)) {
		from, to, ok := mapped(line, exe)
		if ok {
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, doNotNeed)
		}
	}
}

// mapped reads a line of /proc/PID/maps. It says where code of the file lies,
// which nobody writes to.
func mapped(line, file string) (from, to uintptr, ok bool) {
	f := strings.Fields(line)
	if len(f) < 6 || f[1] != "r-xp" || f[5] != file {
		return 0, 0, false
	}
	first, last, _ := strings.Cut(f[0], "-")
	a, err := strconv.ParseUint(first, 16, 64)
	b, failed := strconv.ParseUint(last, 16, 64)
	return uintptr(a), uintptr(b), err == nil && failed == nil && a < b
}
