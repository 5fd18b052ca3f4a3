package attach

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/nettrace-go/nettrace/eventpipe"
)

// Patience is the time in which a process must answer that a user wants to see in a list.
const Patience = 500 * time.Millisecond

// Candidate is a .NET process that is visible, and the answer of its runtime.
type Candidate struct {
	eventpipe.Process
	Info *eventpipe.ProcessInfo // empty without an answer
	Err  error                  // why the process did not answer, or nil
}

// Candidates lists the visible .NET processes. It asks all runtimes at the same time, and
// each has the time patience to answer.
func Candidates(ctx context.Context, patience time.Duration) ([]Candidate, error) {
	found, err := eventpipe.Processes()
	if err != nil {
		return nil, err
	}
	list := make([]Candidate, len(found))
	var asking sync.WaitGroup
	for i := range found {
		asking.Go(func() { list[i] = ask(ctx, found[i], patience) })
	}
	asking.Wait()
	return list, nil
}

// ask sends a query to a process and waits for the answer, at most for the time patience.
func ask(ctx context.Context, process eventpipe.Process, patience time.Duration) Candidate {
	c := Candidate{Process: process, Info: &eventpipe.ProcessInfo{}, Err: process.Err}
	if c.Err != nil {
		return c
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	info, err := process.Client().ProcessInfo(ctx)
	var old *eventpipe.UnsupportedError
	switch {
	case errors.As(err, &old): // .NET Core 3 has sessions, but not this query
		c.Info.Version = "3.x"
	case err != nil:
		c.Err = err
	default:
		c.Info = info
	}
	return c
}

// Program returns the name of the program: not that of the host that runs it, if the
// runtime reports another one.
func (c *Candidate) Program() string {
	if c.Info.EntryAssembly != "" {
		return c.Info.EntryAssembly
	}
	return c.Name
}

// Command returns the command line that the system or else the runtime reports. If there
// is none, it returns the address of the diagnostics port.
func (c *Candidate) Command() string {
	switch {
	case len(c.CommandLine) > 0:
		return strings.Join(c.CommandLine, " ")
	case c.Info.CommandLine != "":
		return c.Info.CommandLine
	}
	return c.Address
}
