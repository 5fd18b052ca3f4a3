package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nettrace-go/nettrace/eventpipe"
)

// drain is how long a session may take to end.
const drain = 10 * time.Second

// leave ends a session that is not read any more.
func leave(session *eventpipe.Session) {
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	_, _ = session.Drain(ctx)
	session.Close()
}

// stopAtEnd stops the session when the context ends. Reading then comes to the end
// mark, or fails when the process has not ended the stream within drain.
// Call release when reading is over: readers of NetTrace stop at the end mark,
// and do not meet the end of the connection that Finish waits for.
func stopAtEnd(ctx context.Context, session *eventpipe.Session) (release func()) {
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

// codeOfSession is the exit code for a session that could not be started.
func codeOfSession(err error) int {
	if errors.As(err, new(*eventpipe.UnsupportedError)) {
		return exitVersion
	}
	return exitUsage
}
