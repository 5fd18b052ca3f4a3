//go:build unix

package eventpipe_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/eventpipe/record"
	"github.com/nettrace-go/nettrace/internal/corpora"
	"github.com/nettrace-go/nettrace/profile"
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
	tb := &processTB{}
	defer tb.cleanUp()
	test(tb)
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

// An agent that attaches to processes by name, also after they were started again,
// and makes a profile of each window of time. Here a fake runtime with the PID of
// this process is recorded once.
func ExampleWatch() {
	test := func(t testing.TB) {
		recorded, err := corpora.Open("net10-counters.v4")
		if err != nil {
			t.Fatal(err)
		}
		eventpipetest.Start(t, eventpipetest.Config{Dir: os.TempDir(), Trace: eventpipetest.Trace{Data: recorded}})
		ctx, stop := context.WithCancel(context.Background())
		err = agent(ctx, filepath.Base(os.Args[0]), 20*time.Millisecond, func(_ eventpipe.Process, p *profile.Profile) error {
			fmt.Println("profile of", p.Trace.Format)
			stop() // an agent would write the profile with package pprof
			return nil
		})
		fmt.Println(err)
	}
	tb := &processTB{}
	defer tb.cleanUp()
	test(tb)
	// Output:
	// profile of 4
	// <nil>
}

// agent profiles the processes with a name until ctx is done.
func agent(ctx context.Context, name string, every time.Duration, write func(eventpipe.Process, *profile.Profile) error) error {
	var attached sync.WaitGroup
	defer attached.Wait()
	for change, err := range eventpipe.Watch(ctx, eventpipe.Selector{Name: name}) {
		if err != nil {
			return err
		}
		if !change.Gone {
			attached.Go(func() {
				for ctx.Err() == nil && window(ctx, change.Process, every, write) == nil {
				}
			})
		}
	}
	return nil
}

// window makes a profile of a time. The error is that of a process that has ended.
func window(ctx context.Context, process eventpipe.Process, length time.Duration, write func(eventpipe.Process, *profile.Profile) error) error {
	session, err := process.Client().StartSession(ctx, eventpipe.SessionConfig{Providers: []eventpipe.Provider{{Name: provider.SampleProfiler, Level: 4}}})
	if err != nil {
		return err
	}
	defer session.Close()
	time.AfterFunc(length, func() { _ = session.Stop(ctx) })
	p, err := profile.FromReader(ctx, codec.NewReader(session, codec.Options{}), profile.Options{})
	if err != nil {
		return err
	}
	return write(process, p)
}

// Record a process for some time. Here a fake runtime with the PID of this process
// sends a trace that was recorded before.
func Example_record() {
	test := func(t testing.TB) {
		recorded, err := corpora.Open("net10-counters.v4")
		if err != nil {
			t.Fatal(err)
		}
		eventpipetest.Start(t, eventpipetest.Config{Dir: os.TempDir(), Trace: eventpipetest.Trace{Data: recorded}})
		folder, err := os.MkdirTemp("", "record")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(folder)
		report, err := recordProcess(context.Background(), os.Getpid(), filepath.Join(folder, "app.nettrace"), 20*time.Millisecond)
		fmt.Println("complete:", report.Complete(), "error:", err)
	}
	tb := &processTB{}
	defer tb.cleanUp()
	test(tb)
	// Output: complete: true error: <nil>
}

// recordProcess records a process into a file.
func recordProcess(ctx context.Context, pid int, name string, length time.Duration) (record.Report, error) {
	process, err := eventpipe.Find(pid)
	if err != nil {
		return record.Report{}, err // "process 4711: not a .NET process", and the like
	}
	f, err := os.Create(name)
	if err != nil {
		return record.Report{}, err
	}
	defer f.Close()
	file, err := record.NewFile(f, record.Uncompressed)
	if err != nil {
		return record.Report{}, err
	}
	session, err := process.Client().StartSession(ctx, eventpipe.SessionConfig{
		Providers: []eventpipe.Provider{{Name: provider.Runtime, Keywords: 0x8001, Level: 4}}, // collections and exceptions
	})
	if err != nil {
		return record.Report{}, err
	}
	defer session.Close()
	enough := time.AfterFunc(length, func() { _ = session.Stop(ctx) }) // while Run reads: the rundown comes after it
	defer enough.Stop()
	return record.New(record.Options{}).Run(ctx, session, file) // to the end of the stream; it also closes file, but not f
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
