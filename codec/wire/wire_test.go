package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/codec/internal/expect"
)

func TestVarUint(t *testing.T) {
	for _, v := range []uint64{0, 1, 127, 128, 16383, 16384, math.MaxUint32, math.MaxUint32 + 1, math.MaxInt64, math.MaxUint64} {
		t.Run(fmt.Sprintf("v=%v", v), func(t *testing.T) {
			b := binary.AppendUvarint(nil, v)
			if got, next := VarUint64(b, 0); got != v || next != len(b) {
				t.Errorf("VarUint64 of %d: %d, %d", v, got, next)
			}
			for n := range b {
				if _, next := VarUint64(b[:n], 0); next != PastEnd {
					t.Errorf("VarUint64 of %d truncated at %d: %d", v, n, next)
				}
			}
			got, next := VarUint32(b, 0)
			switch {
			case v <= math.MaxUint32 && (uint64(got) != v || next != len(b)):
				t.Errorf("VarUint32 of %d: %d, %d", v, got, next)
			case v > math.MaxUint32 && next != TooLarge:
				t.Errorf("VarUint32 of %d: %d", v, next)
			}
		})
	}
	for name, c := range map[string]struct {
		b              []byte
		next32, next64 int
	}{
		"overlong zero":        {[]byte{0x80, 0x00}, 2, 2},
		"fifth byte too large": {[]byte{0xFF, 0xFF, 0xFF, 0xFF, 0x10}, TooLarge, 5},
		"ten bytes, too large": {append(bytes.Repeat([]byte{0xFF}, 9), 2), TooLarge, TooLarge},
		"eleven bytes":         {append(bytes.Repeat([]byte{0x80}, 10), 0), TooLarge, TooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			if _, next := VarUint32(c.b, 0); next != c.next32 {
				t.Errorf("VarUint32, %s: %d, want %d", name, next, c.next32)
			}
			if _, next := VarUint64(c.b, 0); next != c.next64 {
				t.Errorf("VarUint64, %s: %d, want %d", name, next, c.next64)
			}
		})
	}
}

func TestVarInt64(t *testing.T) {
	for _, v := range []int64{0, -1, 1, -4, 63, -64, math.MaxInt64, math.MinInt64} {
		t.Run(fmt.Sprintf("v=%v", v), func(t *testing.T) {
			b := binary.AppendVarint(nil, v)
			if got, next := VarInt64(b, 0); got != v || next != len(b) {
				t.Errorf("%d, %d", got, next)
			}
		})
	}
}

func TestFixed(t *testing.T) {
	b := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9}
	if v, next := Uint16(b, 1); v != 0x0302 || next != 3 {
		t.Errorf("Uint16: %x, %d", v, next)
	}
	if v, next := Uint32(b, 1); v != 0x05040302 || next != 5 {
		t.Errorf("Uint32: %x, %d", v, next)
	}
	if v, next := Uint64(b, 1); v != 0x0908070605040302 || next != 9 {
		t.Errorf("Uint64: %x, %d", v, next)
	}
	if v, next := Byte1(b, 8); v != 9 || next != 9 {
		t.Errorf("Byte1: %x, %d", v, next)
	}
	for _, pos := range []int{-1, 8, 9, 10, math.MaxInt} {
		t.Run(fmt.Sprintf("pos=%v", pos), func(t *testing.T) {
			_, a := Uint16(b, pos)
			_, c := Uint32(b, pos)
			_, d := Uint64(b, pos)
			_, e := ReadGUID(b, pos)
			_, f := String(b, pos)
			_, g := UTF16Z(b, pos)
			expect.Equal(t, "a", a, PastEnd)
			expect.Equal(t, "c", c, PastEnd)
			expect.Equal(t, "d", d, PastEnd)
			expect.Equal(t, "e", e, PastEnd)
			expect.Equal(t, "g", g, PastEnd)
			if f != PastEnd && pos != 9 {
				t.Errorf("reads at %d: %d %d %d %d %d %d", pos, a, c, d, e, f, g)
			}
		})
	}
	expect.Equal(t, "Skip(b, 3, 6)", Skip(b, 3, 6), 9)
	expect.Equal(t, "Skip(b, 3, 7)", Skip(b, 3, 7), PastEnd)
	expect.Equal(t, "Skip(b, 3, -1)", Skip(b, 3, -1), PastEnd)
	expect.Equal(t, "Skip(b, -1, 1)", Skip(b, -1, 1), PastEnd)
}

func TestText(t *testing.T) {
	s, next := String([]byte("\x05helloX"), 0)
	expect.Equal(t, "s", string(s), "hello")
	expect.Equal(t, "next", next, 6)
	expect.Equal(t, "cap(s)", cap(s), 5)
	if _, next := String([]byte("\x05hell"), 0); next != PastEnd {
		t.Errorf("String past the end: %d", next)
	}
	for _, s := range []string{"", "a", "é€", "grüße 😀 x", "\x00inside\x00"} {
		t.Run(s, func(t *testing.T) {
			var b []byte
			for _, u := range utf16.Encode([]rune(s)) {
				b = binary.LittleEndian.AppendUint16(b, u)
			}
			if got := string(AppendUTF16(nil, b)); got != s {
				t.Errorf("AppendUTF16: %q, want %q", got, s)
			}
		})
	}
	// Unpaired surrogates are kept as three bytes each.
	lone := []byte{0x00, 0xD8, 'a', 0, 0x00, 0xDC}
	if got := AppendUTF16(nil, lone); string(got) != "\xED\xA0\x80a\xED\xB0\x80" {
		t.Errorf("unpaired surrogates: %x", got)
	}
	if units, next := UTF16Z([]byte{'a', 0, 0, 0, 'b', 0}, 0); string(units) != "a\x00" || next != 4 {
		t.Errorf("UTF16Z: %q, %d", units, next)
	}
	if _, next := UTF16Z([]byte{'a', 0, 0}, 0); next != PastEnd {
		t.Errorf("UTF16Z without an end: %d", next)
	}
}

func TestGUID(t *testing.T) {
	b := []byte{0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}
	g, next := ReadGUID(b, 0)
	expect.Equal(t, "g", g.String(), "00112233-4455-6677-8899-aabbccddeeff")
	expect.Equal(t, "next", next, 16)
	expect.Equal(t, "g.IsZero()", g.IsZero(), false)
	expect.Equal(t, "(GUID{}).IsZero()", (GUID{}).IsZero(), true)
}

func TestSystemTime(t *testing.T) {
	make16 := func(v ...uint16) (b []byte) {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint16(b, x)
		}
		return b
	}
	got, ok := SystemTime(make16(2024, 2, 99, 29, 23, 59, 59, 999))
	if want := time.Date(2024, 2, 29, 23, 59, 59, 999e6, time.UTC); !ok || !got.Equal(want) {
		t.Errorf("%v, %v", got, ok)
	}
	for _, v := range [][]uint16{
		{2023, 2, 0, 29, 0, 0, 0, 0}, {2024, 13, 0, 1, 0, 0, 0, 0}, {2024, 0, 0, 1, 0, 0, 0, 0}, {2024, 1, 0, 0, 0, 0, 0, 0},
		{2024, 1, 0, 1, 24, 0, 0, 0}, {2024, 1, 0, 1, 0, 60, 0, 0}, {2024, 1, 0, 1, 0, 0, 60, 0}, {2024, 1, 0, 1, 0, 0, 0, 1000}, {0, 1, 0, 1, 0, 0, 0, 0}, {2024},
	} {
		t.Run(fmt.Sprintf("v=%v", v), func(t *testing.T) {
			if got, ok := SystemTime(make16(v...)); ok {
				t.Error(got)
			}
		})
	}
}

// TestFileTimeOf: a moment that FileTime returns has the ticks that it was made of, and
// others have none.
func TestFileTimeOf(t *testing.T) {
	for _, ticks := range []uint64{0, 1, 9_999_999, unixInFileTime - 1, unixInFileTime, unixInFileTime + 1, 134_397_000_140_000_001, lastFileTime} {
		t.Run(fmt.Sprintf("ticks=%d", ticks), func(t *testing.T) {
			moment, _ := FileTime(ticks)
			for _, part := range []time.Duration{0, 99} {
				got, ok := FileTimeOf(moment.Add(part).In(time.FixedZone("", 3600)))
				expect.Equal(t, "ticks", got, ticks)
				expect.Equal(t, "ok", ok, true)
			}
		})
	}
	first, _ := FileTime(0)
	last, _ := FileTime(lastFileTime)
	for name, moment := range map[string]time.Time{"zero": {}, "before the first": first.Add(-1), "after the last": last.Add(100)} {
		t.Run(name, func(t *testing.T) {
			got, ok := FileTimeOf(moment)
			expect.Equal(t, "ticks", got, 0)
			expect.Equal(t, "ok", ok, false)
		})
	}
}

func TestNames(t *testing.T) {
	for got, want := range map[string]string{
		KindEvent.String(): "Event", Kind(99).String(): "Unknown(99)", KindUnknown.String(): "Unknown",
		Decimal.String(): "Decimal(15)", GUIDCode.String(): "Guid", TypeCode(27).String(): "Type(27)",
		Format{4, 0}.String(): "4", Format{6, 0}.String(): "6.0", Format{6, 25}.String(): "6.25",
	} {
		t.Run(want, func(t *testing.T) {
			if got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
	for c := range TypeCode(255) {
		if c.InStream() != (c >= 1 && c <= 26 && c != 2) || c.Known() != (c.InStream() || c >= 128 && c <= 131) {
			t.Errorf("code %d: in a stream %v, known %v", c, c.InStream(), c.Known())
		}
		if !c.Known() && c.Size() != 0 {
			t.Errorf("code %d: %d bytes of no type", c, c.Size())
		}
	}
}
