//go:build unix

package eventpipe

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// socketForms are the patterns of socket names: first that of a bridge to a
// device, which is used for the process after it. The pid is that in the
// namespace of the process, the key its start time.
var socketForms = []string{
	"dotnet-diagnostic-dsrouter-%d-%s-socket",
	"dotnet-diagnostic-%d-%s-socket",
}

var socketName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^dotnet-diagnostic-(?:dsrouter-)?(\d+)-\d+-socket$`)
})

// socketIn finds the port of a process in a folder: the one with its pid and its
// start time, so that it never returns the port of an earlier process with that
// pid.
func socketIn(dir string, pid int, keys ...string) (string, error) {
	return firstSocket(socketPaths(dir, pid, keys...))
}

// socketPaths returns the paths that the port of a process can have, the preferred
// one first.
func socketPaths(dir string, pid int, keys ...string) (paths []string) {
	for _, form := range socketForms {
		for _, key := range keys {
			paths = append(paths, filepath.Join(dir, fmt.Sprintf(form, pid, key)))
		}
	}
	return paths
}

// firstSocket returns the first path that is a socket. It calls lstat directly, which
// takes a quarter of the time of os.Lstat for a missing file: Watch does so often.
func firstSocket(paths []string) (string, error) {
	var missing error
	for _, path := range paths {
		var info syscall.Stat_t
		_, err := ignoringEINTR(func() (int, error) { return 0, syscall.Lstat(path, &info) })
		if err == nil && info.Mode&syscall.S_IFMT == syscall.S_IFSOCK {
			return path, nil
		}
		missing = err
	}
	if missing == nil {
		missing = os.ErrNotExist
	}
	return "", &os.PathError{Op: "lstat", Path: paths[len(paths)-1], Err: missing}
}

func ignoringEINTR(call func() (int, error)) (n int, err error) {
	for n, err = call(); errors.Is(err, syscall.EINTR); n, err = call() {
	}
	return n, err
}

// stale has the sockets of earlier processes with that pid.
func stale(dir string, pid int) string {
	for _, form := range socketForms {
		if found, _ := filepath.Glob(filepath.Join(dir, fmt.Sprintf(form, pid, "*"))); len(found) > 0 {
			return "only that of an earlier process is there: " + found[0]
		}
	}
	return ""
}

// sockets lists the ports in this process's temporary folder that somebody
// listens to and that are not in the list: those of processes that are invisible
// here and share the folder.
func sockets(known []Process) []Process {
	seen := map[string]bool{}
	pids := map[int]bool{0: false}
	for _, p := range known {
		seen[p.Address] = true
		pids[p.PID] = p.Err == nil
	}
	files, _ := os.ReadDir(os.TempDir())
	var list []Process
	for _, file := range files {
		path := filepath.Join(os.TempDir(), file.Name())
		name := socketName().FindStringSubmatch(file.Name())
		if name == nil || seen[path] {
			continue
		}
		if pid, ok := listening(path); ok && !pids[pid] {
			p := Process{PID: pid, UID: owner(file), Address: path, Root: rootOf(pid)}
			p.NSPID, _ = strconv.Atoi(name[1])
			list = append(list, p)
		}
	}
	return list
}

// listening reports whether a process listens to a socket, and which one, if it
// is visible. It skips ports without access.
func listening(path string) (pid int, ok bool) {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	conn, err := dial(ctx, path)
	if err != nil {
		return 0, false
	}
	defer conn.Close()
	return peer(conn), true
}

// owner is the user a file belongs to.
func owner(file fs.DirEntry) int {
	if info, err := file.Info(); err == nil {
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			return int(stat.Uid)
		}
	}
	return -1
}
