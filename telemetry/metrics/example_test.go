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
