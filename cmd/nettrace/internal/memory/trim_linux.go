package memory

import (
	"os"
	"syscall"

	"github.com/prometheus/procfs"
)

// TrimCode returns the pages of the program's code that only its start needed to the
// system, so that a recording beside a service takes little memory. Pages that are needed
// again are read from the file. A debugger's breakpoints in them are lost.
func TrimCode() {
	const doNotNeed = 4 // MADV_DONTNEED
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	self, err := procfs.Self()
	if err != nil {
		return
	}
	maps, _ := self.ProcMaps() // none after an error
	for _, m := range maps {
		if m.Pathname == exe && m.Perms.Execute && !m.Perms.Write {
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, m.StartAddr, m.EndAddr-m.StartAddr, doNotNeed)
		}
	}
}
