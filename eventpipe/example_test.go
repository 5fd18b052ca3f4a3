//go:build unix

package eventpipe_test

import (
	"context"
	"fmt"
	"log"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/corpora"
)

// A test of a program that records: the runtime is played, and streams a trace
// that was recorded before.
func Example() {
	test := func(t testing.TB) {
		recorded, err := corpora.Open("net10-empty.v4")
		if err != nil {
			t.Fatal(err)
		}
		runtime := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: recorded}})
		if err := watch(context.Background(), runtime.Client()); err != nil {
			t.Fatal(err)
		}
		fmt.Println(runtime.Requests()[0].Command, runtime.Sessions()[0].Config.Providers[0].Keywords)
	}
	test(&processTB{})
	// Output:
	// Microsoft-DotNETCore-EventPipe
	// CollectTracing2 32768
}

// watch prints the providers of events, stops at the first event and reads the
// rest.
func watch(ctx context.Context, client *eventpipe.Client) error {
	session, err := client.StartSession(ctx, eventpipe.SessionConfig{
		Providers: []eventpipe.Provider{{Name: "Microsoft-Windows-DotNETRuntime", Keywords: 0x8000, Level: 4}},
	})
	if err != nil {
		return err
	}
	defer session.Close()
	for event, err := range codec.NewReader(session, codec.Options{}).Events() {
		if err != nil {
			return err
		}
		fmt.Println(event.Provider())
		break
	}
	_, err = session.Drain(ctx)
	return err
}

// Find a process by its number and query its properties.
func ExampleFind() {
	process, err := eventpipe.Find(4711)
	if err != nil {
		log.Fatal(err) // "process 4711: not a .NET process", and the like
	}
	info, err := process.Client().ProcessInfo(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(info.EntryAssembly, info.Version)
}
