package eventpipe

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// pipeClient returns a client whose connections serve handles.
func pipeClient(serve func(conn net.Conn, cmd Command)) *Client {
	return &Client{open: func(context.Context) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			cmd, _, _ := readMessage(theirs)
			serve(theirs, cmd)
		}()
		return ours, nil
	}}
}

// answer sends an answer without an error.
func answer(conn net.Conn, payload string) {
	_, _ = conn.Write(append(appendHeader(nil, replyOK, len(payload)), payload...))
}

// TestNoTimeout: a session begins although its process answers after an hour. Late is called
// once, after 2 s.
func TestNoTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := pipeClient(func(conn net.Conn, _ Command) {
			time.Sleep(time.Hour)
			answer(conn, "12345678")
		})
		c.Timeouts.Answer = NoTimeout
		begun := time.Now()
		var late []time.Duration
		c.Late = func(Command) { late = append(late, time.Since(begun)) }
		s, err := c.StartSession(t.Context(), SessionConfig{Providers: []Provider{{Name: "P"}}})
		expect.NoError(t, err)
		expect.Equal(t, "calls of Late", len(late), 1)
		expect.Equal(t, "time of Late", late[0], 2*time.Second)
		s.Close()
	})
}

// TestSilence: Timeouts.Stop bounds the silence of a stopped session, not its time.
func TestSilence(t *testing.T) {
	for _, c := range []struct {
		name   string
		pieces int  // that come 9 s apart after the stop
		ends   bool // after that, or nothing comes any more
		want   time.Duration
	}{
		{"progress", 100, true, 900 * time.Second},
		{"silence at once", 0, false, 10 * time.Second},
		{"silence later", 3, false, 37 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stopped := make(chan struct{})
				client := pipeClient(func(conn net.Conn, cmd Command) {
					if cmd == StopTracing {
						close(stopped)
						answer(conn, "12345678")
						return
					}
					answer(conn, "12345678")
					<-stopped
					for range c.pieces {
						time.Sleep(9 * time.Second)
						_, _ = io.WriteString(conn, "x")
					}
					if c.ends {
						conn.Close()
					}
				})
				client.Timeouts.Stop = 10 * time.Second
				s, err := client.StartSession(t.Context(), SessionConfig{Providers: []Provider{{Name: "P"}}})
				expect.NoError(t, err)
				begun := time.Now()
				n, err := s.Drain(t.Context())
				expect.Equal(t, "time", time.Since(begun), c.want)
				expect.Equal(t, "bytes", n, int64(c.pieces))
				var failed *UnreachableError
				if c.ends != (err == nil) || !c.ends && (!errors.As(err, &failed) || failed.Reason != NotAnswering) {
					t.Errorf("the error is %v", err)
				}
				s.Close()
			})
		})
	}
}
