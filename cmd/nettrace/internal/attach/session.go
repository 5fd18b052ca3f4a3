package attach

import (
	"context"
	"errors"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// leaving is the time in which a session must end that is no longer read.
const leaving = 10 * time.Second

// Leave ends a session that is no longer read.
func Leave(session *eventpipe.Session) {
	ctx, cancel := context.WithTimeout(context.Background(), leaving)
	defer cancel()
	_, _ = session.Drain(ctx)
	session.Close()
}

// StopAtEnd stops the session when the context ends. Reading then reaches the end mark, or
// fails if the process sends nothing for the time Silence. Call release after reading:
// readers of NetTrace stop at the end mark, and do not read to the end of the connection,
// for which Finish waits.
func StopAtEnd(ctx context.Context, session *eventpipe.Session) (release func()) {
	done := make(chan struct{})
	read, over := context.WithCancel(context.Background())
	cancel := context.AfterFunc(ctx, func() {
		defer close(done)
		_ = session.Finish(read) // reading returns the error
	})
	return func() {
		over()
		if !cancel() {
			<-done
		}
	}
}

// Live is a session of a running process that a command reads to its end.
type Live struct {
	Options
	Limit  time.Duration                                   // of the session, from its start; 0: to a signal
	Config func(*Process) (eventpipe.SessionConfig, error) // what to request from the process
}

// Read attaches to the process, starts the session and calls read with the title of the
// process and the session, which a signal or Limit ends. If the stream is malformed, read
// must close the session, because such a stream may never end.
func (l *Live) Read(p *run.Program, read func(title string, session *eventpipe.Session) error) error {
	ctx, stop := p.UntilSignal()
	defer stop()
	l.Tell = p.Complain
	a, err := l.Attach(ctx, nil, nil, p.Stderr)
	if err != nil {
		return err
	}
	defer a.End()
	config, err := l.Config(a)
	if err != nil {
		return err
	}
	session, err := a.Open(ctx, p, config)
	if err != nil {
		return err
	}
	defer Leave(session)
	if l.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, l.Limit)
		defer cancel()
	}
	defer StopAtEnd(ctx, session)()
	return read(a.Title, session)
}

// Open starts a session in the process and resumes it. It says what can be missing. Its errors
// have an exit code.
func (a *Process) Open(ctx context.Context, p *run.Program, config eventpipe.SessionConfig) (*eventpipe.Session, error) {
	session, err := a.Client.StartSession(ctx, a.WithOwners(config))
	if err != nil {
		return nil, exit.With(SessionExitCode(err), exit.Named(a.Title, err))
	}
	if note := a.LateSources(config.Providers); note != "" {
		p.Complain("%s", note)
	}
	if err := ResumeOrWarn(p, a); err != nil {
		Leave(session)
		return nil, err
	}
	return session, nil
}

// SessionExitCode returns the exit code for a session that could not be started.
func SessionExitCode(err error) int {
	if errors.As(err, new(*eventpipe.UnsupportedError)) {
		return exit.Version
	}
	return exit.Usage
}
