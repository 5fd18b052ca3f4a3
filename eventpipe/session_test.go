//go:build unix

package eventpipe_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// recorded is a real trace.
func recorded(t *testing.T) []byte {
	t.Helper()
	data := shared.Trace(t, "net10-empty.v4")
	return data
}

func open(t *testing.T, r *eventpipetest.Runtime) *eventpipe.Session {
	t.Helper()
	s, err := r.Client().StartSession(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestRead: the read bytes are the sent bytes up to the end mark, which follows
// when the session is stopped.
func TestRead(t *testing.T) {
	wantNoLeaks(t)
	data := recorded(t)
	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: data}})
	s := open(t, r)
	got := make([]byte, len(data)-1)
	if _, err := io.ReadFull(s, got); err != nil {
		t.Fatal(err)
	}
	s.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	if n, err := s.Read(make([]byte, 1)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("before the stop: %d bytes, %v", n, err)
	}
	s.SetReadDeadline(time.Time{})
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(t.Context()) }()
	rest, err := io.ReadAll(s)
	got = append(got, rest...)
	expect.NoError(t, err)
	expect.Bytes(t, "result", got, data)
	expect.Bytes(t, "result", got, r.Sessions()[0].Sent())
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Errorf("a second stop: %v", err)
	}
	s.Close()
	r.Kill()
}

// TestStopWaits: a stop is answered when the stream has been read, and keeps
// all others waiting until then.
func TestStopWaits(t *testing.T) {
	wantNoLeaks(t)
	data := make([]byte, 4<<20)
	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: data}})
	s := open(t, r)
	err := s.Stop(within(t, 100*time.Millisecond))
	wantReason(t, err, eventpipe.NotAnswering)
	_, err = withTimeouts(r.Client(), shortTimeout).ProcessInfo(t.Context())
	wantReason(t, err, eventpipe.NotAnswering)
	if n, err := s.Drain(t.Context()); err != nil || n != int64(len(data)) {
		t.Errorf("%d bytes drained, %v", n, err)
	}
	if _, err := r.Client().ProcessInfo(t.Context()); err != nil {
		t.Error(err)
	}
	s.Close()
	r.Kill()
}

// TestDrainGivesUp: when the runtime does not stop, draining ends with the
// reason.
func TestDrainGivesUp(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: recorded(t)},
		Faults: map[eventpipe.Command]eventpipetest.Fault{eventpipe.StopTracing: eventpipetest.Silent()}})
	s := open(t, r)
	_, err := s.Drain(within(t, 50*time.Millisecond))
	wantReason(t, err, eventpipe.NotAnswering)

	c := withTimeouts(r.Client(), longTimeout)
	r.SetFault(eventpipe.StopTracing, eventpipetest.Refuse(eventpipe.Fail, ""))
	if s, err = c.StartSession(t.Context(), session); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var refused *eventpipe.CommandError
	if _, err = s.Drain(context.Background()); !errors.As(err, &refused) {
		t.Errorf("refused: %v", err)
	}
}

// TestDrainAfterFinish: after a Finish that failed, draining reads to the end.
func TestDrainAfterFinish(t *testing.T) {
	data := recorded(t)
	s := open(t, eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: data}}))
	over, cancel := context.WithCancel(t.Context())
	cancel()
	expect.NotZero(t, "error of Finish", s.Finish(over))
	n, err := s.Drain(t.Context())
	expect.NoError(t, err)
	expect.Equal(t, "bytes", n, int64(len(data)))
}

// TestEndlessPeer: a runtime answers StopTracing and continues to send. The context bounds
// Finish.
func TestEndlessPeer(t *testing.T) {
	over := errors.New("time is over")
	for _, c := range []struct {
		name   string
		finish func(context.Context, *eventpipe.Session) error
	}{
		{"Finish", readAndFinish},
		{"Drain", drain},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantNoLeaks(t)
			r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: recorded(t), Endless: make([]byte, 1000)}})
			s := open(t, r)
			ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, over)
			defer cancel()
			if err := c.finish(ctx, s); !errors.Is(err, over) {
				t.Errorf("the error is %v, want %v", err, over)
			}
			s.Close()
			r.Kill()
		})
	}
}

func drain(ctx context.Context, s *eventpipe.Session) error {
	_, err := s.Drain(ctx)
	return err
}

// readAndFinish returns the error that the reading ends with, which is that of
// Finish.
func readAndFinish(ctx context.Context, s *eventpipe.Session) error {
	finished := make(chan error, 1)
	go func() { finished <- s.Finish(ctx) }()
	_, err := io.Copy(io.Discard, s)
	if failed := <-finished; !errors.Is(err, failed) {
		return nil
	}
	return err
}

// TestFinishRefused ends the reading of a session that the runtime does not stop.
func TestFinishRefused(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: recorded(t)},
		Faults: map[eventpipe.Command]eventpipetest.Fault{eventpipe.StopTracing: eventpipetest.Refuse(eventpipe.Fail, "")}})
	var refused *eventpipe.CommandError
	if err := readAndFinish(t.Context(), open(t, r)); !errors.As(err, &refused) {
		t.Errorf("the reading ended with %v, want the refusal", err)
	}
}

// TestFinishClosed: Finish returns when the session is closed by its reader.
func TestFinishClosed(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: recorded(t), Endless: make([]byte, 1000)}})
	s := open(t, r)
	finished := make(chan error, 1)
	go func() { finished <- s.Finish(t.Context()) }()
	if _, err := io.ReadFull(s, make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if err := <-finished; err != nil {
		t.Errorf("Finish returned %v, want nil", err)
	}
}

// TestTargetEnds: a runtime that exits completes its streams, a killed one does
// not. Stop returns no error in both cases.
func TestTargetEnds(t *testing.T) {
	wantNoLeaks(t)
	data := recorded(t)
	for _, end := range []struct {
		name string
		do   func(*eventpipetest.Runtime)
		want int
	}{
		{"exit", (*eventpipetest.Runtime).Exit, len(data)},
		{"kill", (*eventpipetest.Runtime).Kill, len(data) - 1},
	} {
		t.Run(end.name, func(t *testing.T) {
			r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: data}})
			s := open(t, r)
			first := make([]byte, len(data)-1)
			if _, err := io.ReadFull(s, first); err != nil {
				t.Fatal(err)
			}
			end.do(r)
			rest, err := io.ReadAll(s)
			if n := len(first) + len(rest); err != nil || n != end.want {
				t.Errorf("%d bytes, %v", n, err)
			}
			if err := s.Stop(t.Context()); err != nil {
				t.Error(err)
			}
			s.Close()
		})
	}
}

// TestKilledInStop: the runtime is killed while a stop waits.
func TestKilledInStop(t *testing.T) {
	wantNoLeaks(t)
	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: make([]byte, 4<<20)}})
	s := open(t, r)
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(t.Context()) }()
	eventually(t, func() bool { return asked(r, eventpipe.StopTracing) })
	r.Kill()
	if _, err := io.Copy(io.Discard, s); err != nil {
		t.Error(err)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	s.Close()
}

// asked reports whether a runtime has received a command.
func asked(r *eventpipetest.Runtime, cmd eventpipe.Command) bool {
	return slices.ContainsFunc(r.Requests(), func(q eventpipetest.Request) bool { return q.Command == cmd })
}

// TestCut truncates the stream after any number of bytes.
func TestCut(t *testing.T) {
	data := recorded(t)
	for _, cut := range []int{1, 33, 102, len(data) - 1} {
		t.Run(fmt.Sprintf("cut=%v", cut), func(t *testing.T) {
			r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: data, TruncateAfter: cut}})
			got, err := io.ReadAll(open(t, r))
			if err != nil || !bytes.Equal(got, data[:cut]) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			r.Kill()
		})
	}
}

// TestGivenUp: closing a session ends it in the runtime, which reuses its number.
func TestGivenUp(t *testing.T) {
	wantNoLeaks(t)
	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: make([]byte, 4<<20)}})
	s := open(t, r)
	begun, reading := make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := s.Read(make([]byte, 1))
		close(begun)
		if err == nil {
			_, err = io.Copy(io.Discard, s)
		}
		reading <- err
	}()
	<-begun
	s.Close()
	if err := <-reading; err != nil && !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	again := open(t, r)
	n, err := again.Drain(t.Context())
	if err != nil || n != 4<<20 {
		t.Errorf("%d bytes, %v", n, err)
	}
	again.Close()
	r.Kill()
}

// TestSessionLimit: a runtime has so many sessions and no more.
func TestSessionLimit(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{MaxSessions: 2})
	a, b := open(t, r), open(t, r)
	if a.ID == b.ID {
		t.Errorf("two sessions have the number %x", a.ID)
	}
	_, err := r.Client().StartSession(t.Context(), session)
	var refused *eventpipe.CommandError
	if !errors.As(err, &refused) || refused.HResult != eventpipe.Fail {
		t.Errorf("a third session: %v", err)
	}
	if _, err := a.Drain(t.Context()); err != nil {
		t.Error(err)
	}
	if c := open(t, r); c.ID != a.ID {
		t.Errorf("the next session has the number %x, the free one was %x", c.ID, a.ID)
	}
}

// TestPace: a trace is sent at the pace at which it was recorded, or a
// multiple of that.
func TestPace(t *testing.T) {
	tier.NeedsCheck(t) // it measures time
	data := shared.Trace(t, "azmcp-net10-counters.v4")
	const speed = 20 // of a recording of some seconds
	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: data, Speed: speed}})
	s := open(t, r)
	begin := time.Now()
	if _, err := io.CopyN(io.Discard, s, int64(len(data)-1)); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(begin); d < 100*time.Millisecond {
		t.Errorf("got %v, want at least 100 ms", d)
	}
}
