package profile_test

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/profile"
)

// TestThreadNames names threads by their rows and by their events.
func TestThreadNames(t *testing.T) {
	const runtime = "Microsoft-Windows-DotNETRuntime"
	mark := func(heap, kind uint32) []byte {
		b := binary.LittleEndian.AppendUint32(nil, heap)
		return append(binary.LittleEndian.AppendUint32(append(b, 0, 0), kind), make([]byte, 8)...)
	}
	created := func(flags, thread uint32) []byte {
		b := binary.LittleEndian.AppendUint32(make([]byte, 16), flags)
		return append(binary.LittleEndian.AppendUint32(append(b, 0, 0, 0, 0), thread), 0, 0)
	}
	for _, c := range []struct {
		name   string
		events []threadEvent
		want   map[uint64]string
	}{
		{"row", []threadEvent{{thread: 1, id: 80}}, map[uint64]string{1: "main"}},
		{"startup", []threadEvent{{thread: 7, id: 80}}, map[uint64]string{7: "Startup Thread"}},
		{"no name", []threadEvent{{thread: 2, id: 80}}, map[uint64]string{2: ""}},
		{"finalizer", []threadEvent{{thread: 2, id: 14}}, map[uint64]string{2: ".NET Finalizer Thread"}},
		{"pool", []threadEvent{{thread: 2, id: 57}}, map[uint64]string{2: ".NET ThreadPool Worker"}},
		{"created", []threadEvent{
			{thread: 2, id: 85, payload: created(4, 2)}, {thread: 2, id: 85, payload: created(1, 3)}, {thread: 2, id: 85, payload: created(2, 4)},
		}, map[uint64]string{2: ".NET ThreadPool Worker", 3: ".NET Background GC Thread", 4: ".NET Finalizer Thread"}},
		{"created in the rundown", []threadEvent{{thread: 2, provider: runtime + "Rundown", id: 159, payload: created(2, 4)}},
			map[uint64]string{4: ".NET Finalizer Thread"}},
		{"background collection", []threadEvent{{thread: 2, provider: runtime + "Private", id: 11}}, map[uint64]string{2: ".NET Background GC Thread"}},
		{"server collector", []threadEvent{{thread: 2, id: 202, payload: mark(0, 2)}, {thread: 3, id: 202, payload: mark(1, 2)}, {thread: 4, id: 202, payload: mark(1, 0)}},
			map[uint64]string{2: ".NET Server GC Thread(0)", 3: ".NET Server GC Thread(1)", 4: ""}},
		{"workstation collector", []threadEvent{{thread: 2, id: 202, payload: mark(0, 2)}, {thread: 3, id: 202, payload: mark(0, 2)}},
			map[uint64]string{2: "", 3: ""}},
		{"pool worker with a named row", []threadEvent{{thread: 1, id: 57}}, map[uint64]string{1: "main"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := threadProfile(t, c.events)
			got := map[uint64]string{}
			for _, row := range p.Threads() {
				got[row.ID] = row.Name
			}
			for id, want := range c.want {
				if got[id] != want {
					t.Errorf("thread %d: %q, want %q", id, got[id], want)
				}
			}
		})
	}
}

// threadEvent is an event of the runtime, or of another provider if that is set.
type threadEvent struct {
	thread   uint64
	provider string
	id       uint32
	payload  []byte
}

// threadProfile is the profile of a v6 trace of process 7 with these events. Thread
// 1 has the name "main".
func threadProfile(t *testing.T, events []threadEvent) *profile.Profile {
	t.Helper()
	b := gen.NewBuilder(gen.BuilderOptions{Format: wire.V6, Trace: codec.Trace{
		Format: wire.V6, TickFrequency: 1e9, PointerSize: 8, Properties: []codec.KeyValue{{Key: codec.ProcessIDKey, Value: "7"}},
	}})
	known := map[uint64]bool{}
	for i, e := range events {
		if e.provider == "" {
			e.provider = "Microsoft-Windows-DotNETRuntime"
		}
		if !known[e.thread] {
			known[e.thread] = true
			row := codec.Thread{Index: e.thread, ProcessID: 7, ThreadID: e.thread, HasProcessID: true, HasThreadID: true}
			if e.thread == 1 {
				row.Name = "main"
			}
			b.Thread(&row)
		}
		b.Now = 1e9 + uint64(i)
		b.Event(&codec.EventRow{
			MetadataID: b.Metadata(&codec.Metadata{Provider: e.provider, EventID: e.id}), ThreadIndex: e.thread, CaptureThreadIndex: e.thread,
			Timestamp: b.Now, Payload: e.payload,
		})
	}
	sameProfiles(t, b.Trace().Bytes(), profile.Options{})
	p, err := profile.FromReader(context.Background(), codec.NewBytesReader(b.Trace().Bytes(), codec.Options{}), profile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestThreadWithoutID keeps v6 threads without an ID of the operating system
// separate, and separate from threads whose ID is their index.
func TestThreadWithoutID(t *testing.T) {
	b := gen.NewBuilder(gen.BuilderOptions{Format: wire.V6, Trace: codec.Trace{Format: wire.V6, TickFrequency: 1e9, PointerSize: 8}})
	sample := b.Metadata(&codec.Metadata{Provider: "Microsoft-DotNETCore-SampleProfiler"})
	for _, row := range []codec.Thread{
		{Index: 5, ProcessID: 7, HasProcessID: true},
		{Index: 6, ProcessID: 7, HasProcessID: true, Name: "second"},
		{Index: 8, ProcessID: 7, HasProcessID: true, ThreadID: 5, HasThreadID: true},
	} {
		b.Thread(&row)
		b.Now++
		b.Event(&codec.EventRow{MetadataID: sample, ThreadIndex: row.Index, CaptureThreadIndex: row.Index, Timestamp: b.Now, Payload: []byte{2, 0, 0, 0}})
	}
	sameProfiles(t, b.Trace().Bytes(), profile.Options{})
	p, err := profile.FromReader(context.Background(), codec.NewBytesReader(b.Trace().Bytes(), codec.Options{}), profile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []profile.Thread{{ID: 1<<32 + 5, ProcessID: 7}, {ID: 1<<32 + 6, ProcessID: 7, Name: "second"}, {ID: 5, ProcessID: 7}}
	if got := p.Threads(); len(got) != len(want) {
		t.Fatalf("%d threads, want %d", len(got), len(want))
	}
	for i, got := range p.Threads() {
		if got != want[i] {
			t.Errorf("thread %d: %+v, want %+v", i, got, want[i])
		}
	}
}
