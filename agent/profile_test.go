//go:build unix

package agent

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// TestScaled: the values of a window of which a part was sampled stand for all of it, and its counts do not.
func TestScaled(t *testing.T) {
	p, err := profile.FromReader(t.Context(), codec.NewReader(bytes.NewReader(shared.Trace(t, "net10-deep.v4")), codec.Options{}), profile.Options{})
	expect.NoError(t, err)
	begun := time.Now()
	plain := &Window{Kind: Wall, Start: begun, End: begun.Add(10 * time.Second)}
	scaled := *plain
	plain.setPprof(p, 2*time.Second, false)
	scaled.setPprof(p, 2*time.Second, true)
	expect.Equal(t, "share", plain.Share, 0.2)
	expect.Equal(t, "share of the scaled one", scaled.Share, 0.2)
	for i, s := range plain.Pprof.Sample {
		expect.Equal(t, "value", scaled.Pprof.Sample[i].Value[0], 5*s.Value[0])
		expect.Slices(t, "counts", scaled.Pprof.Sample[i].Value[1:], s.Value[1:])
	}
	events := &Window{Kind: Exceptions, Start: begun, End: begun.Add(10 * time.Second)}
	events.setPprof(p, 0, true)
	expect.Equal(t, "share of events", events.Share, 1)
}

// TestProfileEnd: the last value says that the process or the context has ended.
func TestProfileEnd(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(r *eventpipetest.Runtime, cancel func())
		want error
	}{
		{"exit", func(r *eventpipetest.Runtime, _ func()) { go r.Exit() }, eventpipe.ErrProcessEnded},
		{"cancel", func(_ *eventpipetest.Runtime, cancel func()) { cancel() }, context.Canceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			fake := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: shared.Trace(t, "net10-deep.v4")}})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var last error
			windows := 0
			for w, err := range Profile(ctx, &eventpipe.Process{Name: "fake", Address: fake.Address()}, Wall, 100*time.Millisecond) {
				if last = err; w == nil {
					continue
				}
				if windows++; windows == 1 {
					expect.AtMost(t, "share", w.Share, 1)
					c.end(fake, cancel)
				}
			}
			expect.AtLeast(t, "windows", windows, 1)
			if !errors.Is(last, c.want) {
				t.Errorf("the last error: got %v, want %v", last, c.want)
			}
		})
	}
}
