package attach

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// drain is the time in which a session must end.
const drain = 10 * time.Second

// Leave ends a session that is no longer read.
func Leave(session *eventpipe.Session) {
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	_, _ = session.Drain(ctx)
	session.Close()
}

// StopAtEnd stops the session when the context ends. Reading then reaches the end mark, or
// fails if the process does not end the stream within drain. Call release after reading:
// readers of NetTrace stop at the end mark, and do not read to the end of the connection,
// for which Finish waits.
func StopAtEnd(ctx context.Context, session *eventpipe.Session) (release func()) {
	done := make(chan struct{})
	read, over := context.WithCancel(context.Background())
	cancel := context.AfterFunc(ctx, func() {
		defer close(done)
		bounded, cancel := context.WithTimeoutCause(read, drain, errDrain)
		defer cancel()
		_ = session.Finish(bounded) // reading returns the error
	})
	return func() {
		over()
		if !cancel() {
			<-done
		}
	}
}

var errDrain = fmt.Errorf("the process did not end the stream within %v after it was stopped", drain)

// SessionExitCode returns the exit code for a session that could not be started.
func SessionExitCode(err error) int {
	if errors.As(err, new(*eventpipe.UnsupportedError)) {
		return exit.Version
	}
	return exit.Usage
}
