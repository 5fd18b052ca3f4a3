package eventpipe

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// Find returns the process with a number. Its error is an [*UnreachableError].
func Find(pid int) (*Process, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, &UnreachableError{PID: pid, Reason: NoProcess, Err: err}
	}
	after := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(after) < 20 {
		return nil, errors.New("short stat")
	}
	key, _ := strconv.ParseUint(string(after[19]), 10, 64)
	dir := os.TempDir()
	env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	for _, kv := range bytes.Split(env, []byte{0}) {
		if v, ok := bytes.CutPrefix(kv, []byte("TMPDIR=")); ok && len(v) > 0 {
			dir = string(v)
		}
	}
	path := filepath.Join(dir, fmt.Sprintf("dotnet-diagnostic-%d-%d-socket", pid, key))
	if _, err := os.Stat(path); err != nil {
		return nil, &UnreachableError{PID: pid, Reason: NoSocket, Path: path, Err: err}
	}
	return &Process{PID: pid, NSPID: pid, Address: path, Root: "/"}, nil
}
