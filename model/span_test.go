package model_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tracetest"
	"github.com/nettrace-go/nettrace/model"
)

// spans asks for the spans.
type spans struct {
	trace *model.Trace
	all   *model.Spans
}

func (s *spans) Begin(t *model.Trace)                  { s.trace, s.all = t, t.Spans() }
func (s *spans) Handler(*codec.Metadata) model.Handler { return nil }
func (s *spans) Lost(model.Thread)                     {}

// mark is a start or a stop of an event source: "Work+" is a start, "Work-" a stop; another
// name is the whole name of the event, with its opcode. Its time is its position in the list.
type mark struct {
	event    string
	thread   uint64
	fields   string // "id=7 name=x"
	activity byte
	parent   byte
	opcode   uint8
	lost     bool // events of the thread before it
	stack    []uint64
}

// spansOf returns the spans of marks: "Work x 0-3 key", and the counts.
func spansOf(t *testing.T, marks ...mark) (string, model.SpanCounts) {
	t.Helper()
	m, types := tracetest.New(wire.V5), map[string]uint32{}
	sequences := map[uint64]uint32{}
	for at, one := range marks {
		name, provider := one.event, "Mine"
		if source, event, ok := strings.Cut(name, "/"); ok {
			provider, name = source, event
		}
		if base, ok := strings.CutSuffix(name, "+"); ok {
			name, one.opcode = base+"Start", 1
		} else if base, ok := strings.CutSuffix(name, "-"); ok {
			name, one.opcode = base+"Stop", 2
		}
		var fields []codec.Field
		var payload []byte
		for _, field := range strings.Fields(one.fields) {
			key, value, _ := strings.Cut(field, "=")
			fields = append(fields, codec.Field{Name: key, Type: codec.Type{Code: wire.NullTerminatedUTF16String}})
			payload = wire.AppendUTF16Z(payload, value)
		}
		id := fmt.Sprint(provider, name, one.opcode, fields)
		if types[id] == 0 {
			types[id] = m.Metadata(&codec.Metadata{Provider: provider, EventID: uint32(len(types) + 1), Name: name, Level: 4, Opcode: one.opcode, OpcodeSet: one.opcode != 0, Fields: fields})
		}
		sequences[one.thread]++
		if one.lost {
			sequences[one.thread] += 3
		}
		row := codec.EventRow{
			MetadataID: types[id], CaptureThreadIndex: one.thread, ThreadIndex: one.thread, Timestamp: uint64(at), Processor: wire.UnknownProcessor,
			Payload: payload, Activity: wire.GUID{one.activity}, Related: wire.GUID{one.parent}, Sequence: sequences[one.thread],
		}
		if one.stack != nil {
			row.StackID = m.Stack(one.stack)
		}
		m.Event(&row)
	}
	var s spans
	_, err := model.Read(t.Context(), codec.NewReader(bytes.NewReader(m.Bytes()), codec.Options{Order: codec.ByTime}), model.Options{Consumers: []model.Consumer{&s}})
	expect.NoError(t, err)
	var list []string
	for _, one := range s.all.Of(tracetest.Process) {
		text := one.Name
		if one.Key != "" {
			text += " " + one.Key
		}
		list = append(list, fmt.Sprintf("%s %d-%d %s", text, one.Start.Ticks, one.Stop.Ticks, one.Joined))
	}
	return strings.Join(list, ", "), *s.all.Counts(tracetest.Process)
}

// TestSpans: which starts and stops belong together. What nothing tells apart is not joined.
func TestSpans(t *testing.T) {
	const a, b = 1, 2 // threads
	start := func(thread uint64, fields string) mark { return mark{event: "Work+", thread: thread, fields: fields} }
	stop := func(thread uint64, fields string) mark { return mark{event: "Work-", thread: thread, fields: fields} }
	active := func(m mark, activity, parent byte) mark {
		m.activity, m.parent = activity, parent
		return m
	}
	at := func(m mark, stack ...uint64) mark {
		m.stack = stack
		return m
	}
	lost := func(m mark) mark {
		m.lost = true
		return m
	}
	for _, c := range []struct {
		name  string
		marks []mark
		want  string
		count model.SpanCounts
	}{
		{"activity on two threads", []mark{active(start(a, ""), 1, 9), active(start(a, ""), 2, 9), active(stop(b, ""), 1, 0), active(stop(b, ""), 2, 0)},
			"Work 0-2 activity, Work 1-3 activity", model.SpanCounts{}},
		{"one activity id of two", []mark{
			active(start(a, ""), 1, 9), active(start(b, ""), 1, 9), active(stop(b, ""), 1, 0), active(stop(b, ""), 1, 0), active(start(a, ""), 1, 9), active(stop(a, ""), 1, 0),
		}, "Work 4-5 activity", model.SpanCounts{Ambiguous: 2}},
		{"one activity id and a key", []mark{
			active(start(a, "id=1"), 1, 9), active(start(b, "id=2"), 1, 9), active(stop(b, "id=1"), 1, 0), active(stop(b, "id=2"), 1, 0),
		}, "Work 0-2 activity, Work 1-3 activity", model.SpanCounts{}},
		{"key on two threads", []mark{start(a, "id=1"), start(a, "id=2"), stop(b, "id=1"), stop(b, "id=2")}, "Work 0-2 key, Work 1-3 key", model.SpanCounts{}},
		{"a path that is rewritten", []mark{start(a, "id=1 path=/"), start(a, "id=2 path=/x"), stop(b, "id=1 path=/x"), stop(b, "id=2 path=/x")},
			"Work / 0-2 key, Work /x 1-3 key", model.SpanCounts{}},
		{"one name on two threads at once", []mark{start(a, "name=x"), start(b, "name=x"), stop(b, "name=x"), stop(a, "name=x")},
			"Work x 0-3 nesting, Work x 1-2 nesting", model.SpanCounts{}},
		{"one name that moves", []mark{start(a, "name=x"), start(a, "name=x"), stop(b, "name=x"), stop(b, "name=x")}, "", model.SpanCounts{Ambiguous: 2}},
		{"nested", []mark{start(a, ""), start(a, ""), stop(a, ""), stop(a, "")}, "Work 0-3 nesting, Work 1-2 nesting", model.SpanCounts{}},
		{"on another thread without a key", []mark{start(a, ""), stop(b, "")}, "", model.SpanCounts{Ambiguous: 1}},
		{"a chain that moves", []mark{start(a, ""), stop(b, ""), start(b, ""), stop(a, ""), start(a, ""), stop(b, "")}, "", model.SpanCounts{Ambiguous: 3}},
		{"an abandoned one in a loop", []mark{start(a, ""), start(a, ""), stop(a, ""), start(a, ""), stop(a, "")}, "Work 1-2 nesting, Work 3-4 nesting", model.SpanCounts{Unfinished: 1}},
		{"began before", []mark{stop(a, "name=x"), start(a, "name=y"), stop(a, "name=y"), start(b, "name=z")},
			"Work y 1-2 key", model.SpanCounts{BeganBefore: 1, Unfinished: 1}},
		{"began before, of one name", []mark{start(a, "name=x"), stop(b, "name=x"), stop(a, "name=x")}, "Work x 0-2 nesting", model.SpanCounts{BeganBefore: 1}},
		{"interleaved on one thread, from different places", []mark{
			at(start(a, ""), 1, 2, 3, 4, 5, 9), at(start(a, ""), 1, 2, 3, 4, 5, 9), at(stop(a, ""), 1, 8), at(stop(a, ""), 1, 8),
		}, "", model.SpanCounts{Ambiguous: 2}},
		{"a loss", []mark{start(a, ""), lost(stop(a, "")), start(a, ""), stop(a, "")}, "Work 2-3 nesting", model.SpanCounts{BeganBefore: 1, Unfinished: 1}},
		{"a loss and ids", []mark{start(a, "id=1"), lost(stop(b, "id=1")), start(a, "id=2"), stop(b, "id=2")}, "Work 0-1 key, Work 2-3 key", model.SpanCounts{}},
		{"other names with opcodes", []mark{{event: "BeginExecute", thread: a, opcode: 1}, {event: "EndExecute", thread: a, opcode: 2}}, "Execute 0-1 nesting", model.SpanCounts{}},
		{"suffixes without opcodes", []mark{{event: "WorkStart", thread: a}, {event: "WorkStop", thread: a}}, "Work 0-1 nesting", model.SpanCounts{}},
		{"a DiagnosticSource", []mark{
			{event: clr.DiagnosticsProvider + "/Activity+", thread: a, fields: "SourceName=Shop ActivityName=Query SpanId=7"},
			{event: clr.DiagnosticsProvider + "/Activity-", thread: b, fields: "SourceName=Shop ActivityName=Query SpanId=7"},
		}, "Shop/Query 0-1 key", model.SpanCounts{}},
	} {
		have, counts := spansOf(t, c.marks...)
		expect.Equal(t, c.name, have, c.want)
		expect.Equal(t, c.name+": counts", counts, c.count)
	}
}

// TestSpansOfKestrel: the requests of Kestrel are joined exactly as its request ids say, whatever the
// threads and activity ids.
func TestSpansOfKestrel(t *testing.T) {
	for _, name := range []string{"aspnet10-attach", "aspnet10-requests", "aspnet11-requests", "aspnet10-logging", "aspnet11-load"} {
		var s spans
		starts, want := map[string]uint64{}, map[[2]uint64]bool{}
		ids := &watch{handlers: map[clr.Kind]model.Handler{
			clr.KindKestrelRequestStart: func(ev *codec.Event) { starts[string(clr.KestrelRequestStart(ev).RequestID())] = ev.Timestamp },
			clr.KindKestrelRequestStop: func(ev *codec.Event) {
				if begin, ok := starts[string(clr.KestrelRequestStop(ev).RequestID())]; ok {
					want[[2]uint64{begin, ev.Timestamp}] = true
				}
			},
		}}
		r := codec.NewReader(bytes.NewReader(shared.File(t, "aspnet/"+name+".v4.nettrace.zst")), codec.Options{Order: codec.ByTime})
		trace, err := model.Read(t.Context(), r, model.Options{Consumers: []model.Consumer{&s, ids}, Limits: model.LargeLimits()})
		expect.NoError(t, err)
		found := 0
		for _, one := range s.all.Of(trace.Processes()[0]) {
			if one.Provider != clr.KestrelProvider || one.Name != "Request" {
				continue
			}
			found++
			if !want[[2]uint64{one.Start.Ticks, one.Stop.Ticks}] {
				t.Errorf("%s: a request from %d to %d", name, one.Start.Ticks, one.Stop.Ticks)
			}
		}
		expect.Equal(t, name+": requests", found, len(want))
	}
}

// watch handles events of some kinds.
type watch struct{ handlers map[clr.Kind]model.Handler }

func (w *watch) Begin(*model.Trace)                      {}
func (w *watch) Handler(m *codec.Metadata) model.Handler { return w.handlers[clr.KindOf(m)] }
func (w *watch) Lost(model.Thread)                       {}
