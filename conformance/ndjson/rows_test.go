package ndjson

import (
	"bytes"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// fieldsOfEveryShape nests all types that can be nested.
func fieldsOfEveryShape() []codec.Field {
	inner := []codec.Field{{Name: "x", Type: codec.Type{Code: wire.Byte}}}
	return []codec.Field{
		{Name: "a", Type: codec.Type{Code: wire.Int32}},
		{Name: "s", Type: codec.Type{Code: wire.Array, Element: &codec.Type{Code: wire.UTF8CodeUnit}}},
		{Name: "f", Type: codec.Type{Code: wire.FixedLengthArray, Count: 3, Element: &codec.Type{Code: wire.Object, Fields: inner}}},
		{Name: "o", Type: codec.Type{Code: wire.Object, Fields: inner}},
		{Name: "d", Type: codec.Type{Code: wire.Decimal}},
	}
}

func TestRowLines(t *testing.T) {
	guid := wire.GUID{3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15}
	pairs := []codec.KeyValue{{Key: "k", Value: "v"}, {Key: "k", Value: `"`}}
	for _, c := range []struct {
		name  string
		block codec.Block
		want  string
	}{
		{"metadata-least", codec.Block{Metadata: []codec.MetadataRow{{Metadata: &codec.Metadata{ID: 1, Provider: "P"}}}},
			`{"type":"metadata","id":1,"provider":"P","eventId":0,"version":0,"level":0,"keywords":"0x0"}`},
		{"metadata-whole", codec.Block{Metadata: []codec.MetadataRow{{Metadata: &codec.Metadata{
			ID: 4294967295, Provider: "P", ProviderGUID: guid, EventID: 10, Name: "E", Keywords: 1 << 63, Version: 2, Level: 4,
			Opcode: 0, OpcodeSet: true, Message: "m", Description: "d", Attributes: pairs, Fields: fieldsOfEveryShape()}}}},
			`{"type":"metadata","id":4294967295,"provider":"P","guid":"00010203-0405-0607-0809-0a0b0c0d0e0f","eventId":10,"name":"E",` +
				`"version":2,"level":4,"opcode":0,"keywords":"0x8000000000000000","message":"m","description":"d",` +
				`"attributes":[["k","v"],["k","\""]],"fields":[{"name":"a","type":"Int32"},` +
				`{"name":"s","type":"Array","element":{"type":"UTF8CodeUnit"}},` +
				`{"name":"f","type":"FixedLengthArray","count":3,"element":{"type":"Object","fields":[{"name":"x","type":"Byte"}]}},` +
				`{"name":"o","type":"Object","fields":[{"name":"x","type":"Byte"}]},{"name":"d","type":"Decimal(15)"}]}`},
		{"thread-least", codec.Block{Threads: []*codec.Thread{{Index: 1 << 63}}},
			`{"type":"thread","index":"9223372036854775808"}`},
		{"thread-whole", codec.Block{Threads: []*codec.Thread{{Index: 1, Name: "main", ProcessID: 0, HasProcessID: true,
			ThreadID: 3372, HasThreadID: true, Attributes: pairs[:1]}}},
			`{"type":"thread","index":"1","process":"0","thread":"3372","name":"main","attributes":[["k","v"]]}`},
		{"remove-thread", codec.Block{Removed: []codec.ThreadSequence{{Thread: 1, Sequence: 17}}},
			`{"type":"removeThread","index":"1","sequence":17}`},
		{"sequence-point-empty", codec.Block{Kind: wire.KindSequencePoint},
			`{"type":"sequencePoint","time":"0","flags":0,"threads":[]}`},
		{"sequence-point", codec.Block{Kind: wire.KindSequencePoint, SequencePoint: codec.SequencePoint{
			Timestamp: 305, Flags: 3, Threads: []codec.ThreadSequence{{Thread: 1, Sequence: 17}, {Thread: 2, Sequence: 0}}}},
			`{"type":"sequencePoint","time":"305","flags":3,"threads":[["1",17],["2",0]]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			w := NewWriter(&out, Options{Rows: true})
			c.block.Offset = 20
			for range 2 { // rows written once are not written again
				if err := w.Rows(&c.block); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Flush(); err != nil || out.String() != c.want+"\n" {
				t.Errorf("%v\n got %s want %s\n", err, out.String(), c.want)
			}
		})
	}
}

func TestLabels(t *testing.T) {
	guid := wire.GUID{3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15}
	got := string(appendLabels(nil, []codec.Label{
		{Kind: wire.LabelActivityID, GUID: guid}, {Kind: wire.LabelRelatedActivityID, GUID: guid},
		{Kind: wire.LabelTraceID, GUID: guid}, {Kind: wire.LabelSpanID, Number: 0x0807060504030201},
		{Kind: wire.LabelKeyString, Key: "k", Value: "v"}, {Kind: wire.LabelKeyNumber, Key: "n", Number: 1<<64 - 4},
		{Kind: wire.LabelOpcode, Number: 255}, {Kind: wire.LabelKeywords, Number: 16},
		{Kind: wire.LabelLevel, Number: 5}, {Kind: wire.LabelVersion},
	}))
	want := `,"labels":[{"activity":"00010203-0405-0607-0809-0a0b0c0d0e0f"},` +
		`{"relatedActivity":"00010203-0405-0607-0809-0a0b0c0d0e0f"},` +
		`{"traceId":"030201000504070608090a0b0c0d0e0f"},{"spanId":"0102030405060708"},` +
		`{"key":"k","value":"v"},{"key":"n","number":"-4"},` +
		`{"opcode":255},{"keywords":"0x10"},{"level":5},{"version":0}]`
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestTraceLine(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, Options{})
	pairs := []codec.KeyValue{{Key: "ProcessId", Value: "1"}, {Key: "ProcessId", Value: "2"}}
	err := w.Trace(&codec.Trace{Format: wire.Format{Major: 6, Minor: 1}, PointerSize: 4, SyncTicks: 1 << 63, TickFrequency: 10, Properties: pairs})
	if err == nil {
		err = w.End(true)
	}
	want := `{"type":"trace","format":"6.1","pointerSize":4,"syncTicks":"-9223372036854775808","tickFrequency":"10",` +
		`"properties":{"ProcessId":"1","ProcessId#2":"2"}}` + "\n" + `{"type":"end","events":0,"lost":"0","truncated":true}` + "\n"
	if err != nil || out.String() != want {
		t.Errorf("%v\n got %s\nwant %s", err, out.String(), want)
	}
}
