package eventpipe

import (
	"context"
	"fmt"
	"os/exec"
)

// LaunchOptions say how a command is started; the zero value is right for one
// program.
type LaunchOptions struct {
	// Address is the port to listen on; empty is a socket in the temporary
	// folder.
	Address string
	// Others is given each further runtime, those of processes that the
	// command starts, in a goroutine of its own. It waits to be resumed.
	// Nil resumes them at once.
	Others func(*Runtime)
}

// Launched is a command whose first runtime waits to be resumed.
type Launched struct {
	Runtime *Runtime
	Cmd     *exec.Cmd

	listener *Listener
	ended    chan struct{} // closed when the command has ended
	err      error         // of cmd.Wait
	cancel   context.CancelFunc
}

// Launch starts a command and waits until a runtime in it connects: the first
// one, be it the command's own or that of a process it starts. It is suspended:
// start a session, then send [Client.Resume]. The context bounds the waiting;
// a command in which no runtime comes up before is killed, and so is one that
// could not be started right.
//
// The environment variable that makes the runtime connect is inherited by all
// that the command starts, so that [Launched.Wait] must be called and this
// process stay: without it their runtimes would wait for ever.
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
	c := &Launched{Cmd: cmd, listener: listener, ended: make(chan struct{})}
	go func() {
		c.err = cmd.Wait()
		close(c.ended)
	}()
	if c.Runtime, err = c.first(ctx); err != nil {
		cmd.Process.Kill()
		<-c.ended
		listener.Close()
		return nil, err
	}
	ctx, c.cancel = context.WithCancel(context.Background())
	go c.admitOthers(ctx, opt.Others)
	return c, nil
}

// first waits for the first runtime, or for the end of the command.
func (c *Launched) first(ctx context.Context) (*Runtime, error) {
	waiting, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-c.ended:
			cancel(fmt.Errorf("the command ended before a .NET runtime connected: %v", c.Cmd.ProcessState))
		case <-waiting.Done():
		}
	}()
	return c.listener.Accept(waiting)
}

func (c *Launched) admitOthers(ctx context.Context, others func(*Runtime)) {
	if others == nil {
		others = func(r *Runtime) { r.Client().Resume(ctx) }
	}
	for {
		r, err := c.listener.Accept(ctx)
		if err != nil {
			return
		}
		go others(r)
	}
}

// Port is the address that the command's runtimes connect to.
func (c *Launched) Port() string { return c.listener.Address() }

// Ended is closed when the command has ended.
func (c *Launched) Ended() <-chan struct{} { return c.ended }

// Wait waits for the command to end, closes the port and returns what
// [exec.Cmd.Wait] returned.
func (c *Launched) Wait() error {
	<-c.ended
	c.cancel()
	c.listener.Close()
	return c.err
}
