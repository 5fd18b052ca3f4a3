package main

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

	"github.com/nettrace-go/nettrace/eventpipe"
)

// attachOptions say which process a command is about: by one of these.
type attachOptions struct {
	pid     int
	name    string
	port    string
	command []string
	others  func(*eventpipe.Runtime)         // takes the processes that the command starts; nil resumes them
	tell    func(format string, args ...any) // prints a message; for port
}

func (o *attachOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVarP(&o.pid, "process-id", "p", 0, "the process with this `PID`")
	f.StringVarP(&o.name, "name", "n", "", "the one process whose program is called `NAME`")
	f.StringVar(&o.port, "port", "", "the process at a diagnostics port: `ADDR[,listen|connect]`; listen waits for one to connect")
}

// given counts in how many ways a process is named.
func (o *attachOptions) given() int {
	n := 0
	for _, given := range []bool{o.pid != 0, o.name != "", o.port != "", len(o.command) > 0} {
		if given {
			n++
		}
	}
	return n
}

// attached is a process that sessions can be opened in.
type attached struct {
	client  *eventpipe.Client
	title   string                 // for messages: "process 7 (app)"
	info    *eventpipe.ProcessInfo // nil when the runtime is too old to tell
	child   *eventpipe.Launched    // of a command that we started
	waits   bool                   // resume has not been called; false where it is not ours to call
	reverse bool                   // the runtime connected to our port: it waits until it is resumed
	close   func()                 // closes what was opened to reach it
}

// commandStart is how long a command may take until a runtime in it connects.
const commandStart = time.Minute

// attach finds the process, or starts the command, whose output goes to out.
// Its trouble is a *failure.
func (o *attachOptions) attach(ctx context.Context, stdin io.Reader, out, stderr io.Writer) (*attached, error) {
	a, err := o.reach(ctx, stdin, out, stderr)
	if err != nil {
		return nil, exitWith(exitUsage, err)
	}
	a.info, err = a.client.ProcessInfo(ctx)
	if err != nil && !errors.As(err, new(*eventpipe.UnsupportedError)) {
		a.abandon()
		return nil, exitWith(exitUsage, err)
	}
	a.rename()
	return a, nil
}

// rename puts the name of the program into the title in place of that of the host
// that runs it, as ps shows it.
func (a *attached) rename() {
	if a.info == nil || a.info.EntryAssembly == "" {
		return
	}
	title, _, _ := strings.Cut(a.title, " (")
	a.title = title + " (" + printable(a.info.EntryAssembly) + ")"
}

func (o *attachOptions) reach(ctx context.Context, stdin io.Reader, out, stderr io.Writer) (*attached, error) {
	switch {
	case o.pid != 0:
		p, err := eventpipe.Find(o.pid)
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

func attachedTo(p *eventpipe.Process) *attached {
	title := "process " + strconv.Itoa(p.PID)
	if p.Name != "" {
		title += " (" + printable(p.Name) + ")"
	}
	return &attached{client: p.Client(), title: title, waits: true, close: func() {}}
}

// attachedRuntime returns the process of a runtime that connected to a port of ours
// and waits to be resumed.
func attachedRuntime(r *eventpipe.Runtime) *attached {
	return &attached{client: r.Client(), title: fmt.Sprintf("process %d", r.PID), waits: true, reverse: true, close: func() {}}
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
	return nil, fmt.Errorf("%s are called %s: %s; choose one with -p", counted(int64(len(list)), "process"), name, strings.Join(pids, ", "))
}

// throughPort connects to a port, or opens one and waits.
func (o *attachOptions) throughPort(ctx context.Context, stderr io.Writer) (*attached, error) {
	port, err := eventpipe.ParsePort(o.port)
	if err != nil {
		return nil, err
	}
	if !port.Listen {
		return &attached{
			client: eventpipe.NewClient(port.Address), title: "the process at " + port.Address, waits: true, close: func() {},
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
	others.Go(func() { resumeOthers(l, o.tell) })
	release := func() {
		l.Close()
		others.Wait() // one of them may be about to be resumed
	}
	a := attachedRuntime(r)
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
func (o *attachOptions) launch(ctx context.Context, stdin io.Reader, out, stderr io.Writer) (*attached, error) {
	cmd := exec.Command(o.command[0], o.command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, out, stderr
	ctx, cancel := context.WithTimeoutCause(ctx, commandStart, fmt.Errorf("no .NET runtime started in %s within %v", o.command[0], commandStart))
	defer cancel()
	child, err := eventpipe.Launch(ctx, cmd, eventpipe.LaunchOptions{Others: o.others})
	if err != nil {
		return nil, err
	}
	return &attached{
		client: child.Runtime.Client(), title: fmt.Sprintf("process %d (%s)", child.Runtime.PID, printable(cmd.Path)),
		child: child, waits: true, reverse: true, close: func() { _ = child.Wait() },
	}, nil
}

// abandon gives up a process that is not recorded. A command of ours is killed,
// with the process whose runtime waits for us; another process is resumed.
func (a *attached) abandon() {
	switch {
	case a.child != nil:
		_ = a.child.Cmd.Process.Kill()
		a.killWaiting()
	case a.reverse:
		_ = a.resume()
	}
	a.release()
}

// killWaiting kills the process that waits to be resumed where a process of the
// command, a shell for example, has started it. Where its number is not known it
// is resumed.
func (a *attached) killWaiting() {
	pid := a.child.Runtime.PID
	switch {
	case !a.waits || pid == a.child.Cmd.Process.Pid:
	case pid == 0:
		_ = a.resume()
	default:
		if process, err := os.FindProcess(pid); err == nil {
			_ = process.Kill()
		}
	}
}

// release closes what was opened to reach the process.
func (a *attached) release() { a.close() }

// end releases a process that was recorded, and abandons one that was not.
func (a *attached) end() {
	if a.reverse && a.waits {
		a.abandon()
		return
	}
	a.release()
}

// warnLeft names the processes that a command has started and that still run.
func (p *program) warnLeft(a *attached) {
	if a.child == nil {
		return
	}
	if left := a.child.Left(); len(left) > 0 {
		p.complain("warning: processes that the command started still run: %s; .NET processes that they start from now on stay suspended, because they inherit DOTNET_DiagnosticPorts",
			printable(eventpipe.Titles(left)))
	}
}

// resume lets a process run that waits at its start. Where it runs most likely,
// because it did not connect to a port of ours, a failure is a warning.
func (p *program) resume(a *attached) error {
	err := a.resume()
	switch {
	case err == nil:
		return nil
	case a.reverse:
		return exitWith(exitUsage, fmt.Errorf("%s: %w", a.title, err))
	}
	p.complain("warning: %s: %v; if it is suspended at its start, it stays so", a.title, err)
	return nil
}

// resume sends ResumeRuntime, once. A process that we attached to may wait on its
// default port (DOTNET_DefaultDiagnosticPortSuspend=1); the command has no effect
// on one that runs, and .NET Core 3, which never waits, does not know it.
// Timeouts.Answer alone bounds it: a process must not stay suspended because
// the user interrupts us.
func (a *attached) resume() error {
	if !a.waits {
		return nil
	}
	a.waits = false
	err := a.client.Resume(context.Background())
	if errors.As(err, new(*eventpipe.UnsupportedError)) {
		return nil
	}
	return err
}

// major is the runtime's major version, 0 when it does not tell.
func (a *attached) major() int {
	if a.info == nil {
		return 0
	}
	text, _, _ := strings.Cut(a.info.Version, ".")
	n, _ := strconv.Atoi(text)
	return n
}
