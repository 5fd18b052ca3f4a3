package eventpipe

import (
	"fmt"
	"net"
	"syscall"
)

// peer is the process at the other end of a Unix socket as we see it, or 0.
func peer(conn net.Conn) int {
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return 0
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0
	}
	pid := 0
	raw.Control(func(fd uintptr) {
		if cred, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED); err == nil {
			pid = int(cred.Pid)
		}
	})
	return pid
}

// rootOf is where the file system of a process begins for us.
func rootOf(pid int) string {
	if pid == 0 {
		return ""
	}
	return fmt.Sprintf("/proc/%d/root", pid)
}
