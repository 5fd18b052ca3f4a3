package memory

import (
	"encoding/binary"
	"os"
	"syscall"

	"github.com/prometheus/procfs"
)

// TrimCode returns the pages of the program's code and constants that only its start needed
// to the system, so that a recording beside a service takes little memory: an agent without
// processes has 11 MB instead of 27, of which 5.7 are its own in either case. Pages that are
// needed again are read from the file. A debugger's breakpoints in them are lost.
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
	fixed := isFixed("/proc/self/exe")
	maps, _ := self.ProcMaps() // none after an error
	for _, m := range maps {
		if m.Pathname == exe && !m.Perms.Write && (m.Perms.Execute || fixed) {
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, m.StartAddr, m.EndAddr-m.StartAddr, doNotNeed)
		}
	}
}

// isFixed reports whether a program runs at the addresses in its file. Constants of another
// one have addresses that its start has written: they are not those of the file.
func isFixed(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	const executable = 2 // ET_EXEC, in e_type
	var header [18]byte
	_, err = f.ReadAt(header[:], 0)
	return err == nil && string(header[:4]) == "\x7FELF" && binary.NativeEndian.Uint16(header[16:]) == executable
}
