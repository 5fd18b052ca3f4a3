//go:build unix

package metrics_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/corpora"
	"github.com/nettrace-go/nettrace/telemetry/metrics"
)

// A host that measures a process until ctx or the process ends. Here a fake runtime with the PID of
// this process sends a trace that was recorded before, and exits.
func ExampleDecoder_Rounds() {
	recorded, err := corpora.Open("net10-counters.v4")
	if err != nil {
		log.Fatal(err)
	}
	var t exampleTB
	defer t.end()
	runtime := eventpipetest.Start(&t, eventpipetest.Config{Dir: os.TempDir(), Trace: eventpipetest.Trace{Data: recorded}})
	exit := sync.OnceFunc(func() { go runtime.Exit() })
	compiled := 0.0
	err = measure(context.Background(), os.Getpid(), func(m metrics.Metric, p metrics.Point) {
		if m.Name == "dotnet.jit.compiled_methods" {
			compiled = p.Value
			exit()
		}
	})
	fmt.Println("methods compiled meanwhile:", compiled)
	fmt.Println("has the process ended:", errors.Is(err, eventpipe.ErrProcessEnded))
	// Output:
	// methods compiled meanwhile: 566
	// has the process ended: true
}

func measure(ctx context.Context, pid int, send func(metrics.Metric, metrics.Point)) error {
	process, err := eventpipe.Find(pid)
	if err != nil {
		return err // "process 4711: not a .NET process", and the like
	}
	decoder := metrics.NewDecoder(metrics.Options{Interval: time.Second})
	for round, err := range decoder.Rounds(ctx, process) {
		if err != nil {
			return err // of ctx, or eventpipe.ErrProcessEnded, or another one
		}
		for _, m := range round.Metrics {
			for _, p := range m.Points {
				send(m, p)
			}
		}
	}
	return nil
}

// A host that records metrics together with other signals in one session. Here a fake runtime sends a
// trace that was recorded before, and exits.
func ExampleDecoder_Decode() {
	recorded, err := corpora.Open("net10-counters.v4")
	if err != nil {
		log.Fatal(err)
	}
	var t exampleTB
	defer t.end()
	runtime := eventpipetest.Start(&t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: recorded}})
	ctx := context.Background()
	decoder := metrics.NewDecoder(metrics.Options{})
	session, err := runtime.Client().StartSession(ctx, eventpipe.SessionConfig{Providers: decoder.Providers("10.0.12"), NoRundown: true})
	if err != nil {
		log.Fatal(err)
	}
	exit := sync.OnceFunc(func() { go runtime.Exit() })
	err = decode(ctx, session, decoder, func(r *metrics.Round) {
		if r.Source == "System.Runtime" {
			fmt.Println(len(r.Metrics), "metrics, complete:", r.Complete())
		}
		exit()
	})
	fmt.Println("has the process ended:", errors.Is(err, eventpipe.ErrProcessEnded))
	// Output:
	// 7 metrics, complete: true
	// 16 metrics, complete: true
	// 16 metrics, complete: true
	// 16 metrics, complete: true
	// has the process ended: true
}

func decode(ctx context.Context, session *eventpipe.Session, decoder *metrics.Decoder, onRound func(*metrics.Round)) error {
	for event, err := range session.Events(ctx, eventpipe.EventsOptions{Reading: codec.Options{OnLost: decoder.Lost}}) {
		if err != nil {
			return err
		}
		decoder.Decode(event, onRound)
	}
	return nil
}

// exampleTB has the methods of testing.TB that Start calls.
type exampleTB struct {
	testing.TB
	cleanup []func()
}

func (t *exampleTB) Helper()           {}
func (t *exampleTB) Cleanup(f func())  { t.cleanup = append(t.cleanup, f) }
func (t *exampleTB) Fatal(args ...any) { log.Fatal(args...) }

func (t *exampleTB) end() {
	for _, f := range t.cleanup {
		f()
	}
}
