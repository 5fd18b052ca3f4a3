package attach

import (
	"context"
	"errors"
	"fmt"

	"github.com/nettrace-go/nettrace/eventpipe"
)

// isLocal reports whether the runtime that answers has the PID in its own namespace that the
// process of a.PID has. A program that forwards a port, such as dotnet-dsrouter, is the process at
// the other end, and the runtime is on another machine.
func (a *Process) isLocal() bool { return taskID(procDir(a.PID)) == uint64(a.Info.PID) }

// InNamespace reports whether the process is in a PID namespace in which it has another number.
func (a *Process) InNamespace() bool { return taskID(procDir(a.PID)) != uint64(a.PID) }

func procDir(pid int) string { return fmt.Sprintf("/proc/%d", pid) }

// Proven returns why it is not proven that the runtime is in the local process of a.PID. For a
// connection to one of our ports the port of the process itself must report the same cookie: the
// numbers of processes of two machines can be equal.
func (a *Process) Proven(ctx context.Context) error {
	switch {
	case a.PID == 0:
		return fmt.Errorf("the PID of %s on this machine is not known", a.Title)
	case !a.reverse:
		return nil
	case a.Info == nil:
		return fmt.Errorf("%s does not report whether it is process %d of this machine", a.Title, a.PID)
	}
	p, err := eventpipe.Find(a.PID)
	if err != nil {
		return fmt.Errorf("it is not known whether the runtime at the port is in process %d of this machine: %w", a.PID, err)
	}
	client := p.Client()
	client.Timeouts = a.Client.Timeouts
	info, err := client.ProcessInfo(ctx)
	if err != nil {
		return fmt.Errorf("it is not known whether the runtime at the port is in process %d of this machine: %w", a.PID, err)
	}
	if info.Cookie != a.Info.Cookie {
		return errors.New("the runtime at the port is in another process than the one that connected, which forwards it")
	}
	return nil
}
