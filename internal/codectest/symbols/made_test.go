package symbols_test

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
)

const (
	runtime   = "Microsoft-Windows-DotNETRuntime"
	rundown   = "Microsoft-Windows-DotNETRuntimeRundown"
	universal = "Universal.System"

	// Ids of method events.
	methodLoad, methodUnload               = 141, 142
	methodLoadVerbose, methodUnloadVerbose = 143, 144
	entryPoint                             = 159
)

// trace makes a trace whose events name addresses.
type trace struct {
	*gen.Builder
	types   map[eventType]uint32
	threads map[uint64]uint64 // of processes (v6)
}

type eventType struct {
	provider string
	id       uint32
}

func newTrace(format wire.Format) *trace {
	head := codec.Trace{
		Format: format, SyncTime: time.Date(2026, 11, 21, 2, 0, 0, 0, time.UTC), TickFrequency: 1e9, PointerSize: 8,
		Properties: []codec.KeyValue{{Key: "ProcessId", Value: "7"}, {Key: "HardwareThreadCount", Value: "2"}, {Key: "ExpectedCPUSamplingRate", Value: "1000000"}},
	}
	if format == wire.V6 {
		head.Properties = head.Properties[1:]
	}
	return &trace{gen.NewBuilder(gen.BuilderOptions{Format: format, Trace: head}), map[eventType]uint32{}, map[uint64]uint64{}}
}

// event adds an event of the trace's only process.
func (t *trace) event(ticks uint64, provider string, id uint32, payload []byte, stack ...uint64) {
	t.eventOf(0, ticks, provider, id, payload, stack...)
}

// eventOf adds an event of a process (v6).
func (t *trace) eventOf(process, ticks uint64, provider string, id uint32, payload []byte, stack ...uint64) {
	typ := eventType{provider, id}
	if t.types[typ] == 0 {
		m := &codec.Metadata{Provider: provider, EventID: id, Version: 1}
		if provider == "Universal.Events" {
			m.Name = "cpu"
		}
		t.types[typ] = t.Metadata(m)
	}
	row := codec.EventRow{MetadataID: t.types[typ], Timestamp: ticks, ThreadIndex: 70 + process, CaptureThreadIndex: 70 + process, Payload: payload, Sorted: true}
	if len(stack) > 0 {
		row.StackID = t.Stack(stack)
	}
	if process != 0 && t.threads[process] == 0 {
		t.threads[process] = 70 + process
		t.Thread(&codec.Thread{Index: 70 + process, ProcessID: process, ThreadID: 100 * process, HasProcessID: true, HasThreadID: true})
	}
	t.Event(&row)
}

func (t *trace) stream() []byte {
	t.Flush()
	var b bytes.Buffer
	if _, err := t.Trace().WriteTo(&b); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// read fills a Table with the complete trace.
func (t *trace) read(tb testing.TB) *symbols.Table {
	tb.Helper()
	return readTable(tb, t.stream(), symbols.Options{})
}

// readTable fills a Table with the events of a stream. A Table that gets them by a Batch must
// count the same faults.
func readTable(tb testing.TB, stream []byte, opt symbols.Options) *symbols.Table {
	tb.Helper()
	table, other := symbols.NewTable(opt), symbols.NewTable(opt)
	var batch symbols.Batch
	for e, err := range codec.NewBytesReader(stream, generous).Events() {
		if err != nil {
			tb.Fatal(err)
		}
		table.Add(e)
		if batch.Add(e) {
			other.AddNext(&batch)
		}
		for _, a := range e.Stack() {
			table.AddWanted(symbols.Process(e), a)
			other.AddWanted(symbols.Process(e), a)
		}
	}
	if table.Malformed() != other.Malformed() || table.Dropped() != other.Dropped() {
		tb.Errorf("by a Batch %d are malformed and %d dropped, want %d and %d", other.Malformed(), other.Dropped(), table.Malformed(), table.Dropped())
	}
	return table
}

// method is the payload of an event about a method.
type method struct {
	id, module, start uint64
	size              uint32
	namespace, name   string
	signature         string
}

func (m method) range_() []byte {
	le := binary.LittleEndian
	b := le.AppendUint64(le.AppendUint64(le.AppendUint64(nil, m.id), m.module), m.start)
	return append(le.AppendUint32(b, m.size), make([]byte, 8)...)
}

// plain is the payload of 141 and 142, verbose that of 143 and 144.
func (m method) plain() []byte { return append(m.range_(), 0, 0) }

func (m method) verbose() []byte {
	b := wire.AppendUTF16Z(m.range_(), m.namespace)
	return append(wire.AppendUTF16Z(wire.AppendUTF16Z(b, m.name), m.signature), 0, 0)
}

// entry is the payload of 159.
func (m method) entry() []byte {
	b := binary.LittleEndian.AppendUint64(nil, m.id)
	b = wire.AppendUTF16Z(wire.AppendUTF16Z(wire.AppendUTF16Z(b, m.namespace), m.name), m.signature)
	return append(binary.LittleEndian.AppendUint64(b, m.start), 0, 0)
}

// details is the payload of 72.
func details(id, module uint64, parameters uint32) []byte {
	b := append(binary.LittleEndian.AppendUint64(nil, id), make([]byte, 12)...)
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(b, parameters), module)
}

// module is the payload of 152 and of the rundown's 154.
func module(id uint64, path string) []byte {
	le := binary.LittleEndian
	b := append(le.AppendUint64(le.AppendUint64(nil, id), id+1), make([]byte, 8)...)
	return append(wire.AppendUTF16Z(wire.AppendUTF16Z(b, path), ""), 0, 0)
}

// fields is a payload of Universal.System: numbers and texts.
func fields(values ...any) []byte {
	var b []byte
	for _, v := range values {
		switch v := v.(type) {
		case int:
			b = wire.AppendVarUint(b, uint64(v))
		case string:
			b = append(binary.LittleEndian.AppendUint16(b, uint16(len(v))), v...)
		}
	}
	return b
}

// question is an address at a time, with the expected answer.
type question struct {
	process, address, ticks uint64
	want                    string
	evidence                symbols.Evidence
}

// ask looks up the questions one by one, and by time.
func ask(tb testing.TB, table *symbols.Table, questions ...question) {
	tb.Helper()
	for _, q := range questions {
		f := table.Lookup(symbols.Query{Process: q.process, Address: q.address, Ticks: q.ticks})
		if f.RawName() != q.want || f.Evidence != q.evidence {
			tb.Errorf("%#x at %d: %s by %v, want %s by %v", q.address, q.ticks, f.RawName(), f.Evidence, q.want, q.evidence)
		}
		spans := table.Timeline(q.process, q.address)
		for i, s := range spans {
			if s.From <= q.ticks && q.ticks < s.To && s.Frame.Symbol != f.Symbol {
				tb.Errorf("%#x at %d: Timeline has %s", q.address, q.ticks, s.Frame.RawName())
			}
			if i > 0 && spans[i-1].To != s.From {
				tb.Errorf("%#x: a hole in %v", q.address, spans)
			}
		}
		if spans[0].From != 0 || spans[len(spans)-1].To != 1<<64-1 {
			tb.Errorf("%#x: %v is not all time", q.address, spans)
		}
	}
}
