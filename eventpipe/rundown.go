package eventpipe

import (
	"context"
	"errors"
	"io"
)

// StartFirst starts a session with the first configuration of a list that the
// runtime supports. The error is that of the last one, or the first error that is
// not an [*UnsupportedError].
func (c *Client) StartFirst(ctx context.Context, list []SessionConfig) (session *Session, err error) {
	for _, cfg := range list {
		session, err = c.StartSession(ctx, cfg)
		if !errors.As(err, new(*UnsupportedError)) {
			return session, err
		}
	}
	return nil, err
}

// Rundown calls read with the stream of a session that it stops at once: the
// stream has the rundown only. read must read to io.EOF or return an error, because
// the runtime answers no other request before. list is that of [Client.StartFirst].
func (c *Client) Rundown(ctx context.Context, list []SessionConfig, read func(io.Reader) error) error {
	session, err := c.StartFirst(ctx, list)
	if err != nil {
		return err
	}
	defer session.Close()
	finished := make(chan error, 1)
	go func() { finished <- session.Finish(ctx) }()
	if err = read(session); err != nil {
		_, _ = io.Copy(io.Discard, session)
	}
	if failed := <-finished; failed != nil {
		err = failed
	}
	return err
}
