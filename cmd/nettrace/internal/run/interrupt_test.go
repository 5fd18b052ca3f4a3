package run_test

import (
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
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
					run.EachSignal(heard, func(n int) {
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
