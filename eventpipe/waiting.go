package eventpipe

import (
	"context"
	"time"
)

const (
	lateAfter = 2 * time.Second        // Client.Late is called then
	lookEvery = 250 * time.Millisecond // at the process, while its answer is awaited
)

// isSlow reports whether a command takes long in a healthy process.
func (c Command) isSlow() bool { return c == StopTracing || c>>8 == GenerateCoreDump>>8 }

// watch looks at the process while a command waits for its answer. The context that it
// returns ends, with the reason as its cause, when the process can no longer answer. The
// process of a stop or a dump may be stopped meanwhile: createdump stops it, and others wait
// until it goes on.
func (c *Client) watch(ctx context.Context, cmd Command) (context.Context, func()) {
	if cmd.isSlow() {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.look(ctx, cmd, cancel)
	}()
	return ctx, func() {
		cancel(nil)
		<-done
	}
}

// look calls Late, and cancels when the process is found halted twice in a row: one that a
// debugger looks into halts for moments.
func (c *Client) look(ctx context.Context, cmd Command, cancel context.CancelCauseFunc) {
	late := time.NewTimer(lateAfter)
	defer late.Stop()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	before := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-late.C:
			if c.Late != nil {
				c.Late(cmd)
			}
		case <-tick.C:
			now := ""
			if c.pid != 0 {
				now = Halted(c.pid)
			}
			if now != "" && now == before {
				cancel(&UnreachableError{PID: c.pid, Reason: NotAnswering, Path: c.path, Detail: now})
				return
			}
			before = now
		}
	}
}
