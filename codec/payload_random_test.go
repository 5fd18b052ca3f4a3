package codec_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// randomPayload makes declarations of fields, and payloads for them.
type randomPayload struct {
	*rand.Rand
	format wire.Format
	stray  int // one of so many values has a call before it that does not belong there; 0: none
}

// codes are the types that a payload may have. Readers take a Decimal in two ways.
var codes = []wire.TypeCode{
	wire.Boolean, wire.UTF16CodeUnit, wire.SByte, wire.Byte, wire.Int16, wire.UInt16, wire.Int32, wire.UInt32, wire.Int64,
	wire.UInt64, wire.Single, wire.Double, wire.DateTime, wire.GUIDCode, wire.NullTerminatedUTF16String, wire.Object, wire.Array,
	wire.VarInt, wire.VarUInt, wire.FixedLengthArray, wire.UTF8CodeUnit, wire.RelLoc, wire.DataLoc, wire.Boolean8,
}

func (r *randomPayload) fields(n, depth int, fixed bool) []codec.Field {
	list := make([]codec.Field, n)
	for i := range list {
		list[i] = codec.Field{Name: "f" + strconv.Itoa(i), Type: r.declared(depth, fixed)}
	}
	return list
}

// declared makes a type that the format has: one for the values of a locator if it is
// fixed, so of one size.
func (r *randomPayload) declared(depth int, fixed bool) codec.Type {
	for {
		t := codec.Type{Code: codes[r.IntN(len(codes))]}
		located := t.Code == wire.RelLoc || t.Code == wire.DataLoc
		switch nested := t.Code.HasElement() || t.Code == wire.Object; {
		case !r.format.HasType(t.Code), nested && depth == 0, fixed && (located || !t.FixedSize()):
			continue
		case t.Code == wire.Object:
			t.Fields = r.fields(1+r.IntN(3), depth-1, fixed)
		case nested:
			element := r.declared(depth-1, fixed || located)
			t.Element, t.Count = &element, 0
			if t.Code == wire.FixedLengthArray {
				t.Count = uint16(1 + r.IntN(3))
			}
		}
		if !fixed || t.FixedSize() {
			return t
		}
	}
}

func (r *randomPayload) text(units int) string {
	var b strings.Builder
	for range units {
		b.WriteRune([]rune("aZ09 -_~")[r.IntN(8)])
	}
	return b.String()
}

// value encodes a value and returns it as Value.String does.
func (r *randomPayload) value(e *codec.EventEncoder, t *codec.Type) string {
	if r.stray > 0 && r.IntN(r.stray) == 0 {
		r.call(e)
	}
	switch t.Code {
	case wire.Object:
		return r.object(e, t.Fields)
	case wire.Array, wire.FixedLengthArray, wire.RelLoc, wire.DataLoc:
		return r.array(e, t)
	case wire.NullTerminatedUTF16String:
		s := r.text(r.IntN(9)) + []string{"", "é", "😀"}[r.IntN(3)]
		e.String(s)
		return s
	case wire.Boolean, wire.Boolean8:
		v := r.IntN(2) == 0
		e.Bool(v)
		return strconv.FormatBool(v)
	case wire.Single:
		v := r.Float32()
		e.Float32(v)
		return strconv.FormatFloat(float64(v), 'g', -1, 32)
	case wire.Double:
		v := r.NormFloat64()
		e.Float64(v)
		return strconv.FormatFloat(v, 'g', -1, 64)
	case wire.GUIDCode:
		v := wire.GUID{0: byte(r.Uint32()), 9: byte(r.Uint32()), 15: byte(r.Uint32())}
		e.GUID(v)
		return v.String()
	case wire.DateTime:
		v := time.Unix(r.Int64N(1<<34), r.Int64N(1e7)*100).UTC()
		e.DateTime(v)
		return v.Format(time.RFC3339Nano)
	}
	return r.integer(e, t.Code)
}

func (r *randomPayload) integer(e *codec.EventEncoder, code wire.TypeCode) string {
	v := r.Uint64() >> r.IntN(64)
	switch code {
	case wire.SByte:
		e.Int8(int8(v))
		return fmt.Sprint(int8(v))
	case wire.Int16:
		e.Int16(int16(v))
		return fmt.Sprint(int16(v))
	case wire.Int32:
		e.Int32(int32(v))
		return fmt.Sprint(int32(v))
	case wire.Int64:
		e.Int64(int64(v))
		return fmt.Sprint(int64(v))
	case wire.VarInt:
		e.VarInt(int64(v))
		return fmt.Sprint(int64(v))
	case wire.Byte:
		e.Uint8(uint8(v))
		return fmt.Sprint(uint8(v))
	case wire.UTF8CodeUnit:
		e.UTF8CodeUnit(uint8(v))
		return fmt.Sprint(uint8(v))
	case wire.UInt16:
		e.Uint16(uint16(v))
		return fmt.Sprint(uint16(v))
	case wire.UTF16CodeUnit:
		e.UTF16CodeUnit(uint16(v))
		return fmt.Sprint(uint16(v))
	case wire.UInt32:
		e.Uint32(uint32(v))
		return fmt.Sprint(uint32(v))
	case wire.UInt64:
		e.Uint64(v)
		return fmt.Sprint(v)
	}
	e.VarUint(v)
	return fmt.Sprint(v)
}

func (r *randomPayload) object(e *codec.EventEncoder, fields []codec.Field) string {
	e.Object()
	var parts []string
	for i := range fields {
		parts = append(parts, fields[i].Name+":"+r.value(e, &fields[i].Type))
	}
	e.End()
	return "{" + strings.Join(parts, " ") + "}"
}

func (r *randomPayload) array(e *codec.EventEncoder, t *codec.Type) string {
	n := r.IntN(4)
	if t.Code == wire.FixedLengthArray {
		n = int(t.Count)
	}
	if code := t.Element.Code; code == wire.UTF8CodeUnit || code == wire.UTF16CodeUnit {
		s := r.text(n)
		e.String(s)
		return s
	}
	e.Array()
	parts := make([]string, n)
	for i := range parts {
		parts[i] = r.value(e, t.Element)
	}
	e.End()
	return "[" + strings.Join(parts, " ") + "]"
}

// call makes a call that may not belong to the payload.
func (r *randomPayload) call(e *codec.EventEncoder) {
	switch r.IntN(8) {
	case 0:
		e.Array()
	case 1:
		e.Object()
	case 2:
		e.End()
	case 3:
		e.String("x")
	case 4:
		e.Bytes([]byte{1, 2})
	default:
		r.integer(e, codes[r.IntN(len(codes))])
	}
}

// checkEncode writes random events of one random type, first some with calls that do
// not belong there, then one without, and reads those that were not refused. It
// returns how many were refused.
func checkEncode(t testing.TB, seed uint64) (refused int) {
	random := rand.New(rand.NewPCG(seed, 1))
	r := &randomPayload{Rand: random, format: []wire.Format{wire.V4, wire.V5, wire.V6}[random.IntN(3)]}
	fields := r.fields(r.IntN(6), 4, false)
	s := encoding(t, codec.WriterOptions{Format: r.format}, fields...)
	written := 0
	var want []string
	for stray := 8; stray >= 0; stray -= 4 {
		r.stray = stray
		e := s.event()
		want = want[:0]
		for i := range fields {
			want = append(want, r.value(e, &fields[i].Type))
		}
		err := e.Write()
		switch {
		case err == nil:
			written++
		case stray == 0:
			t.Fatalf("seed %d: error: got %v, want none", seed, err)
		default:
			expect.ErrorIs(t, err, codec.ErrPayload)
			refused++
		}
	}
	expect.NoError(t, s.w.Close())
	got := []string(nil)
	for e, err := range codec.NewBytesReader(s.out.Bytes(), codec.Options{Strict: true}).Events() {
		expect.NoError(t, err)
		expect.Equal(t, "misfit", e.FieldsError(), nil)
		got = got[:0]
		for _, v := range e.Fields() {
			got = append(got, v.String())
		}
		written--
	}
	expect.Equal(t, "events that were written and not read", written, 0)
	expect.Slices(t, fmt.Sprintf("seed %d: values of the last event", seed), got, want)
	return refused
}

// TestEncodeRandom: what is written for random types is read, and calls that do not
// fit write nothing that does not fit.
func TestEncodeRandom(t *testing.T) {
	refused := 0
	for seed := range uint64(3000) {
		refused += checkEncode(t, seed)
		expect.Stop(t)
	}
	expect.AtLeast(t, "events that were refused", refused, 1000)
}

// FuzzEncode is TestEncodeRandom with any seed.
func FuzzEncode(f *testing.F) {
	f.Add(uint64(1 << 40))
	f.Fuzz(func(t *testing.T, seed uint64) { checkEncode(t, seed) })
}
