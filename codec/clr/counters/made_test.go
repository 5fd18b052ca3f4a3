package counters_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// event is an event to write: its id and version among those of
// System.Diagnostics.Metrics, or its metadata, and its payload.
type event struct {
	id, version uint32
	metadata    *codec.Metadata
	payload     []byte
}

// meter is an event of System.Diagnostics.Metrics.
func meter(id, version uint32, values ...any) event {
	return event{id: id, version: version, payload: payload(values...)}
}

// payload is the values as an EventSource writes them.
func payload(values ...any) (b []byte) {
	for _, v := range values {
		switch v := v.(type) {
		case string:
			for _, unit := range append(utf16.Encode([]rune(v)), 0) {
				b = binary.LittleEndian.AppendUint16(b, unit)
			}
		case time.Time:
			b = binary.LittleEndian.AppendUint64(b, uint64(v.Unix()+11644473600)*1e7+uint64(v.Nanosecond()/100))
		case int:
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		case int64:
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		case float32:
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		case float64:
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	return b
}

// made is a trace of the events, with a second between them.
func made(t testing.TB, events ...event) []byte {
	t.Helper()
	var out bytes.Buffer
	w := codec.NewWriter(&out, codec.WriterOptions{Format: wire.V4, PassOn: true, Trace: codec.Trace{
		SyncTime: time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC), TickFrequency: 1e9, PointerSize: 8,
	}})
	for i, e := range events {
		m := e.metadata
		if m == nil {
			m = metersMetadata(t, e.id, e.version)
		}
		id, err := w.DefineMetadata(m)
		if err != nil {
			t.Fatal(err)
		}
		err = w.Write(&codec.Record{
			MetadataID: id, Timestamp: uint64(i+1) * 1e9, Thread: 7, CaptureThread: 7, Processor: wire.UnknownProcessor, Payload: e.payload,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// layouts are the fields of the newest version of each event: s text, i and l
// integers, d a double, t a time. Fields after a bar came with later versions.
var layouts = map[uint32]string{
	1:  "s:Message",
	2:  "s:sessionId t:intervalStartTime t:intervalEndTime",
	3:  "s:sessionId t:intervalStartTime t:intervalEndTime",
	4:  value + "s:rate | s:value | i:instrumentId",
	5:  value + "s:lastValue | | i:instrumentId",
	6:  value + "s:quantiles | i:count d:sum | i:instrumentId",
	7:  instrument,
	8:  instrument,
	9:  "s:sessionId s:errorMessage",
	10: "s:sessionId",
	11: instrument,
	12: "s:sessionId",
	13: "s:sessionId",
	14: "s:sessionId s:errorMessage",
	15: "s:runningSessionId",
	16: value + "s:rate | s:value | i:instrumentId",
	17: "s:clientId s:expectedMaxHistograms s:actualMaxHistograms s:expectedMaxTimeSeries s:actualMaxTimeSeries " +
		"s:expectedRefreshInterval s:actualRefreshInterval",
	18: "i:Major i:Minor i:Patch",
	19: "s:sessionId s:meterName s:meterVersion s:instrumentName i:instrumentId s:unit s:tags " +
		"i:scale d:sum l:count l:zeroCount d:minimum d:maximum s:buckets",
}

const (
	value      = "s:sessionId s:meterName s:meterVersion s:instrumentName s:unit s:tags "
	instrument = "s:sessionId s:meterName s:meterVersion s:instrumentName s:instrumentType s:unit s:description " +
		"| s:instrumentTags s:meterTags s:meterScopeHash | i:instrumentId | s:meterTelemetrySchemaUrl"
)

// metersMetadata describes a version of an event of System.Diagnostics.Metrics.
func metersMetadata(t testing.TB, id, version uint32) *codec.Metadata {
	t.Helper()
	m := &codec.Metadata{Provider: counters.MetersProvider, EventID: id, Version: version, Name: "E" + strconv.Itoa(int(id)), Level: 4}
	parts := strings.Split(layouts[id], "|")
	if layouts[id] == "" {
		t.Fatalf("no event %d", id)
	}
	for _, word := range strings.Fields(strings.Join(parts[:min(len(parts), int(version)+1)], " ")) {
		m.Fields = append(m.Fields, codec.Field{Name: word[2:], Type: codec.Type{Code: codes[word[0]]}})
	}
	return m
}

var codes = map[byte]wire.TypeCode{
	's': wire.NullTerminatedUTF16String, 'i': wire.Int32, 'l': wire.Int64, 'd': wire.Double, 'f': wire.Single, 't': wire.DateTime,
}

// decode reads all messages of a trace, and the errors.
func decode(t testing.TB, stream []byte) (messages []counters.Message, errs []error) {
	t.Helper()
	var d counters.Decoder
	r := codec.NewBytesReader(stream, codec.Options{})
	for e, err := range r.Events() {
		if err != nil {
			t.Fatal(err)
		}
		m, err := d.Decode(e)
		if err != nil {
			errs = append(errs, err)
		}
		if m.Kind != counters.None {
			messages = append(messages, m)
		}
	}
	return messages, errs
}
