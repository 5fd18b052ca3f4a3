package codectest_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// encodeScalars encodes a value of each type that all versions have, in the order of
// their codes.
func encodeScalars(e *codec.EventEncoder) *codec.EventEncoder {
	return e.Bool(true).UTF16CodeUnit('é').Int8(-1).Uint8(1).Int16(-2).Uint16(2).Int32(-3).Uint32(3).Int64(-4).Uint64(4).
		Float32(0.5).Float64(-0.5).DateTime(time.Date(2026, 11, 21, 2, 0, 14, 0, time.UTC)).GUID(wire.GUID{1}).String("text")
}

// TestEncodedEventsCheck: the checker finds no error in what an EventEncoder wrote.
func TestEncodedEventsCheck(t *testing.T) {
	var fields []codec.Field
	for code := wire.Boolean; code <= wire.NullTerminatedUTF16String; code++ {
		if code != wire.Decimal {
			fields = append(fields, codec.Field{Name: code.String(), Type: codec.Type{Code: code}})
		}
	}
	number := codec.Type{Code: wire.Int32}
	nested := []codec.Field{
		{Name: "RelLoc", Type: codec.Type{Code: wire.RelLoc, Element: &number}},
		{Name: "Object", Type: codec.Type{Code: wire.Object, Fields: fields}},
		{Name: "DataLoc", Type: codec.Type{Code: wire.DataLoc, Element: &number}},
	}
	for _, c := range []struct {
		name   string
		format wire.Format
		fields []codec.Field
		call   func(e *codec.EventEncoder) *codec.EventEncoder
	}{
		{"4", wire.V4, fields, encodeScalars},
		{"5", wire.V5, fields, encodeScalars},
		{"6", wire.V6, fields, encodeScalars},
		{"6 locators", wire.V6, nested, func(e *codec.EventEncoder) *codec.EventEncoder {
			return encodeScalars(e.Array().Int32(1).Int32(2).End().Object()).End().Array().Int32(3).End()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			w := codec.NewWriter(&out, codec.WriterOptions{Format: c.format, Trace: clock})
			thread := uint64(1)
			if c.format.HasThreadTable() {
				var err error
				thread, err = w.DefineThread(&codec.Thread{ThreadID: 1, HasThreadID: true})
				expect.NoError(t, err)
			}
			request, err := w.DefineEvent(&codec.Metadata{Provider: "P", EventID: 1, Name: "E", Fields: c.fields})
			expect.NoError(t, err)
			expect.NoError(t, c.call(request.Event().Thread(thread).Timestamp(1)).Write())
			expect.NoError(t, w.Close())
			noErrors(t, out.Bytes())
		})
	}
}
