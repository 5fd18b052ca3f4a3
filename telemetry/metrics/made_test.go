package metrics_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/telemetry/metrics"
)

// value is one value of an EventCounter. An increment if sum is set, otherwise a mean.
type value struct {
	source, name string
	sum          bool
	x            float64
	count        int // measurements of a mean
}

func inc(name string, x float64) value  { return value{"System.Runtime", name, true, x, 0} }
func mean(name string, x float64) value { return value{"System.Runtime", name, false, x, 1} }

// made is a trace of rounds, with a second between them. A value of no source is an event that was lost.
func made(t testing.TB, rounds ...[]value) []byte {
	t.Helper()
	var out bytes.Buffer
	w := codec.NewWriter(&out, codec.WriterOptions{Format: wire.V4, PassOn: true, Trace: codec.Trace{
		SyncTime: time.Date(2026, 11, 29, 8, 0, 0, 0, time.UTC), TickFrequency: 1e9, PointerSize: 8,
	}})
	sequence := uint32(0)
	for i, round := range rounds {
		for j, v := range round {
			sequence++
			if v.source == "" {
				continue
			}
			id, err := w.DefineMetadata(metadata(v))
			expect.NoError(t, err)
			expect.NoError(t, w.Write(&codec.Record{MetadataID: id, Timestamp: uint64(i+1)*1e9 + uint64(j)*1e3, Sequence: sequence,
				Thread: 7, CaptureThread: 7, Processor: wire.UnknownProcessor, Payload: v.payload()}))
		}
	}
	expect.NoError(t, w.Close())
	return out.Bytes()
}

var (
	text   = codec.Type{Code: wire.NullTerminatedUTF16String}
	double = codec.Type{Code: wire.Double}
)

// metadata is the row of an EventSource's counters.
func metadata(v value) *codec.Metadata {
	members := []codec.Field{{Name: "Name", Type: text}}
	id := uint32(1)
	if v.sum {
		members = append(members, codec.Field{Name: "Increment", Type: double})
	} else {
		id = 2
		members = append(members, codec.Field{Name: "Mean", Type: double}, codec.Field{Name: "Count", Type: codec.Type{Code: wire.Int32}},
			codec.Field{Name: "Min", Type: double}, codec.Field{Name: "Max", Type: double})
	}
	members = append(members, codec.Field{Name: "Series", Type: text})
	inner := codec.Field{Name: "Payload", Type: codec.Type{Code: wire.Object, Fields: members}}
	return &codec.Metadata{Provider: v.source, EventID: id, Name: "EventCounters", Fields: []codec.Field{
		{Type: codec.Type{Code: wire.Object, Fields: []codec.Field{inner}}},
	}}
}

func (v *value) payload() (b []byte) {
	add := func(s string) {
		for _, unit := range append(utf16.Encode([]rune(s)), 0) {
			b = binary.LittleEndian.AppendUint16(b, unit)
		}
	}
	add(v.name)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v.x))
	if !v.sum {
		b = binary.LittleEndian.AppendUint32(b, uint32(v.count))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v.x/2))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v.x*2))
	}
	add("Interval=1000")
	return b
}

// read passes a trace to a decoder.
func read(t testing.TB, d *metrics.Decoder, trace []byte, yield func(*metrics.Round)) {
	t.Helper()
	for e, err := range codec.NewBytesReader(trace, codec.Options{OnLost: d.Lost}).Events() {
		expect.NoError(t, err)
		d.Decode(e, yield)
	}
	d.Flush(yield)
}

// conversation is the stream of the session of a recorded tool.
func conversation(t testing.TB, name string) []byte {
	t.Helper()
	data := shared.File(t, "replay/conversations/"+name+".conv.bin.zst")
	var stream []byte
	for line := range bytes.Lines(shared.File(t, "replay/conversations/"+name+".conv.ndjson.zst")) {
		var l struct {
			Conn *int
			Dir  string
			Hex  string
			Off  int
			Len  int
		}
		expect.NoError(t, json.Unmarshal(line, &l))
		part, err := hex.DecodeString(l.Hex)
		expect.NoError(t, err)
		if l.Len > 0 {
			part = data[l.Off : l.Off+l.Len]
		}
		if at := bytes.Index(part, []byte("Nettrace")); len(stream) == 0 && at >= 0 {
			stream = append(stream, part[at:]...)
			continue
		}
		if len(stream) > 0 && l.Conn != nil && *l.Conn == 0 && l.Dir == "r2c" {
			stream = append(stream, part...)
		}
	}
	return stream
}
