package eventpipe

import (
	"errors"
	"slices"
	"strings"
)

// Process is a .NET process and its diagnostics port.
type Process struct {
	PID         int      // in the caller's namespace; 0 if only its port is visible
	NSPID       int      // in the process's own namespace: another number in a container
	Name        string   // file name of its program
	CommandLine []string // empty if it cannot be read
	UID         int      // user id; -1 if unknown
	Container   string   // container id; empty if there is none or it is unknown
	Pod         string   // uid of its Kubernetes pod; empty if there is none or it is unknown
	Address     string   // its port, as the caller reaches it
	Root        string   // root of its file system for the caller: "/" or a folder in /proc; "" if unknown

	// Err is an [*UnreachableError] if it is known without connecting that the
	// process cannot be reached; Address is then empty. Otherwise it is nil.
	Err error

	doubtful bool     // unknown whether it is a .NET process
	environ  []string // as "NAME=value", at its start; nil if it cannot be read
}

// Client returns a client of the process. It does not connect.
func (p *Process) Client() *Client {
	c := NewClient(p.Address)
	c.pid, c.root = p.PID, p.Root
	return c
}

// Find returns the process with the given PID in the caller's namespace. Its
// error is an [*UnreachableError]. Find does not connect: the first command
// shows whether the process answers.
func Find(pid int) (*Process, error) {
	p := look(pid)
	if p.Err != nil {
		return nil, p.Err
	}
	return &p, nil
}

// Processes lists the visible .NET processes, ordered by PID: those in the
// system's list of processes, including containers, and those whose ports are
// in the caller's temporary folder. Processes that cannot be reached have Err
// set.
func Processes() ([]Process, error) {
	list, err := scan()
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, Process.isOther)
	slices.SortFunc(list, func(a, b Process) int {
		if a.PID != b.PID {
			return a.PID - b.PID
		}
		return strings.Compare(a.Address, b.Address)
	})
	return list, nil
}

// Unreachable lists the visible .NET processes that cannot be reached, with the reason in
// Err: those that [Watch] does not yield. It opens no connection. It reads files of all
// processes of the system.
func Unreachable() ([]Process, error) {
	list, err := lookAtAll()
	return slices.DeleteFunc(list, func(p Process) bool { return p.Err == nil || p.isOther() }), err
}

// isOther reports whether the process has no .NET runtime, as far as is known.
func (p Process) isOther() bool {
	return p.doubtful || unreachable(p.Err, NotDotNet) || unreachable(p.Err, NoProcess)
}

// Named returns the processes whose program or entry assembly has the given
// name: "app" matches "dotnet app.dll". If none has it, letter case is ignored.
func Named(list []Process, name string) []Process {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		var found []Process
		for _, p := range list {
			if same(p.Name, name) || same(p.assembly(), name) {
				found = append(found, p)
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// assembly is the program that the host "dotnet" runs, without the extension.
func (p *Process) assembly() string {
	if p.Name != "dotnet" {
		return ""
	}
	for _, arg := range p.CommandLine[min(1, len(p.CommandLine)):] {
		base := arg[strings.LastIndexAny(arg, `/\`)+1:]
		if name, ok := strings.CutSuffix(base, ".dll"); ok {
			return name
		}
	}
	return ""
}

// unreachable reports whether err is an UnreachableError with that reason.
func unreachable(err error, reason Reason) bool {
	var u *UnreachableError
	return errors.As(err, &u) && u.Reason == reason
}
