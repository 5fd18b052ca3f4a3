package eventpipe

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/windows"
)

// pipeForms are the names of ports: that of a bridge to a device first.
var pipeForms = []string{"dotnet-diagnostic-dsrouter-", "dotnet-diagnostic-"}

// look finds out about one process.
func look(pid int) Process {
	p := Process{PID: pid, NSPID: pid, UID: -1, Root: `\`}
	name, err := program(pid)
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) {
		p.Err = &UnreachableError{PID: pid, Reason: NoProcess}
		return p
	}
	p.Name = name
	pipes, err := listPipes()
	for _, form := range pipeForms {
		if port := form + strconv.Itoa(pid); err == nil && pipes[port] {
			p.Address = pipePrefix + port
			return p
		}
	}
	p.Err = &UnreachableError{PID: pid, Reason: NotDotNet, Path: pipePrefix + pipeForms[1] + strconv.Itoa(pid), Err: err}
	return p
}

// scan examines the existing pipes.
func scan() ([]Process, error) {
	pipes, err := listPipes()
	if err != nil {
		return nil, err
	}
	var list []Process
	for port := range pipes {
		digits, ok := strings.CutPrefix(port, pipeForms[1])
		if !ok {
			continue
		}
		if pid, err := strconv.Atoi(digits); err == nil {
			list = append(list, look(pid))
		}
	}
	return list, nil
}

// listPipes are the names of all pipes, without their prefix.
func listPipes() (map[string]bool, error) {
	pattern, err := windows.UTF16PtrFromString(pipePrefix + "*")
	if err != nil {
		return nil, err
	}
	var data windows.Win32finddata
	find, err := windows.FindFirstFile(pattern, &data)
	if err != nil {
		return nil, fmt.Errorf("listing the named pipes: %w", err)
	}
	defer windows.FindClose(find)
	names := map[string]bool{}
	for err == nil {
		names[windows.UTF16ToString(data.FileName[:])] = true
		err = windows.FindNextFile(find, &data)
	}
	return names, nil
}

// program is the name of the file a process runs.
func program(pid int) (string, error) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return "", err
	}
	defer windows.CloseHandle(h)
	var path [windows.MAX_PATH * 4]uint16
	size := uint32(len(path))
	if err := windows.QueryFullProcessImageName(h, 0, &path[0], &size); err != nil {
		return "", err
	}
	return filepath.Base(windows.UTF16ToString(path[:size])), nil
}
