// Package attach finds or starts the process that a command is about, and ends its
// sessions.
package attach

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// Options choose the process that a command is about, in one of several ways.
type Options struct {
	PID     int                              // of --process-id; 0: not given
	Command []string                         // to start; nil: not given
	Others  func(*eventpipe.Runtime)         // takes the processes that the command starts; nil resumes them
	Tell    func(format string, args ...any) // prints a message about other processes at a port

	name string // of --name
	port string // of --port
}

// AddFlags adds the flags that choose a process.
func (o *Options) AddFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVarP(&o.PID, "process-id", "p", 0, "the process with this `PID`")
	f.StringVarP(&o.name, "name", "n", "", "the one process whose program is called `NAME`")
	f.StringVar(&o.port, "port", "", "the process at a diagnostics port: `ADDR[,listen|connect]`; listen waits for one to connect")
}

// Given returns in how many ways a process is chosen.
func (o *Options) Given() int {
	n := 0
	for _, given := range []bool{o.PID != 0, o.name != "", o.port != "", len(o.Command) > 0} {
		if given {
			n++
		}
	}
	return n
}

// Process is a process in which sessions can be opened.
type Process struct {
	Client *eventpipe.Client      // sends commands to the runtime
	Title  string                 // for messages: "process 7 (app)"
	Info   *eventpipe.ProcessInfo // nil when the runtime is too old to report it
	Child  *eventpipe.Launched    // the command that Attach started, or nil

	waits   bool   // Resume has not been called; false where another program resumes the process
	reverse bool   // the runtime connected to our port: it waits until it is resumed
	close   func() // closes what was opened to reach the process
}

// commandStart is how long a command may take until a runtime in it connects.
const commandStart = time.Minute

// Attach finds the process, or starts the command, whose output goes to out. Its errors
// have an exit code.
func (o *Options) Attach(ctx context.Context, stdin io.Reader, out, stderr io.Writer) (*Process, error) {
	a, err := o.reach(ctx, stdin, out, stderr)
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	a.Info, err = a.Client.ProcessInfo(ctx)
	if err != nil && !errors.As(err, new(*eventpipe.UnsupportedError)) {
		a.Abandon()
		return nil, exit.With(exit.Usage, err)
	}
	a.rename()
	return a, nil
}

// rename puts the name of the program into the title in place of that of the host
// that runs it, as ps shows it.
func (a *Process) rename() {
	if a.Info == nil || a.Info.EntryAssembly == "" {
		return
	}
	title, _, _ := strings.Cut(a.Title, " (")
	a.Title = title + " (" + display.Printable(a.Info.EntryAssembly) + ")"
}

func (o *Options) reach(ctx context.Context, stdin io.Reader, out, stderr io.Writer) (*Process, error) {
	switch {
	case o.PID != 0:
		p, err := eventpipe.Find(o.PID)
		if err != nil {
			return nil, err
		}
		return attachedTo(p), nil
	case o.name != "":
		p, err := named(o.name)
		if err != nil {
			return nil, err
		}
		return attachedTo(p), nil
	case o.port != "":
		return o.throughPort(ctx, stderr)
	}
	return o.launch(ctx, stdin, out, stderr)
}

func attachedTo(p *eventpipe.Process) *Process {
	title := "process " + strconv.Itoa(p.PID)
	if p.Name != "" {
		title += " (" + display.Printable(p.Name) + ")"
	}
	return &Process{Client: p.Client(), Title: title, waits: true, close: func() {}}
}

// FromRuntime returns the process of a runtime that connected to a port of ours
// and waits to be resumed.
func FromRuntime(r *eventpipe.Runtime) *Process {
	return &Process{Client: r.Client(), Title: fmt.Sprintf("process %d", r.PID), waits: true, reverse: true, close: func() {}}
}

// named finds the one process of a name that there is a way into.
func named(name string) (*eventpipe.Process, error) {
	list, err := eventpipe.Processes()
	if err != nil {
		return nil, err
	}
	list = eventpipe.Named(list, name)
	if len(list) == 1 {
		return &list[0], list[0].Err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no .NET process is called %s", name)
	}
	var pids []string
	for i := range list {
		pids = append(pids, strconv.Itoa(list[i].PID))
	}
	return nil, fmt.Errorf("%s are called %s: %s; choose one with -p", display.Counted(int64(len(list)), "process"), name, strings.Join(pids, ", "))
}

// throughPort connects to a port, or opens one and waits.
func (o *Options) throughPort(ctx context.Context, stderr io.Writer) (*Process, error) {
	port, err := eventpipe.ParsePort(o.port)
	if err != nil {
		return nil, err
	}
	if !port.Listen {
		return &Process{
			Client: eventpipe.NewClient(port.Address), Title: "the process at " + port.Address, waits: true, close: func() {},
		}, nil
	}
	l, err := eventpipe.Listen(port.Address)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(stderr, "nettrace: waiting for a process with DOTNET_DiagnosticPorts=%s\n", l.Address())
	r, err := l.Accept(ctx)
	if err != nil {
		l.Close()
		return nil, err
	}
	var others sync.WaitGroup
	others.Go(func() { resumeOthers(l, o.Tell) })
	release := func() {
		l.Close()
		others.Wait() // one of them may be about to be resumed
	}
	a := FromRuntime(r)
	a.close = release
	return a, nil
}

// resumeOthers lets the further runtimes that connect to a port run, until it is
// closed: one process is recorded, and nobody else could resume the others.
func resumeOthers(l *eventpipe.Listener, tell func(format string, args ...any)) {
	for {
		r, err := l.Accept(context.Background())
		if err != nil {
			return
		}
		text := "resumed, but not recorded"
		if err := r.Client().Resume(context.Background()); err != nil {
			text = "not resumed: " + err.Error()
		}
		tell("process %d connected to the port too: %s", r.PID, text)
	}
}

// launch starts the command; a runtime in it waits to be resumed.
func (o *Options) launch(ctx context.Context, stdin io.Reader, out, stderr io.Writer) (*Process, error) {
	cmd := exec.Command(o.Command[0], o.Command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, out, stderr
	ctx, cancel := context.WithTimeoutCause(ctx, commandStart, fmt.Errorf("no .NET runtime started in %s within %v", o.Command[0], commandStart))
	defer cancel()
	child, err := eventpipe.Launch(ctx, cmd, eventpipe.LaunchOptions{Others: o.Others})
	if err != nil {
		return nil, err
	}
	return &Process{
		Client: child.Runtime.Client(), Title: fmt.Sprintf("process %d (%s)", child.Runtime.PID, display.Printable(cmd.Path)),
		Child: child, waits: true, reverse: true, close: func() { _ = child.Wait() },
	}, nil
}

// Abandon releases a process that is not recorded. A command that Attach started is
// killed, with the process whose runtime waits to be resumed; another process is resumed.
func (a *Process) Abandon() {
	switch {
	case a.Child != nil:
		_ = a.Child.Cmd.Process.Kill()
		a.killWaiting()
	case a.reverse:
		_ = a.Resume()
	}
	a.Release()
}

// killWaiting kills the process that waits to be resumed where a process of the
// command, a shell for example, has started it. Where its number is not known it
// is resumed.
func (a *Process) killWaiting() {
	pid := a.Child.Runtime.PID
	switch {
	case !a.waits || pid == a.Child.Cmd.Process.Pid:
	case pid == 0:
		_ = a.Resume()
	default:
		if process, err := os.FindProcess(pid); err == nil {
			_ = process.Kill()
		}
	}
}

// Release closes what was opened to reach the process.
func (a *Process) Release() { a.close() }

// End releases a process that was recorded, and abandons one that was not.
func (a *Process) End() {
	if a.reverse && a.waits {
		a.Abandon()
		return
	}
	a.Release()
}

// WarnLeft names the processes that a command has started and that still run.
func WarnLeft(p *run.Program, a *Process) {
	if a.Child == nil {
		return
	}
	if left := a.Child.Left(); len(left) > 0 {
		p.Complain("warning: processes that the command started still run: %s; .NET processes that they start from now on stay suspended, because they inherit DOTNET_DiagnosticPorts",
			display.Printable(eventpipe.Titles(left)))
	}
}

// ResumeOrWarn lets a process run that waits at its start. Where it runs most likely,
// because it did not connect to a port of ours, a failure is a warning.
func ResumeOrWarn(p *run.Program, a *Process) error {
	err := a.Resume()
	switch {
	case err == nil:
		return nil
	case a.reverse:
		return exit.With(exit.Usage, fmt.Errorf("%s: %w", a.Title, err))
	}
	p.Complain("warning: %s: %v; if it is suspended at its start, it stays so", a.Title, err)
	return nil
}

// Resume sends ResumeRuntime, once. A process that we attached to may wait on its
// default port (DOTNET_DefaultDiagnosticPortSuspend=1); the command has no effect
// on one that runs, and .NET Core 3, which never waits, does not know it.
// Timeouts.Answer alone bounds it: a process must not stay suspended because
// the user interrupts us.
func (a *Process) Resume() error {
	if !a.waits {
		return nil
	}
	a.waits = false
	err := a.Client.Resume(context.Background())
	if errors.As(err, new(*eventpipe.UnsupportedError)) {
		return nil
	}
	return err
}

// Major returns the runtime's major version, 0 when it is not known.
func (a *Process) Major() int {
	if a.Info == nil {
		return 0
	}
	text, _, _ := strings.Cut(a.Info.Version, ".")
	n, _ := strconv.Atoi(text)
	return n
}
