package eventpipe

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// LaunchOptions configure [Launch]. The zero value is right for a command that
// starts one program.
type LaunchOptions struct {
	// Address is the port to listen on. Empty means a new socket in the
	// temporary folder.
	Address string
	// Others is called for each further runtime, of processes that the command
	// starts, each time in a new goroutine. [Launched.Wait] waits for these
	// calls. The runtime is suspended; Others should resume it. Nil resumes it
	// at once.
	Others func(*Runtime)
	// Late is how long runtimes may take to connect after the command has ended
	// while processes that it started still run. 0 means 5 s.
	Late time.Duration
}

// Launched is a command whose first runtime is suspended at its start.
type Launched struct {
	// Runtime is the first runtime that connected.
	Runtime *Runtime
	// Cmd is the command that Launch was given; Launch calls its Wait.
	Cmd *exec.Cmd

	listener *Listener
	others   func(*Runtime)
	late     time.Duration
	ended    chan struct{} // closed when the command has ended
	err      error         // of cmd.Wait
	once     sync.Once     // of settle
	left     []Process     // set by settle

	mu      sync.Mutex
	running int           // goroutines of Others
	idle    chan struct{} // closed when running becomes 0 again
}

// Launch starts a command and waits until a first runtime connects: that of the
// command or of a process that it starts, even if the command itself has ended.
// The runtime is suspended: start a session, then call [Client.Resume]. ctx
// bounds the waiting. If no runtime connects in time, or none can any more,
// Launch kills the command and returns an error that names the processes that
// it started and that still run.
//
// All processes that the command starts inherit the environment variable that
// makes a runtime connect and wait. Call [Launched.Wait]: it resumes those that
// connect later. Only on Linux it is known which processes have the variable.
// On other systems Launch waits for LaunchOptions.Late after the command has
// ended, and Wait does not wait for runtimes.
func Launch(ctx context.Context, cmd *exec.Cmd, opt LaunchOptions) (*Launched, error) {
	listener, err := Listen(opt.Address)
	if err != nil {
		return nil, err
	}
	cmd.Env = listener.Environ(cmd.Env)
	if err := cmd.Start(); err != nil {
		listener.Close()
		return nil, err
	}
	c := &Launched{Cmd: cmd, listener: listener, others: opt.Others, late: orDefault(opt.Late, 5*time.Second), ended: make(chan struct{})}
	go func() {
		c.err = cmd.Wait()
		close(c.ended)
	}()
	c.Runtime, err = c.first(ctx)
	if err != nil || c.others == nil {
		c.others = resume
	}
	go c.admitOthers()
	if err != nil {
		cmd.Process.Kill()
		c.Wait()
		return nil, c.explain(err)
	}
	return c, nil
}

// resume resumes a runtime that is not recorded. One that does not answer is
// among those that Left returns, unless it has ended.
func resume(r *Runtime) { _ = r.Client().Resume(context.Background()) }

// explain adds the processes that are left to the error of a launch.
func (c *Launched) explain(err error) error {
	if len(c.left) == 0 {
		return err
	}
	return fmt.Errorf("%w; processes that it started still run: %s", err, Titles(c.left))
}

// Titles formats the PIDs and names of processes: "12 (sh), 14 (dotnet)".
func Titles(list []Process) string {
	var titles []string
	for i := range list {
		title := strconv.Itoa(list[i].PID)
		if list[i].Name != "" {
			title += " (" + list[i].Name + ")"
		}
		titles = append(titles, title)
	}
	return strings.Join(titles, ", ")
}

// first waits for the first runtime, or until none can connect any more.
func (c *Launched) first(ctx context.Context) (*Runtime, error) {
	waiting, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-c.ended:
			if c.awaitLate(waiting) == nil {
				cancel(fmt.Errorf("eventpipe: the command ended before a .NET runtime connected: %v", c.Cmd.ProcessState))
			}
		case <-waiting.Done():
		}
	}()
	return c.listener.Accept(waiting)
}

// admitOthers hands out runtimes until the listener is closed.
func (c *Launched) admitOthers() {
	for {
		r, err := c.listener.Accept(context.Background())
		if err != nil {
			return
		}
		c.mu.Lock()
		if c.running++; c.running == 1 {
			c.idle = make(chan struct{})
		}
		c.mu.Unlock()
		go func() {
			c.others(r)
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.running--; c.running == 0 {
				close(c.idle)
			}
		}()
	}
}

// busy is closed when no Others runs any more; nil when none runs now.
func (c *Launched) busy() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running == 0 {
		return nil
	}
	return c.idle
}

const (
	scanEvery = 100 * time.Millisecond // the processes are looked through so often
	scanAgain = 20 * time.Millisecond  // to confirm that none is there
	unsureMax = time.Second            // how long a process without an environment counts
)

// awaitLate waits while there are processes with this listener's port in their
// environment whose runtime has not connected. Two scans must agree that there is
// none; if a process has no environment, all scans of a second must. The error is
// that of ctx. Where processes cannot be listed, awaitLate waits for
// LaunchOptions.Late.
func (c *Launched) awaitLate(ctx context.Context) error {
	const fewest, most = 2, int(unsureMax / scanAgain)
	for none := 0; ; {
		list, unsure, known := processesWith(c.listener.Address())
		pause := scanAgain
		switch {
		case !known:
			pause = c.late
		case len(c.listener.unconnected(list)) > 0:
			pause, none = scanEvery, 0
		default:
			none++
			if none >= fewest && !unsure || none >= most {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		if !known {
			return nil
		}
	}
}

// Ended returns a channel that is closed when the command has ended.
func (c *Launched) Ended() <-chan struct{} { return c.ended }

// Wait waits until the command has ended, until runtimes of its child processes
// that still run have connected (at most LaunchOptions.Late), and until all
// calls of Others have returned. Then it closes the port and returns the error
// of [exec.Cmd.Wait].
func (c *Launched) Wait() error {
	<-c.ended
	c.once.Do(c.settle)
	return c.err
}

func (c *Launched) settle() {
	for {
		if _, _, known := processesWith(c.listener.Address()); known {
			ctx, cancel := context.WithTimeout(context.Background(), c.late)
			_ = c.awaitLate(ctx) // Left has those that have not connected in time
			cancel()
		}
		busy := c.busy()
		if busy == nil {
			break
		}
		<-busy // the recorded process may start others in the meantime
	}
	list, _, _ := processesWith(c.listener.Address())
	for _, pid := range list {
		c.left = append(c.left, Process{PID: pid, Name: programOf(pid)})
	}
	c.listener.Close()
}

// Left returns the processes that the command started and that still run with
// the port in their environment. Call it after Wait. A runtime among them that
// has not been resumed stays suspended, and so does each that they start later.
// Only PID and Name are set. The list is empty on systems other than Linux.
func (c *Launched) Left() []Process { return c.left }
