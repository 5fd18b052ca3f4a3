// Package attach finds or starts a process, and ends the sessions in it.
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

// Options choose a process in one of several ways.
type Options struct {
	PID     int                              // of --process-id; 0: not given
	Command []string                         // to start; nil: not given
	Set     []string                         // variables of the environment of Command, NAME=VALUE
	Others  func(*eventpipe.Runtime)         // is called for each process that the command starts; nil: they are resumed
	Tell    func(format string, args ...any) // prints a message about other processes at a port
	Timeout time.Duration                    // max time for each answer of the runtime; 0: as long as the process runs

	name string // of --name
	port string // of --port
	portAccess
}

// AddFlags adds the flags that choose a process. A command may have another flag --timeout.
func (o *Options) AddFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.VarP((*pid)(&o.PID), "process-id", "p", "choose the process by its `PID`")
	f.StringVarP(&o.name, "name", "n", "", "choose the process by the `NAME` of its program")
	f.StringVar(&o.port, "port", "", "listen at the diagnostics port `ADDR` until a process connects; with ADDR,connect connect to the process that listens there")
	o.portAccess.addFlags(f)
	if f.Lookup("timeout") != nil {
		return
	}
	f.DurationVar(&o.Timeout, "timeout", o.Timeout, "max `TIME` for an answer of the process (default: as long as it runs)")
}

// pid is the value of --process-id.
type pid int

// Set refuses what is not the number of a process.
func (p *pid) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err == nil && n < 1 {
		err = errors.New("a process has a number from 1 on")
	}
	*p = pid(n)
	return err
}

func (p *pid) String() string { return strconv.Itoa(int(*p)) }

// Type is the name of the type.
func (p *pid) Type() string { return "pid" }

// Given returns the number of ways in which a process is chosen.
func (o *Options) Given() int {
	n := 0
	for _, given := range []bool{o.PID != 0, o.name != "", o.port != "", len(o.Command) > 0} {
		if given {
			n++
		}
	}
	return n
}

// Flag returns the flag that chooses the process, as it was given.
func (o *Options) Flag() string {
	flag, value := o.chosen()
	return flag + " " + value
}

// chosen returns the flag that chooses the process, and its value.
func (o *Options) chosen() (flag, value string) {
	switch {
	case o.PID != 0:
		return "-p", strconv.Itoa(o.PID)
	case o.name != "":
		return "-n", o.name
	}
	return "--port", o.port
}

// Args returns the flags that choose the process, for another command.
func (o *Options) Args() []string {
	flag, value := o.chosen()
	args := append([]string{flag, value}, o.portAccess.args()...)
	if o.Timeout > 0 {
		args = append(args, "--timeout", o.Timeout.String())
	}
	return args
}

// Process is a process in which sessions can be opened.
type Process struct {
	PID    int                    // in our namespace; 0 if it is not known, as where a program forwards a port
	Root   string                 // where its file system begins for us; "" if it is not known
	Client *eventpipe.Client      // sends commands to the runtime
	Title  string                 // for messages: "process 7 (app)"
	Info   *eventpipe.ProcessInfo // nil if the runtime is too old to report it, or did not answer
	Child  *eventpipe.Launched    // the command that Attach started, or nil

	noted   bool   // LateSources has returned its note
	waits   bool   // Resume has not been called; false where another program resumes the process
	reverse bool   // the runtime connected to our port and waits until it is resumed
	close   func() // closes what was opened to reach the process
}

// commandStart is the time in which a runtime in a command must connect.
const commandStart = time.Minute

// Attach finds the process, or starts the command, whose output goes to out. Its errors
// have an exit code.
func (o *Options) Attach(ctx context.Context, stdin io.Reader, out, stderr io.Writer) (*Process, error) {
	if o.Timeout < 0 {
		return nil, exit.With(exit.Usage, fmt.Errorf("--timeout: %v is negative", o.Timeout))
	}
	a, err := o.reach(ctx, stdin, out, stderr)
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	o.setPatience(a)
	a.Info, err = a.Client.ProcessInfo(ctx)
	if err != nil && !errors.As(err, new(*eventpipe.UnsupportedError)) {
		var broken *eventpipe.ProtocolError
		if !errors.As(err, &broken) || !broken.NoAnswer || o.Tell == nil {
			a.Abandon()
			return nil, exit.With(exit.Usage, err)
		}
		o.Tell("warning: %s does not say what it is (%v): its version is unknown", a.Title, broken) // what follows fails if it has ended
	}
	a.rename()
	if a.PID != 0 && a.Info != nil && !a.isLocal() {
		a.PID, a.Root = 0, ""
	}
	return a, nil
}

// setPatience makes the client wait for as long as the process runs, or for the time of
// --timeout: the runtime of a busy machine answers late. A message says so once.
func (o *Options) setPatience(a *Process) {
	t := &a.Client.Timeouts
	t.Answer, t.Stop = eventpipe.NoTimeout, Silence
	if o.Timeout > 0 {
		t.Answer = o.Timeout
	}
	t.Connect = t.Answer
	if o.Tell == nil {
		return
	}
	var once sync.Once
	a.Client.Late = func(eventpipe.Command) {
		once.Do(func() {
			o.Tell("waiting for an answer of %s, for as long as it runs (Ctrl-C ends that, --timeout bounds it)", a.Title)
		})
	}
}

// Silence is the max time without a byte of a session that was stopped.
const Silence = 10 * time.Second

// rename replaces the name of the host in the title by the name of the program that it
// runs, as ps does.
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
	return &Process{PID: p.PID, Root: p.Root, Client: p.Client(), Title: title, waits: true, close: func() {}}
}

// FromRuntime returns the process of a runtime that connected to one of our ports and waits
// to be resumed.
func FromRuntime(r *eventpipe.Runtime) *Process {
	return &Process{PID: r.PID, Client: r.Client(), Title: fmt.Sprintf("process %d", r.PID), waits: true, reverse: true, close: func() {}}
}

// named finds the only process with a name that has a diagnostics port.
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
		return nil, fmt.Errorf("no .NET process has the name %s: \"nettrace ps\" lists the processes", name)
	}
	var pids []string
	for i := range list {
		pids = append(pids, strconv.Itoa(list[i].PID))
	}
	return nil, fmt.Errorf("%s have the name %s: %s; choose one with -p", display.Counted(int64(len(list)), "process"), name, strings.Join(pids, ", "))
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
	if err := o.portAccess.apply(l.Address()); err != nil {
		l.Close()
		return nil, err
	}
	fmt.Fprintf(stderr, "nettrace: waiting for a process with DOTNET_DiagnosticPorts=%s\n", l.Address())
	late := time.AfterFunc(lonely, func() { o.Tell("%s", o.portAccess.lonelyText(l.Address())) })
	r, err := l.Accept(ctx)
	late.Stop()
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

// resumeOthers resumes the other runtimes that connect to a port, until it is closed: only
// one process is recorded, and no other program can resume them.
func resumeOthers(l *eventpipe.Listener, tell func(format string, args ...any)) {
	for {
		r, err := l.Accept(context.Background())
		if err != nil {
			return
		}
		text := "resumed, but not recorded"
		if err := r.Client().Resume(context.Background()); err != nil {
			text = "not resumed: " + exit.Text(err)
		}
		tell("process %d connected to the port too: %s", r.PID, text)
	}
}

// launch starts the command; a runtime in it waits to be resumed.
func (o *Options) launch(ctx context.Context, stdin io.Reader, out, stderr io.Writer) (*Process, error) {
	cmd := exec.Command(o.Command[0], o.Command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, out, stderr
	if len(o.Set) > 0 {
		cmd.Env = append(cmd.Environ(), o.Set...)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, commandStart, fmt.Errorf("no .NET runtime started in %s within %v", o.Command[0], commandStart))
	defer cancel()
	child, err := eventpipe.Launch(ctx, cmd, eventpipe.LaunchOptions{Others: o.Others})
	var failed *os.PathError
	switch {
	case errors.As(err, &failed) && failed.Path == cmd.Path && failed.Op == "fork/exec":
		return nil, fmt.Errorf("cannot start %s: %w", o.Command[0], failed.Err)
	case err != nil:
		return nil, err
	}
	return &Process{
		Client: child.Runtime.Client(), Title: fmt.Sprintf("process %d (%s)", child.Runtime.PID, display.Printable(cmd.Path)),
		PID: child.Runtime.PID, Child: child, waits: true, reverse: true, close: func() { _ = child.Wait() },
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

// killWaiting kills the process that waits to be resumed if a process of the command, for
// example a shell, started it. If its PID is not known, the process is resumed.
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

// WarnLeft prints the PIDs of processes that a command started and that still run.
func WarnLeft(p *run.Program, a *Process) {
	if a.Child == nil {
		return
	}
	if left := a.Child.Left(); len(left) > 0 {
		p.Complain("warning: processes that the command started still run: %s; .NET processes that they start from now on stay suspended, because they inherit DOTNET_DiagnosticPorts",
			display.Printable(eventpipe.Titles(left)))
	}
}

// ResumeOrWarn resumes a process. If the process did not connect to one of our ports, it
// probably runs already, and a failure is a warning.
func ResumeOrWarn(p *run.Program, a *Process) error {
	err := a.Resume()
	switch {
	case err == nil:
		return nil
	case a.reverse:
		return exit.With(exit.Usage, exit.Named(a.Title, err))
	}
	p.Complain("warning: %s: %v; if it is suspended at its start, it stays suspended", a.Title, err)
	return nil
}

// Resume sends ResumeRuntime, once. A process that we attached to may wait on its
// default port (DOTNET_DefaultDiagnosticPortSuspend=1). The command has no effect on a
// process that runs. .NET Core 3 never waits and does not have the command. Only a minute
// bounds it: a process must not stay suspended because of an interrupt.
func (a *Process) Resume() error {
	if !a.waits {
		return nil
	}
	a.waits = false
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := a.Client.Resume(ctx)
	if errors.As(err, new(*eventpipe.UnsupportedError)) {
		return nil
	}
	return err
}

// Starting reports whether the runtime probably waits at its start until it is
// resumed. Such a runtime does not know its program yet.
func (a *Process) Starting() bool {
	const knowsAssembly = 6 // major version of .NET
	return a.waits && (a.reverse || a.Major() >= knowsAssembly && a.Info.EntryAssembly == "")
}

// Major returns the major version of the runtime, 0 if it is not known.
func (a *Process) Major() int {
	if a.Info == nil {
		return 0
	}
	text, _, _ := strings.Cut(a.Info.Version, ".")
	n, _ := strconv.Atoi(text)
	return n
}
