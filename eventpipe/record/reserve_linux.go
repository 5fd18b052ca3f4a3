package record

import "golang.org/x/sys/unix"

// Reserve allocates space in the file, whose size stays.
func (f osFile) Reserve(from, size int64) error {
	return f.control(func(fd int) error { return unix.Fallocate(fd, unix.FALLOC_FL_KEEP_SIZE, from, size) })
}

// Free returns the free bytes of the file system.
func (f osFile) Free() (free int64, err error) {
	err = f.control(func(fd int) error {
		var s unix.Statfs_t
		err := unix.Fstatfs(fd, &s)
		free = int64(min(s.Bavail*uint64(s.Bsize), 1<<62))
		return err
	})
	return free, err
}

// control calls f with the descriptor of the file.
func (f osFile) control(call func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) { failed = call(int(fd)) })
	if err == nil {
		err = failed
	}
	return err
}
