package main

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestEachSignal: a signal within 500 ms after one that counts is the same.
func TestEachSignal(t *testing.T) {
	for _, c := range []struct {
		name string
		at   []time.Duration
		want []time.Duration // those that count
	}{
		{"one", []time.Duration{0}, []time.Duration{0}},
		{"timeout(1): two at once", []time.Duration{0, 0}, []time.Duration{0}},
		{"shortly after", []time.Duration{0, 499 * time.Millisecond}, []time.Duration{0}},
		{"two", []time.Duration{0, 500 * time.Millisecond}, []time.Duration{0, 500 * time.Millisecond}},
		{"many: counted from the one that counts", []time.Duration{0, 300 * time.Millisecond, 600 * time.Millisecond, 900 * time.Millisecond},
			[]time.Duration{0, 600 * time.Millisecond}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				var got []time.Duration
				heard := make(chan os.Signal, 1)
				done := make(chan struct{})
				go func() {
					defer close(done)
					eachSignal(heard, func(n int) {
						got = append(got, time.Since(begun))
						if n != len(got) {
							t.Errorf("signal %d has the number %d", len(got), n)
						}
					})
				}()
				for _, at := range c.at {
					time.Sleep(at - time.Since(begun))
					heard <- os.Interrupt
					synctest.Wait()
				}
				close(heard)
				<-done
				if !slices.Equal(got, c.want) {
					t.Errorf("counted at %v, want %v", got, c.want)
				}
			})
		})
	}
}

// TestHeed: only a second signal gives up the rest of a recording, whatever has
// stopped its session.
func TestHeed(t *testing.T) {
	for _, c := range []struct {
		name    string
		stopped error // by what, before the signals; nil: it runs
		signals int
		given   bool   // up
		want    string // in the message
	}{
		{"the first signal", nil, 1, false, ""},
		{"the second signal", nil, 2, true, ""},
		{"the first after --duration", errTimeOver, 1, false, "a second signal gives it up"},
		{"the second after --duration", errTimeOver, 2, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stderr bytes.Buffer
			r := &collecting{p: &program{stderr: &stderr}}
			r.stop, r.cease = context.WithCancelCause(t.Context())
			r.giveUp, r.abort = context.WithCancelCause(t.Context())
			r.running.Add(1)
			if c.stopped != nil {
				r.cease(c.stopped)
			}
			for n := range c.signals {
				r.heed(n + 1)
			}
			if r.stop.Err() == nil {
				t.Error("the session is not stopped")
			}
			if given := r.giveUp.Err() != nil; given != c.given {
				t.Errorf("given up: %v, want %v", given, c.given)
			}
			if !strings.Contains(stderr.String(), c.want) {
				t.Errorf("stderr %q, want %q", stderr.String(), c.want)
			}
		})
	}
}
