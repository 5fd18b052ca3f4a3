package edit_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// sliceMeaning is the content of an event without its sequence number.
func sliceMeaning(e *codec.Event) string {
	thread, _ := e.ThreadID()
	capture, _ := e.CaptureThreadID()
	process, _ := e.ProcessID()
	return fmt.Sprintf("%d %s/%d %q v%d l%d o%d %x t%d c%d P%d p%d %x %v %v %v %x", e.Timestamp, e.Provider(), e.ID(), e.Name(),
		e.Version(), e.Level(), e.Opcode(), e.Keywords(), thread, capture, process, e.Processor, e.Stack(),
		e.Activity(), e.RelatedActivity(), slices.DeleteFunc(slices.Clone(e.Labels()), isActivity), e.Payload())
}

// isActivity reports whether older versions have the label in another place.
func isActivity(l codec.Label) bool {
	return l.Kind == wire.LabelActivityID || l.Kind == wire.LabelRelatedActivityID
}

var sceneTime = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// diffBase is an event that has everything.
func diffBase() (codec.Metadata, codec.Record, codec.Thread, codec.Trace) {
	return codec.Metadata{Provider: "P", EventID: 1, Name: "N", Version: 1, Level: 4, Keywords: 2},
		codec.Record{
			Timestamp: 1000, Processor: 3, Sequence: 1, Stack: []uint64{1, 2}, Payload: []byte("payload"),
			Labels: []codec.Label{{Kind: wire.LabelKeyString, Key: "k", Value: "v"}},
		},
		codec.Thread{ThreadID: 5, HasThreadID: true, ProcessID: 6, HasProcessID: true},
		codec.Trace{SyncTime: sceneTime, TickFrequency: 1e9, Properties: []codec.KeyValue{{Key: "a", Value: "b"}}}
}

// TestDiffFinds makes one change after the other. Diff names each, and nothing if
// it is ignored.
func TestDiffFinds(t *testing.T) {
	write := func(change func(*codec.Metadata, *codec.Record, *codec.Thread, *codec.Trace)) []byte {
		m, rec, thread, trace := diffBase()
		change(&m, &rec, &thread, &trace)
		var out bytes.Buffer
		w := codec.NewWriter(&out, codec.WriterOptions{Trace: trace})
		rec.MetadataID, _ = w.DefineMetadata(&m)
		rec.Thread, _ = w.DefineThread(&thread)
		if rec.CaptureThread == 0 {
			rec.CaptureThread = rec.Thread
		} else {
			rec.CaptureThread, _ = w.DefineThread(&codec.Thread{ThreadID: rec.CaptureThread, HasThreadID: true})
		}
		if err := w.Write(&rec); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	type change = func(*codec.Metadata, *codec.Record, *codec.Thread, *codec.Trace)
	base := write(func(*codec.Metadata, *codec.Record, *codec.Thread, *codec.Trace) {})
	changes := map[string]change{
		"provider": func(m *codec.Metadata, _ *codec.Record, _ *codec.Thread, _ *codec.Trace) { m.Provider = "Q" },
		"id":       func(m *codec.Metadata, _ *codec.Record, _ *codec.Thread, _ *codec.Trace) { m.EventID++ },
		"version":  func(m *codec.Metadata, _ *codec.Record, _ *codec.Thread, _ *codec.Trace) { m.Version++ },
		"level":    func(m *codec.Metadata, _ *codec.Record, _ *codec.Thread, _ *codec.Trace) { m.Level++ },
		"opcode": func(m *codec.Metadata, _ *codec.Record, _ *codec.Thread, _ *codec.Trace) {
			m.Opcode, m.OpcodeSet = 1, true
		},
		"keywords": func(m *codec.Metadata, _ *codec.Record, _ *codec.Thread, _ *codec.Trace) { m.Keywords++ },
		"name":     func(m *codec.Metadata, _ *codec.Record, _ *codec.Thread, _ *codec.Trace) { m.Name = "M" },
		"time":     func(_ *codec.Metadata, r *codec.Record, _ *codec.Thread, _ *codec.Trace) { r.Timestamp++ },
		"captureThread": func(_ *codec.Metadata, r *codec.Record, _ *codec.Thread, _ *codec.Trace) {
			r.CaptureThread = 77
		},
		"process":   func(_ *codec.Metadata, _ *codec.Record, t *codec.Thread, _ *codec.Trace) { t.ProcessID++ },
		"processor": func(_ *codec.Metadata, r *codec.Record, _ *codec.Thread, _ *codec.Trace) { r.Processor++ },
		"stack":     func(_ *codec.Metadata, r *codec.Record, _ *codec.Thread, _ *codec.Trace) { r.Stack = r.Stack[:1] },
		"activity":  func(_ *codec.Metadata, r *codec.Record, _ *codec.Thread, _ *codec.Trace) { r.Activity[3] = 1 },
		"labels":    func(_ *codec.Metadata, r *codec.Record, _ *codec.Thread, _ *codec.Trace) { r.Labels[0].Value = "w" },
		"payload":   func(_ *codec.Metadata, r *codec.Record, _ *codec.Thread, _ *codec.Trace) { r.Payload = nil },
		"clock":     func(_ *codec.Metadata, _ *codec.Record, _ *codec.Thread, t *codec.Trace) { t.SyncTicks++ },
		"properties": func(_ *codec.Metadata, _ *codec.Record, _ *codec.Thread, t *codec.Trace) {
			t.Properties[0].Value = "c"
		},
	}
	for _, byTime := range []bool{false, true} {
		t.Run(fmt.Sprintf("byTime=%v", byTime), func(t *testing.T) {
			for name, change := range changes {
				other := write(change)
				ignored := edit.DiffOptions{Ignore: []string{name, "sequencePoints"}, ByTime: byTime} // the last point has the event's numbers
				d := diff(t, base, other, edit.DiffOptions{ByTime: byTime})
				if fields := d.Fields; d.Equal() || d.First == 0 && !slices.Equal(fields, []string{name}) {
					t.Errorf("%s: %v", name, d)
				}
				if d := diff(t, base, other, ignored); !d.Equal() {
					t.Errorf("%s ignored: %v", name, d)
				}
			}
			more := write(func(_ *codec.Metadata, r *codec.Record, _ *codec.Thread, _ *codec.Trace) { r.Sequence = 4 })
			if d := diff(t, base, more, edit.DiffOptions{}); !slices.Equal(d.Fields, []string{"sequence"}) || len(d.Trace) != 2 {
				t.Errorf("sequence: %v", d)
			}
			if d := diff(t, base, more, edit.DiffOptions{Ignore: []string{"sequence", "sequencePoints", "lost"}}); !d.Equal() {
				t.Errorf("sequence ignored: %v", d)
			}
		})
	}
}

func diff(t *testing.T, a, b []byte, opt edit.DiffOptions) *edit.Difference {
	t.Helper()
	ropt := codec.Options{OnError: codec.Skip}
	if opt.ByTime {
		ropt.Order = codec.ByTime
	}
	d, err := edit.Diff(context.Background(), codec.NewBytesReader(a, ropt), codec.NewBytesReader(b, ropt), opt)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestDiffCounts: additional events of one stream are counted by provider, and
// the first one is shown.
func TestDiffCounts(t *testing.T) {
	data := shared.Trace(t, "net10-mix-gc.v4")
	out, result := slice(t, data, edit.SliceOptions{DropRundown: true})
	for _, byTime := range []bool{false, true} {
		t.Run(fmt.Sprintf("byTime=%v", byTime), func(t *testing.T) {
			d := diff(t, data, out, edit.DiffOptions{ByTime: byTime})
			expect.Equal(t, "d.Equal()", d.Equal(), false)
			expect.NotZero(t, "d.A", d.A)
			expect.Equal(t, "d.Events[0]-d.Events[1]", d.Events[0]-d.Events[1], result.LeftOut)
			expect.Stop(t)
			for _, p := range d.Providers {
				if same := p.Events[0] == p.Events[1]; same == (p.Provider == edit.RundownProvider) {
					t.Errorf("%+v", p)
				}
			}
		})
	}
}

// TestDiffMoment: events with the same time may have another order when events
// are ordered by time.
func TestDiffMoment(t *testing.T) {
	write := func(order ...uint64) []byte {
		m, rec, _, trace := diffBase()
		var out bytes.Buffer
		w := codec.NewWriter(&out, codec.WriterOptions{Trace: trace})
		rec.MetadataID, _ = w.DefineMetadata(&m)
		for _, id := range order {
			rec.Thread, _ = w.DefineThread(&codec.Thread{ThreadID: id, HasThreadID: true})
			rec.CaptureThread, rec.Sequence = rec.Thread, 0
			if err := w.Write(&rec); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	a, b := write(1, 2, 3, 2), write(2, 3, 1, 2)
	if d := diff(t, a, b, edit.DiffOptions{ByTime: true, Ignore: []string{"sequencePoints"}}); !d.Equal() {
		t.Error(d)
	}
	if d := diff(t, a, b, edit.DiffOptions{}); d.First != 0 || !slices.Equal(d.Fields, []string{"thread", "captureThread"}) {
		t.Error(d)
	}
	if d := diff(t, a, write(2, 3, 1), edit.DiffOptions{ByTime: true}); d.First != 2 {
		t.Error(d)
	}
}

// TestDiffMoments: of two moments that hold the same but for one event, that one
// is the difference, whichever side has it.
func TestDiffMoments(t *testing.T) {
	m, _, _, trace := diffBase()
	of := func(payloads ...string) []byte {
		var out bytes.Buffer
		w := codec.NewWriter(&out, codec.WriterOptions{Format: wire.V4, Trace: codec.Trace{SyncTime: trace.SyncTime, TickFrequency: 1e9}})
		id, err := w.DefineMetadata(&m)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range payloads {
			thread := uint64(i + 1)
			if err := w.Write(&codec.Record{MetadataID: id, Thread: 1, CaptureThread: thread, Timestamp: 5, Payload: []byte(p)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	reader := func(data []byte) *codec.Reader { return codec.NewBytesReader(data, codec.Options{Order: codec.ByTime}) }
	less, more := of("x", "y"), of("y", "x", "z")
	opt := edit.DiffOptions{ByTime: true, Ignore: []string{"captureThread"}}
	for i, sides := range [][2][]byte{{less, more}, {more, less}} {
		t.Run([]string{"more", "less"}[i], func(t *testing.T) {
			d, err := edit.Diff(context.Background(), reader(sides[0]), reader(sides[1]), opt)
			if err != nil {
				t.Fatal(err)
			}
			var only *codec.Event
			if only = d.A; only == nil {
				only = d.B
			}
			expect.Equal(t, "d.First", d.First, 2)
			expect.Equal(t, "fmt.Sprint(d.Fields)", fmt.Sprint(d.Fields), "[end]")
			if (d.A == nil) == (d.B == nil) {
				t.Errorf("%v: %v and %v", d, d.A, d.B)
			}
			expect.Equal(t, "only.Payload()", string(only.Payload()), "z")
		})
	}
	if d, err := edit.Diff(context.Background(), reader(of("x", "y")), reader(of("y", "x")), opt); err != nil || !d.Equal() {
		t.Errorf("%v, %v", d, err)
	}
}
