package counters_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/counters"
	"github.com/nettrace-go/nettrace/codec"
	clrcounters "github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
)

// maker makes a trace of counters.
type maker struct {
	*tracetest.Trace
	types  map[string]uint32
	thread uint64
}

func newMaker(format wire.Format) *maker {
	return &maker{Trace: tracetest.New(format), types: map[string]uint32{}, thread: 1}
}

const second = 1_000_000 // ticks of the trace

// codes are the types of fields: s text, i and l integers, d a double, t a time.
var codes = map[byte]wire.TypeCode{
	's': wire.NullTerminatedUTF16String, 'i': wire.Int32, 'l': wire.Int64, 'd': wire.Double, 'f': wire.Single, 't': wire.DateTime,
}

// fields returns the fields of a layout: types and names.
func fields(layout string) []codec.Field {
	var list []codec.Field
	for _, word := range strings.Fields(layout) {
		list = append(list, codec.Field{Name: word[2:], Type: codec.Type{Code: codes[word[0]]}})
	}
	return list
}

// pack makes a payload.
func pack(values ...any) (b []byte) {
	for _, v := range values {
		switch v := v.(type) {
		case string:
			for _, unit := range append(utf16.Encode([]rune(v)), 0) {
				b = binary.LittleEndian.AppendUint16(b, unit)
			}
		case float64:
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		default:
			b = append(b, tracetest.Pack(v)...)
		}
	}
	return b
}

// add adds an event.
func (m *maker) add(at uint64, meta *codec.Metadata, payload []byte) {
	key := fmt.Sprint(meta.Provider, meta.EventID, meta.Name)
	if m.types[key] == 0 {
		m.types[key] = m.Metadata(meta)
	}
	m.Now = at
	m.Event(&codec.EventRow{
		MetadataID: m.types[key], CaptureThreadIndex: m.thread, ThreadIndex: m.thread, Timestamp: at, Processor: wire.UnknownProcessor, Payload: payload,
	})
}

// counter adds a value of an EventCounter.
func (m *maker) counter(at uint64, provider, layout string, values ...any) {
	inner := codec.Field{Name: "Payload", Type: codec.Type{Code: wire.Object, Fields: fields(layout)}}
	m.add(at, &codec.Metadata{
		Provider: provider, EventID: uint32(len(layout)), Name: "EventCounters", Level: 4,
		Fields: []codec.Field{{Type: codec.Type{Code: wire.Object, Fields: []codec.Field{inner}}}},
	}, pack(values...))
}

// mean adds a value of a counter that shows a level.
func (m *maker) mean(at uint64, provider, name string, value float64) {
	m.counter(at, provider, "s:Name d:Mean s:Series s:CounterType", name, value, "Interval=1000", "Mean")
}

// sum adds a value of a counter that only increases.
func (m *maker) sum(at uint64, provider, name string, value float64) {
	m.counter(at, provider, "s:Name d:Increment s:Series s:CounterType", name, value, "Interval=1000", "Sum")
}

// meter adds an event of the Meters.
func (m *maker) meter(at uint64, id uint32, layout string, values ...any) {
	m.add(at, &codec.Metadata{
		Provider: clrcounters.MetersProvider, EventID: id, Name: fmt.Sprint("E", id), Level: 4, Fields: fields(layout),
	}, pack(values...))
}

// Layouts of events of the Meters.
const (
	ofValue      = "s:sessionId s:meterName s:meterVersion s:instrumentName s:unit s:tags "
	ofInstrument = "s:sessionId s:meterName s:meterVersion s:instrumentName s:instrumentType s:unit s:description " +
		"s:instrumentTags s:meterTags s:meterScopeHash i:instrumentId"
)

// interval adds the start of an interval of a second.
func (m *maker) interval(at uint64) {
	const start = 132_000_000_000_000_000 // of 100 ns
	m.meter(at, 2, "s:sessionId t:intervalStartTime t:intervalEndTime", "S", int64(start), int64(start+10_000_000))
}

// rate adds a value of a Counter or an UpDownCounter, by the id of its event.
func (m *maker) rate(at uint64, id uint32, meter, name, tags, rate, value string) {
	m.meter(at, id, ofValue+"s:rate s:value i:instrumentId", "S", meter, "", name, "", tags, rate, value, int32(0))
}

// reports returns the reports of the trace.
func (m *maker) reports(t *testing.T, limits analysis.Limits) []analysis.Report {
	t.Helper()
	part := counters.New()
	r := codec.NewBytesReader(m.Bytes(), codec.Options{Order: codec.ByTime})
	tr, err := analysis.Read(t.Context(), r, analysis.Options{Parts: []analysis.Part{part}, Limits: limits})
	expect.NoError(t, err)
	return rules.Saw(part.Reports(tr))
}

// row returns the only row of the trace.
func (m *maker) row(t *testing.T) counters.Row {
	t.Helper()
	rows := m.reports(t, analysis.Limits{})[0].Rows.([]counters.Row)
	expect.Len(t, "rows", rows, 1)
	return rows[0]
}
