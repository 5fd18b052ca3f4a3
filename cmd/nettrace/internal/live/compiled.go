package live

import (
	"context"
	"io"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/eventpipe/record"
)

// compiled has the names of the methods that a process loads while it is recorded. They come in a session of
// their own: their events need a higher level than others.
type compiled struct {
	names   *record.Names
	session *eventpipe.Session
	ended   chan struct{} // closed when the session has been read
}

// startCompiled starts the session.
func startCompiled(ctx context.Context, a *attach.Process) (*compiled, error) {
	session, err := a.Client.StartFirst(ctx, provider.Names())
	if err != nil {
		return nil, err
	}
	c := &compiled{names: record.NewNames(0), session: session, ended: make(chan struct{})}
	go func() {
		defer close(c.ended)
		_, _ = c.names.Read(session)
		_, _ = io.Copy(io.Discard, session) // after a malformed place
	}()
	return c, nil
}

// endPatience bounds the end of the session.
const endPatience = 5 * time.Second

// end ends the session, and waits until what the process has sent is read.
func (c *compiled) end() {
	select {
	case <-c.ended:
	default:
		ctx, cancel := context.WithTimeout(context.Background(), endPatience)
		_ = c.session.Finish(ctx) // Close ends it if the process does not answer
		cancel()
	}
	c.session.Close()
	<-c.ended
}
