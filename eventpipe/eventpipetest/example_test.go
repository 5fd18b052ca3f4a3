//go:build unix

package eventpipetest_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"testing"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/corpora"
)

// A test of a function that records the trace of a process. A test has a
// *testing.T; this example needs a replacement.
func Example() {
	recorded, err := corpora.Open("net10-empty.v4")
	if err != nil {
		log.Fatal(err)
	}
	var t exampleTB
	defer t.end()

	runtime := eventpipetest.Start(&t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: recorded}})
	trace, err := collect(context.Background(), runtime.Client())
	fmt.Println("complete:", bytes.Equal(trace, recorded), "error:", err)
	for _, request := range runtime.Requests() {
		fmt.Println(request.Command)
	}
	// Output:
	// complete: true error: <nil>
	// CollectTracing2
	// StopTracing
}

// A runtime that does not support a command, for example one before .NET 6.
func ExampleRefuse() {
	var t exampleTB
	defer t.end()
	runtime := eventpipetest.Start(&t, eventpipetest.Config{
		Faults: map[eventpipe.Command]eventpipetest.Fault{
			eventpipe.GetProcessEnvironment: eventpipetest.Refuse(eventpipe.UnknownCommand, ""),
		},
	})
	_, err := runtime.Client().Environment(context.Background())
	fmt.Println(err)
	// Output: eventpipe: this runtime does not support reporting its environment: it requires .NET 6 or later (ProcessEnvironment)
}

// collect starts a session, stops it at once and returns its trace.
func collect(ctx context.Context, client *eventpipe.Client) ([]byte, error) {
	session, err := client.StartSession(ctx, eventpipe.SessionConfig{
		Providers: []eventpipe.Provider{{Name: "Microsoft-Windows-DotNETRuntime", Keywords: 0x1, Level: 4}},
	})
	if err != nil {
		return nil, err
	}
	defer session.Close()
	stopped := make(chan error, 1)
	go func() { stopped <- session.Stop(ctx) }()
	trace, err := io.ReadAll(session)
	if err != nil {
		return nil, err
	}
	return trace, <-stopped
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
