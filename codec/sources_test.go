package codec_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/traces"
)

// TestBlockedSource: a Reader with a blocked source returns when the source gets
// the end of the context, with the context's error, after the data that had
// arrived.
func TestBlockedSource(t *testing.T) {
	stream := goodV6()
	for _, order := range []codec.Order{codec.FileOrder, codec.ByTime} {
		t.Run(fmt.Sprintf("order=%v", order), func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			source, sink := io.Pipe()
			context.AfterFunc(ctx, func() { sink.CloseWithError(ctx.Err()) })
			arrived := make(chan struct{})
			go func() {
				sink.Write(stream[:len(stream)-4]) // and never the end mark
				close(arrived)
			}()
			done := make(chan result)
			go func() { done <- drain(codec.NewReader(source, codec.Options{Order: order})) }()
			<-arrived
			cancel()
			select {
			case got := <-done:
				if len(got.events) != 1 || !errors.Is(got.err, context.Canceled) {
					t.Errorf("order %d: %d events, %v", order, len(got.events), got.err)
				}
			case <-time.After(time.Minute):
				t.Fatalf("order %d: the Reader still waits", order)
			}
		})
	}
}

// odd is a source that returns no bytes, an error with bytes, or an error between
// them, by its steps.
type odd struct {
	b     []byte
	steps []int // sizes of reads; -1 for the error
	fault error
	at    int
}

func (o *odd) Read(p []byte) (int, error) {
	if len(o.b) == 0 {
		return 0, io.EOF
	}
	step := o.steps[o.at%len(o.steps)]
	o.at++
	if step < 0 {
		n := copy(p, o.b[:1])
		o.b = o.b[n:]
		return n, o.fault
	}
	n := copy(p, o.b[:min(step, len(o.b))])
	o.b = o.b[n:]
	return n, nil
}

// TestOddSources: short reads and empty reads change nothing, an error in the
// middle that comes with a byte ends the reading with that error.
func TestOddSources(t *testing.T) {
	stream := traces.Read(t, "onecollect-small.v6")
	want := drain(codec.NewBytesReader(stream, codec.Options{}))
	for _, steps := range [][]int{{1}, {0, 1}, {3, 0, 0, 7}, {1, 4096}, {0, 0, 0, 5}} {
		t.Run(fmt.Sprintf("steps=%v", steps), func(t *testing.T) {
			got := drain(codec.NewReader(&odd{b: stream, steps: steps}, codec.Options{}))
			if err := equalResults(want, got); err != nil {
				t.Errorf("steps %v: %v", steps, err)
			}
		})
	}
	failure := errors.New("the cable")
	for n := range 40 {
		steps := make([]int, n, n+1)
		for i := range steps {
			steps[i] = 17
		}
		got := drain(codec.NewReader(&odd{b: stream, steps: append(steps, -1), fault: failure}, codec.Options{}))
		if got.err != failure || len(got.events) > len(want.events) {
			t.Errorf("error after %d reads: %d events, %v", n, len(got.events), got.err)
		}
	}
}
