package layout

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

var formats = []wire.Format{wire.V3, wire.V4, wire.V5, wire.V6}

// text is the result of a walk: a line for each field, and one for the fault.
func text(w *Walker, kind wire.Kind, body []byte) string {
	var b strings.Builder
	for f := range w.Block(kind, body) {
		fmt.Fprintf(&b, "%s%s.%s row %d at %d+%d = %d", strings.Repeat(" ", f.Depth), f.Part, f.Name, f.Row, f.Pos, f.Size, f.Value)
		if f.Counts || f.To > 0 {
			fmt.Fprintf(&b, " counts %d..%d", f.From, f.To)
		}
		b.WriteByte('\n')
	}
	if f := w.Fault(); f.Rule != rule.None {
		fmt.Fprintf(&b, "%v: %s row %d at %d ended %v left %v\n", f.Rule, f.Name, f.Row, f.Pos, f.Ended, f.Left)
	}
	return b.String()
}

func join(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			b = append(b, byte(p))
		case string:
			b = append(b, p...)
		case []byte:
			b = append(b, p...)
		default:
			b, _ = binary.Append(b, binary.LittleEndian, p)
		}
	}
	return b
}

func TestBlock(t *testing.T) {
	for _, tt := range []struct {
		name   string
		format wire.Format
		kind   wire.Kind
		body   []byte
		want   string
	}{
		{"thread", wire.V6, wire.KindThread, join(uint16(7), 1, 1, 2, "ab", 3, 9, uint16(0)), `
ThreadRow.RowSize row 0 at 0+2 = 7 counts 2..9
 ThreadRow.Index row 0 at 2+1 = 1
 OptionalThreadInfo.Kind row 0 at 3+1 = 1
  OptionalThreadInfo.Name row 0 at 4+3 = 2 counts 5..7
 OptionalThreadInfo.Kind row 0 at 7+1 = 3
  OptionalThreadInfo.Id row 0 at 8+1 = 9
ThreadRow.RowSize row 1 at 9+2 = 0 counts 11..11
NT6-THR-001: Index row 1 at 11 ended false left false
`},
		{"unknown kind", wire.V6, 77, join(1, 2), `
.Undefined row -1 at 0+2 = 0
`},
		{"stack of 4 bytes and one more", wire.V4, wire.KindStack, join(uint32(5), uint32(1), uint32(5), uint32(6), 7, 8), `
StackBlock.FirstId row -1 at 0+4 = 5
StackBlock.Count row -1 at 4+4 = 1
StackRow.StackSize row 0 at 8+4 = 5 counts 12..17
 StackRow.Stack row 0 at 12+5 = 0
  StackRow.IP row 0 at 12+4 = 6
  .Undefined row 0 at 16+1 = 0
NT-STK-001:  row -1 at 17 ended true left true
`},
		{"label lists", wire.V6, wire.KindLabelList, join(uint32(1), uint32(2), 6, 1, "k", 3, 0x87, 9), `
LabelListBlock.firstIndex row -1 at 0+4 = 1
LabelListBlock.count row -1 at 4+4 = 2
Label.Kind row 0 at 8+1 = 6
 Label.Key row 0 at 9+2 = 1 counts 10..11
 Label.Value row 0 at 11+1 = 18446744073709551614
Label.Kind row 0 at 12+1 = 135
 Label.OpCode row 0 at 13+1 = 9
NT6-LBL-002:  row 1 at 14 ended true left false
`},
		{"compressed rows", wire.V6, wire.KindEvent, join(uint16(22), uint16(1), uint64(3), uint64(4), 0, 0, 129, 7, 5, 2, "ab", 0, 1, "cd", 0), `
EventBlock.HeaderSize row -1 at 0+2 = 22 counts 0..22
 EventBlock.Flags row -1 at 2+2 = 1
 EventBlock.MinTimestamp row -1 at 4+8 = 3
 EventBlock.MaxTimestamp row -1 at 12+8 = 4
 .Reserved row -1 at 20+2 = 0
EventRow.Flags row 0 at 22+1 = 129
EventRow.MetadataId row 0 at 23+1 = 7
EventRow.TimeStamp row 0 at 24+1 = 5
EventRow.PayloadSize row 0 at 25+1 = 2 counts 26..28
EventRow.Payload row 0 at 26+2 = 0
EventRow.Flags row 1 at 28+1 = 0
EventRow.TimeStamp row 1 at 29+1 = 1
EventRow.Payload row 1 at 30+2 = 0
EventRow.Flags row 2 at 32+1 = 0
NT-CMP-001: TimeStamp row 2 at 33 ended true left false
`},
		{"nested fields and a tag", wire.V5, wire.KindMetadata, join(uint16(20), uint16(1), uint64(0), uint64(0), 128, 0, 63,
			uint32(1), "P\x00\x00\x00", uint32(2), "\x00\x00", uint64(3), uint32(4), uint32(5),
			uint32(1), uint32(1), uint32(1), uint32(9), "\x00\x00", "\x00\x00", uint32(1), 1, 8, uint32(2), 9, uint16(0)), `
EventBlock.HeaderSize row -1 at 0+2 = 20 counts 0..20
 EventBlock.Flags row -1 at 2+2 = 1
 EventBlock.MinTimestamp row -1 at 4+8 = 0
 EventBlock.MaxTimestamp row -1 at 12+8 = 0
EventRow.Flags row 0 at 20+1 = 128
EventRow.TimeStamp row 0 at 21+1 = 0
EventRow.PayloadSize row 0 at 22+1 = 63 counts 23..86
EventRow.Payload row 0 at 23+63 = 0
 Metadata.MetaDataId row 0 at 23+4 = 1
 Metadata.ProviderName row 0 at 27+4 = 0 counts 27..29
 Metadata.EventId row 0 at 31+4 = 2
 Metadata.EventName row 0 at 35+2 = 0 counts 35..35
 Metadata.Keywords row 0 at 37+8 = 3
 Metadata.Version row 0 at 45+4 = 4
 Metadata.Level row 0 at 49+4 = 5
 Payload.FieldCount row 0 at 53+4 = 1
  Payload.TypeCode row 0 at 57+4 = 1
   Payload.FieldCount row 0 at 61+4 = 1
    Payload.TypeCode row 0 at 65+4 = 9
    Payload.FieldName row 0 at 69+2 = 0 counts 69..69
  Payload.FieldName row 0 at 71+2 = 0 counts 71..71
 Tag.TagPayloadBytes row 0 at 73+4 = 1 counts 78..79
 Tag.TagKind row 0 at 77+1 = 1
  Tag.OpCode row 0 at 78+1 = 8
 Tag.TagPayloadBytes row 0 at 79+4 = 2 counts 84..86
 Tag.TagKind row 0 at 83+1 = 9
 .Undefined row 0 at 84+2 = 0
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := text(NewWalker(Options{Format: tt.format, PointerSize: 4}), tt.kind, tt.body); got != tt.want[1:] {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

// TestRandomBytes walks over random bytes, and over bytes with small values,
// which go deeper. The fields are one after another, and the fault is in the
// body.
func TestRandomBytes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 40_000 {
		body := make([]byte, random.IntN(200))
		for j := range body {
			body[j] = byte(random.Uint32())
			if i%2 == 0 || random.IntN(2) == 0 {
				body[j] &= byte(random.Uint32()) & 31
			}
		}
		kind, pointer := wire.Kind(random.IntN(10)), 4<<random.IntN(2)
		for _, format := range formats {
			w := NewWalker(Options{Format: format, PointerSize: pointer})
			at := 0
			for f := range w.Block(kind, body) {
				if f.Pos != at || f.Size < 0 || f.Pos+f.Size > len(body) {
					t.Fatalf("%v %v %x: %+v, want %d", format, kind, body, f, at)
				}
				if f.Encoding != Group {
					at += f.Size
				}
			}
			f := w.Fault()
			if f.Rule == rule.None && at != len(body) || f.Pos < 0 || f.Pos > len(body) {
				t.Fatalf("%v %v %x: fields end at %d, fault %+v", format, kind, body, at, f)
			}
			if f.Rule != rule.None && f.Rule.Rule().Versions&versionsOf(format) == 0 {
				t.Fatalf("%v %v %x: %v is no rule of the version", format, kind, body, f.Rule)
			}
		}
	}
}

func versionsOf(format wire.Format) rule.Versions {
	return map[wire.Format]rule.Versions{wire.V3: rule.V3, wire.V4: rule.V4, wire.V5: rule.V5, wire.V6: rule.V6}[format]
}

// TestDeepTypes: types in types end at a limit and not with the stack.
func TestDeepTypes(t *testing.T) {
	deep := slices.Repeat([]byte{byte(wire.Array)}, 60_000)
	row := join(1, 0, 0, 0, uint16(1), uint16(60_001), 0, deep)
	w := NewWalker(Options{Format: wire.V6})
	for range w.Block(wire.KindMetadata, join(uint16(0), uint16(len(row)), row)) {
	}
	if f := w.Fault(); f.Rule != rule.LIM004 {
		t.Errorf("fault %+v", f)
	}
}

// TestStop: a loop with an early exit has no fault.
func TestStop(t *testing.T) {
	w := NewWalker(Options{Format: wire.V6})
	for f := range w.Block(wire.KindStack, join(uint32(1), uint32(9), uint32(99))) {
		if f.Name == "StackSize" {
			break
		}
	}
	if f := w.Fault(); f != (Fault{}) {
		t.Errorf("fault %+v", f)
	}
}

// TestEventRow walks over one row of a block.
func TestEventRow(t *testing.T) {
	body := join(1, 2, 0, 5, "abc", 0)
	w := NewWalker(Options{Format: wire.V6})
	var names []string
	for f := range w.EventRow(true, body, 2, 3) {
		names = append(names, f.Name)
	}
	if got := strings.Join(names, " "); got != "Flags TimeStamp Payload" || w.Pos() != 7 {
		t.Errorf("%s, end %d, fault %+v", got, w.Pos(), w.Fault())
	}
}

// TestAllocations: a walk allocates as much for a thousand fields as for ten.
func TestAllocations(t *testing.T) {
	rows := func(n int) []byte {
		return join(uint16(20), uint16(1), uint64(0), uint64(0), slices.Repeat(join(143, 1, 0, 1, 2, 1, 1, 1, 1, "x"), n))
	}
	w := NewWalker(Options{Format: wire.V6})
	fields := 0
	count := func(body []byte) float64 {
		return testing.AllocsPerRun(10, func() {
			for f := range w.Block(wire.KindEvent, body) {
				fields += f.Size
			}
		})
	}
	if few, many := count(rows(1)), count(rows(100)); many > few || few > 4 {
		t.Errorf("%v allocations for one row, %v for a hundred", few, many)
	}
	if f := w.Fault(); f.Rule != rule.None || fields == 0 {
		t.Errorf("fault %+v", f)
	}
}

// TestSeventh: a version 7, which is version 6 with one more field in the event
// row and one more kind of block, takes a few lines.
func TestSeventh(t *testing.T) {
	const kindCounter = wire.KindLabelList + 1
	row := compressedRowV6
	row.items = slices.Insert(slices.Clone(row.items), 7, item{name: "CoreId", enc: VarUint32, when: wire.RowStackID})
	counter := part{name: "CounterBlock", missing: rule.BLK002, items: []item{{name: "Count", enc: VarUint32}}}
	v7 := v6
	v7.blocks = append(slices.Clone(v6.blocks), block{part: &counter})
	v7.compressed = &row
	w := NewWalker(Options{Format: wire.V6})
	w.version = &v7
	if got := text(w, kindCounter, join(9)); got != "CounterBlock.Count row -1 at 0+1 = 9\n" {
		t.Errorf("got %s", got)
	}
	body := join(uint16(20), uint16(1), uint64(0), uint64(0), 136, 5, 6, 7, 0)
	if got := text(w, wire.KindEvent, body); !strings.Contains(got, "EventRow.CoreId row 0 at 22+1 = 6\n") {
		t.Errorf("got %s", got)
	}
}
