package codec_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// payloadBombs are payloads of a few bytes with values without number or end.
func payloadBombs() map[string][]byte {
	locator := byte(wire.DataLoc)
	empty := bytesOf(byte(wire.Object), uint16(0))
	fixed := byte(wire.FixedLengthArray)
	pointers := make([]byte, 0, 4000)
	for range 1000 {
		pointers = bytesOf(pointers, uint32(4000<<16))
	}
	many := uint16(65535)
	return map[string][]byte{
		"locator of empty objects": withFields(bytesOf(uint32(4<<16)), field("a", wire.DataLoc, empty)),
		"locator of empty arrays":  withFields(bytesOf(uint32(4<<16)), field("a", wire.DataLoc, fixed, byte(wire.Int32), uint16(0))),
		"locators of locators":     withFields(pointers, field("a", wire.DataLoc, locator, locator, locator, byte(wire.Int32))),
		"arrays of empty objects":  withFields(make([]byte, 9), field("a", wire.FixedLengthArray, fixed, fixed, empty, many, many, many)),
		"arrays beyond all sizes":  withFields(make([]byte, 9), field("b", wire.Byte), field("a", wire.FixedLengthArray, fixed, fixed, byte(wire.Int32), many, many, many)),
	}
}

// TestPayloadBombs: the values of a payload can all be visited.
func TestPayloadBombs(t *testing.T) {
	for name, stream := range payloadBombs() {
		r := codec.NewBytesReader(stream, codec.Options{})
		e, ok := r.Next()
		if !ok {
			t.Fatalf("%s: %v", name, r.Err())
		}
		values := 0
		var visit func(v codec.Value)
		visit = func(v codec.Value) {
			if values++; values > 100000 {
				t.Fatalf("%s: more than %d values", name, values)
			}
			for inner := range v.Elements() {
				visit(inner)
			}
			for _, inner := range v.Fields() {
				visit(inner)
			}
		}
		for _, v := range e.Fields() {
			visit(v)
		}
	}
}
