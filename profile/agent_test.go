//go:build unix

package profile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	pb "github.com/google/pprof/profile"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/pprof"
)

// what has the types of samples that an agent records: wall time, exceptions,
// locks and pauses.
var what = eventpipe.SessionConfig{Providers: []eventpipe.Provider{
	{Name: "Microsoft-DotNETCore-SampleProfiler", Level: 5},
	{Name: "Microsoft-Windows-DotNETRuntime", Keywords: 0x1 | 0x10 | 0x4000 | 0x8000, Level: 4},
}}

// agent returns a profile of each window of time until the context ends. Each
// window is a session, because a runtime sends the names of methods at the end of
// a session. profile.Limits and codec.Limits bound its memory: samples above a
// limit are missing in the profile of that window.
func agent(ctx context.Context, client *eventpipe.Client, window time.Duration, send func(*profile.Profile) error) error {
	for ctx.Err() == nil {
		if err := oneWindow(ctx, client, window, send); err != nil {
			return err
		}
	}
	return nil
}

func oneWindow(ctx context.Context, client *eventpipe.Client, window time.Duration, send func(*profile.Profile) error) error {
	session, err := client.StartSession(ctx, what)
	if err != nil {
		return err
	}
	defer session.Close()
	// Stopping must not end with ctx: the runtime is to finish its stream. When it
	// refuses, or sends on without end, Finish ends the reading with the reason.
	end := time.AfterFunc(window, func() { _ = session.Finish(context.WithoutCancel(ctx)) })
	defer end.Stop()
	p, err := profile.FromReader(context.Background(), codec.NewReader(session, codec.Options{}), profile.Options{})
	var limit *profile.LimitError
	if errors.As(err, &limit) { // the samples before it are complete
		_, err = session.Drain(context.WithoutCancel(ctx))
	}
	if err != nil {
		return err
	}
	return send(p)
}

// An agent that records a .NET process and writes a pprof profile each minute.
func Example_agent() {
	process, err := eventpipe.Find(4711)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = agent(context.Background(), process.Client(), time.Minute, func(p *profile.Profile) error {
		f, err := os.Create(time.Now().Format("20060102-150405") + ".pb.gz")
		if err != nil {
			return err
		}
		return errors.Join(pprof.Write(f, p, pprof.Options{}), f.Close())
	})
	fmt.Println(err)
}

// TestAgent runs it against a played runtime.
func TestAgent(t *testing.T) {
	tier.NeedsCheck(t) // it measures the memory of the process
	const name, windows = "azmcp-net10-cpu.v4", 3
	fake := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: shared.Trace(t, name)}})
	want := read(t, name, profile.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	base := heap()
	sent := 0
	err := agent(ctx, fake.Client(), 20*time.Millisecond, func(p *profile.Profile) error {
		var out bytes.Buffer
		if err := pprof.Write(&out, p, pprof.Options{}); err != nil {
			return err
		}
		made, err := pb.Parse(&out)
		if err != nil {
			return err
		}
		if total(made, "wall") != sum(want, profile.Wall) {
			t.Errorf("window %d: %d ns of wall time, want %d", sent, total(made, "wall"), sum(want, profile.Wall))
		}
		held := heap() - base
		for _, s := range fake.Sessions() {
			held -= int64(len(s.Sent())) * 3 / 2 // the data of the fake runtime and its spare capacity
		}
		if held > 16<<20 {
			t.Errorf("window %d: %d bytes are held", sent, held)
		}
		if sent++; sent == windows {
			cancel()
		}
		return nil
	})
	if err != nil || sent != windows {
		t.Errorf("%d windows, %v", sent, err)
	}
}

// TestAgentStop: an agent does not wait for ever when the session cannot be
// stopped, or the stream does not end.
func TestAgentStop(t *testing.T) {
	data := shared.Trace(t, "net10-empty.v4")
	for _, c := range []struct {
		name   string
		config eventpipetest.Config
	}{
		{"the runtime refuses", eventpipetest.Config{Trace: eventpipetest.Trace{Data: data}, Faults: map[eventpipe.Command]eventpipetest.Fault{
			eventpipe.StopTracing: eventpipetest.Refuse(eventpipe.Fail, "")}}},
		{"the runtime does not answer", eventpipetest.Config{Trace: eventpipetest.Trace{Data: data}, Faults: map[eventpipe.Command]eventpipetest.Fault{
			eventpipe.StopTracing: eventpipetest.Silent()}}},
		{"the stream does not end", eventpipetest.Config{Trace: eventpipetest.Trace{Data: data}, Faults: map[eventpipe.Command]eventpipetest.Fault{
			eventpipe.StopTracing: eventpipetest.Empty()}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := eventpipetest.Start(t, c.config).Client()
			client.Timeouts.Stop = 100 * time.Millisecond
			err := agent(t.Context(), client, 20*time.Millisecond, func(*profile.Profile) error {
				return errors.New("a profile of a stream that has not ended")
			})
			t.Log(err)
			if err == nil || strings.Contains(err.Error(), "a profile of") {
				t.Errorf("the error is %v, want that of stopping", err)
			}
		})
	}
}

// heap returns the bytes in use after a garbage collection.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// total adds up a type of a pprof profile.
func total(p *pb.Profile, name string) int64 {
	n := int64(0)
	for i, t := range p.SampleType {
		for _, s := range p.Sample {
			if t.Type == name {
				n += s.Value[i]
			}
		}
	}
	return n
}
