package rows

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// whole are lines with every key.
const whole = `{"type":"trace","format":"6.2","pointerSize":4,"syncTime":"2026-11-21T02:00:14.171Z","syncTicks":"-1","tickFrequency":"1000","properties":{"b":"1","a":"2","b#2":"3"}}
{"type":"metadata","id":4294967295,"provider":"P","guid":"00112233-4455-6677-8899-aabbccddeeff","eventId":10,"name":"E","version":1,"level":4,"opcode":0,"keywords":"0x8000000000000000","message":"m","description":"d","attributes":[["k","v"],["k",""]],"fields":[{"name":"a","type":"FixedLengthArray","count":3,"element":{"type":"Object","fields":[{"name":"x","type":"Decimal(15)"}]}},{"name":"b","type":"Boolean8"}]}
{"type":"thread","index":"9223372036854775808","process":"0","thread":"3372","name":"main","attributes":[["k","v"]]}
{"type":"lost","captureThread":"1","count":"1"}
{"type":"event","provider":"P","id":10,"version":1,"level":4,"opcode":0,"keywords":"0x1","time":"7","thread":"9","captureThread":"9","threadIndex":"1","captureThreadIndex":"2","processor":0,"sequence":12,"stack":["0xffffffffffffffff"],"activity":"00112233-4455-6677-8899-aabbccddeeff","labels":[{"activity":"00112233-4455-6677-8899-aabbccddeeff"},{"relatedActivity":"00112233-4455-6677-8899-aabbccddeeff"},{"traceId":"0102030405060708090a0b0c0d0e0f10"},{"spanId":"0102030405060708"},{"key":"k","value":""},{"key":"n","number":"-4"},{"opcode":0},{"keywords":"0x10"},{"level":5},{"version":2}],"payload":"00ff","fields":{"a":[]},"metadata":4294967295,"sorted":true}
{"type":"removeThread","index":"1","sequence":17}
{"type":"sequencePoint","time":"305","flags":3,"threads":[["1",17],["2",0]]}
{"type":"flush"}
{"type":"end","events":1,"lost":"1","truncated":false}
`

func TestParse(t *testing.T) {
	got, err := Parse([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	guid := wire.GUID{0x33, 0x22, 0x11, 0, 0x55, 0x44, 0x77, 0x66, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF}
	object := &codec.Type{Code: wire.Object, Fields: []codec.Field{{Name: "x", Type: codec.Type{Code: wire.Decimal}}}}
	want := []Line{
		{Trace: &codec.Trace{Format: wire.Format{Major: 6, Minor: 2}, PointerSize: 4, SyncTime: time.Date(2026, 11, 21, 2, 0, 14, 171e6, time.UTC),
			SyncTicks: 1<<64 - 1, TickFrequency: 1000, Properties: []codec.KeyValue{{Key: "b", Value: "1"}, {Key: "a", Value: "2"}, {Key: "b#2", Value: "3"}}}},
		{Metadata: &codec.Metadata{ID: 1<<32 - 1, Provider: "P", ProviderGUID: guid, EventID: 10, Name: "E", Version: 1, Level: 4, OpcodeSet: true,
			Keywords: 1 << 63, Message: "m", Description: "d", Attributes: []codec.KeyValue{{Key: "k", Value: "v"}, {Key: "k"}},
			Fields: []codec.Field{{Name: "a", Type: codec.Type{Code: wire.FixedLengthArray, Count: 3, Element: object}},
				{Name: "b", Type: codec.Type{Code: wire.Boolean8}}}}},
		{Thread: &codec.Thread{Index: 1 << 63, HasProcessID: true, ThreadID: 3372, HasThreadID: true, Name: "main",
			Attributes: []codec.KeyValue{{Key: "k", Value: "v"}}}},
		{Event: &codec.Record{MetadataID: 1<<32 - 1, Timestamp: 7, Thread: 1, CaptureThread: 2, Sequence: 12, Stack: []uint64{1<<64 - 1},
			Payload: []byte{0, 0xFF}, Sorted: true, Labels: []codec.Label{
				{Kind: wire.LabelActivityID, GUID: guid}, {Kind: wire.LabelRelatedActivityID, GUID: guid},
				{Kind: wire.LabelTraceID, GUID: wire.GUID{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}},
				{Kind: wire.LabelSpanID, Number: 0x0807060504030201}, {Kind: wire.LabelKeyString, Key: "k"},
				{Kind: wire.LabelKeyNumber, Key: "n", Number: 1<<64 - 4}, {Kind: wire.LabelOpcode}, {Kind: wire.LabelKeywords, Number: 16},
				{Kind: wire.LabelLevel, Number: 5}, {Kind: wire.LabelVersion, Number: 2}}}},
		{Removed: &codec.ThreadSequence{Thread: 1, Sequence: 17}},
		{Point: &codec.SequencePoint{Timestamp: 305, Flags: 3, Threads: []codec.ThreadSequence{{Thread: 1, Sequence: 17}, {Thread: 2}}}},
		{Flush: true},
	}
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d", len(got), len(want))
	}
	for i := range want {
		t.Run(fmt.Sprintf("i=%v", i), func(t *testing.T) {
			if !reflect.DeepEqual(got[i], want[i]) {
				t.Errorf("line %d:\n got %+v\nwant %+v", i, got[i], want[i])
			}
		})
	}
}

// TestParseV4: threads are those of the operating system, and activity ids no
// labels.
func TestParseV4(t *testing.T) {
	got, err := Parse([]byte(`{"type":"trace","format":"4","pointerSize":8,"syncTicks":"0","tickFrequency":"1","properties":{}}
{"type":"event","time":"7","thread":"9","captureThread":"8","activity":"00000001-0000-0000-0000-000000000000","relatedActivity":"00000002-0000-0000-0000-000000000000","metadata":1}`))
	want := &codec.Record{MetadataID: 1, Timestamp: 7, Thread: 9, CaptureThread: 8, Processor: wire.UnknownProcessor,
		Activity: wire.GUID{1}, Related: wire.GUID{2}, Payload: []byte{}}
	expect.NoError(t, err)
	expect.Len(t, "result", got, 2)
	if !reflect.DeepEqual(got[1].Event, want) {
		t.Errorf("got[1].Event: got %v, want %v", got[1].Event, want)
	}
}

func TestParseErrors(t *testing.T) {
	for _, text := range []string{
		`{"type":"trace","format":"six"}`, `{"type":"trace","format":"4","syncTime":"today"}`, `{"type":"trace","format":"4","properties":{"a":1}}`,
		`{"type":"metadata","id":"1"}`, `{"type":"metadata","id":1,"guid":"00"}`, `{"type":"metadata","id":1,"keywords":7}`,
		`{"type":"metadata","id":1,"fields":[{"name":"a","type":"Int33"}]}`, `{"type":"metadata","id":1,"fields":[{"name":"a","type":"Array","element":{"type":"?"}}]}`,
		`{"type":"event","time":7}`, `{"type":"event","payload":"0"}`, `{"type":"event","activity":"x"}`,
		`{"type":"sequencePoint","threads":[[1,1]]}`, `{"type":"row"}`, `{}`, `[]`, `{"type":"flush"`,
	} {
		t.Run(text, func(t *testing.T) {
			if _, err := Parse([]byte(text)); err == nil {
				t.Error("no error")
			}
		})
	}
	for _, label := range []string{`{}`, `{"key":"k"}`, `{"key":"k","number":"x"}`, `{"traceId":"00"}`, `{"spanId":"0x1"}`, `{"activity":"1"}`} {
		t.Run(label, func(t *testing.T) {
			text := `{"type":"trace","format":"6.0"}{"type":"event","labels":[` + label + `]}`
			if _, err := Parse([]byte(text)); err == nil {
				t.Error("no error")
			}
		})
	}
}

// TestWriteUnsupported: a line that the version cannot express and a malformed
// line return different errors.
func TestWriteUnsupported(t *testing.T) {
	head := func(major, minor uint32) Line {
		return Line{Trace: &codec.Trace{Format: wire.Format{Major: major, Minor: minor}, PointerSize: 8, TickFrequency: 1000}}
	}
	varint := Line{Metadata: &codec.Metadata{ID: 1, Provider: "P", Fields: []codec.Field{{Name: "a", Type: codec.Type{Code: wire.VarInt}}}}}
	for name, c := range map[string]struct {
		lines       []Line
		unsupported bool
	}{
		"version 3":     {[]Line{head(3, 0)}, true},
		"minor version": {[]Line{head(6, 1)}, true},
		"VarInt in v4":  {[]Line{head(4, 0), varint}, true},
		"second head":   {[]Line{head(6, 0), head(6, 0)}, true},
		"no head":       {[]Line{varint}, false},
		"nothing":       {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Write(&b, c.lines); err == nil || errors.Is(err, ErrUnsupported) != c.unsupported {
				t.Error(err)
			}
		})
	}
}
