package eventpipe

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// look finds out about one process.
func look(pid int) Process {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid {
		return Process{PID: pid, NSPID: pid, UID: -1, Err: &UnreachableError{PID: pid, Reason: NoProcess, Err: err}}
	}
	return examine(info)
}

// examine finds the port: in the temporary folder of the process, which is in
// its environment, and named by its start time in seconds.
func examine(info *unix.KinfoProc) Process {
	pid := int(info.Proc.P_pid)
	p := Process{PID: pid, NSPID: pid, UID: int(info.Eproc.Ucred.Uid), Root: "/",
		Name: unix.ByteSliceToString(info.Proc.P_comm[:])}
	args, environ, hidden := arguments(pid)
	p.CommandLine = args
	dir := os.TempDir()
	for _, kv := range environ {
		if value, ok := strings.CutPrefix(kv, "TMPDIR="); ok && value != "" {
			dir = value
		}
	}
	path, err := socketIn(dir, pid, strconv.FormatInt(info.Proc.P_starttime.Sec, 10))
	p.Address = path
	if err != nil {
		p.Err = why(&p, dir, hidden, err)
	}
	return p
}

// why returns the reason why there is no port. The environment of processes of
// other users, and of protected processes, is hidden.
func why(p *Process, dir string, hidden, err error) *UnreachableError {
	path := filepath.Join(dir, fmt.Sprintf("dotnet-diagnostic-%d-*-socket", p.PID))
	e := &UnreachableError{PID: p.PID, Reason: NoSocket, Path: path, Err: err, Detail: stale(dir, p.PID)}
	switch {
	case p.UID != os.Getuid() && os.Getuid() != 0, errors.Is(err, fs.ErrPermission):
		e.Reason, e.Detail = PermissionDenied, fmt.Sprintf("it runs as user %d", p.UID)
	case hidden != nil:
		e.Reason = OtherTMPDIR
	case len(path) > maxSocketPath:
		e.Reason = PathTooLong
	case e.Detail == "":
		e.Reason = NotDotNet
	}
	return e
}

// arguments reads the command line and the environment of a process: a count,
// the program's path, NULs, and then strings, each with a NUL at its end.
func arguments(pid int) (args, environ []string, err error) {
	block, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return nil, nil, err
	}
	if len(block) < 4 {
		return nil, nil, errors.New("kern.procargs2 is empty")
	}
	count := int(binary.LittleEndian.Uint32(block))
	_, rest, _ := bytes.Cut(block[4:], []byte{0})
	list := strings.Split(string(bytes.TrimLeft(rest, "\x00")), "\x00")
	count = min(max(count, 0), len(list))
	return list[:count], list[count:], nil
}

// scan examines all processes, and then the ports in this process's temporary
// folder.
func scan() ([]Process, error) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	var list []Process
	for i := range all {
		if p := examine(&all[i]); p.Err == nil {
			list = append(list, p)
		}
	}
	return append(list, sockets(list)...), nil
}
