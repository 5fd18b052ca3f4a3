package eventpipe

import (
	"errors"
	"slices"
	"strings"
)

// Process is a .NET process, and where its diagnostics port is.
type Process struct {
	PID         int      // as we see it; 0 when only its port is in sight
	NSPID       int      // as the process itself sees it: in a container another number
	Name        string   // of its program, without the folder
	CommandLine []string // empty when it cannot be read
	UID         int      // of its user, -1 when unknown
	Container   string   // the id of its container, empty when there is none or it is unknown
	Address     string   // its port, as we reach it
	Root        string   // where its file system begins for us: "/", or a folder of /proc; "" when unknown

	// Err says why there is no way in, if that shows without asking. It is an
	// [*UnreachableError], and Address is then empty.
	Err error

	doubtful bool // nothing says that it is a .NET process, nor that it is not
}

// Client returns a client of the process. Nothing is connected yet.
func (p *Process) Client() *Client {
	c := NewClient(p.Address)
	c.pid, c.root = p.PID, p.Root
	return c
}

// Find returns the process with a number, as we see it. Its error is an
// [*UnreachableError]. Nothing is connected: whether the process answers shows
// with the first command.
func Find(pid int) (*Process, error) {
	p := look(pid)
	if p.Err != nil {
		return nil, p.Err
	}
	return &p, nil
}

// Processes lists the .NET processes in sight, in order of PID: those found by
// the system's list of processes, in containers too, and those whose ports are
// in our temporary folder. Processes that there is no way into have Err set.
func Processes() ([]Process, error) {
	list, err := scan()
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(p Process) bool {
		return p.doubtful || unreachable(p.Err, NotDotNet) || unreachable(p.Err, NoProcess)
	})
	slices.SortFunc(list, func(a, b Process) int {
		if a.PID != b.PID {
			return a.PID - b.PID
		}
		return strings.Compare(a.Address, b.Address)
	})
	return list, nil
}

// Named picks the processes whose program has that name, or whose entry
// assembly has: "app" is also "dotnet app.dll".
func Named(list []Process, name string) []Process {
	var found []Process
	for _, p := range list {
		if p.Name == name || p.assembly() == name {
			found = append(found, p)
		}
	}
	return found
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

// unreachable says whether err is that, for that reason.
func unreachable(err error, reason Reason) bool {
	var u *UnreachableError
	return errors.As(err, &u) && u.Reason == reason
}
