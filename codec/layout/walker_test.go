package layout

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestSkip leaves out the addresses of stacks.
func TestSkip(t *testing.T) {
	body := slices.Concat([]byte{1, 0, 0, 0, 2, 0, 0, 0}, []byte{8, 0, 0, 0}, make([]byte, 8), []byte{16, 0, 0, 0}, make([]byte, 16))
	w := NewWalker(Options{})
	var names []string
	for f := range w.Block(wire.KindStack, body) {
		names = append(names, fmt.Sprint(f.Row, " ", f.Name, " ", f.Pos))
		if f.Encoding == Group {
			w.Skip()
		}
	}
	expect.Slices(t, "fields", names, []string{"-1 FirstId 0", "-1 Count 4", "0 StackSize 8", "0 Stack 12", "1 StackSize 20", "1 Stack 24"})
	expect.Equal(t, "fault", w.Fault(), Fault{})
	expect.Equal(t, "position", w.Pos(), len(body))
}

// TestDefinition walks over the payload of a metadata row.
func TestDefinition(t *testing.T) {
	body := slices.Concat([]byte{99, 7, 0, 0, 0, 'P', 0, 0, 0, 3, 0, 0, 0}, make([]byte, 2+8+4+4), []byte{1, 0, 0, 0, 9, 0, 0, 0, 0, 0})
	w := NewWalker(Options{Format: wire.V4})
	values := map[string]uint64{}
	for f := range w.Definition(body, 1) {
		values[f.Name] = f.Value
	}
	expect.Equal(t, "MetaDataId", values["MetaDataId"], 7)
	expect.Equal(t, "EventId", values["EventId"], 3)
	expect.Equal(t, "TypeCode", values["TypeCode"], uint64(wire.Int32))
	expect.Equal(t, "fault", w.Fault(), Fault{})
	expect.Equal(t, "position", w.Pos(), len(body))
}

// TestNesting reads types that are as deep as Options.Nesting and one level
// deeper.
func TestNesting(t *testing.T) {
	array := []byte{byte(wire.Array), byte(wire.Array), byte(wire.Int32)}
	field := slices.Concat([]byte{4, 0, 0}, array)
	row := slices.Concat([]byte{1, 0, 1, 0, 1, 0}, field, []byte{0, 0})
	body := slices.Concat([]byte{0, 0, byte(len(row)), 0}, row)
	for nesting, want := range map[int]rule.ID{0: rule.None, 3: rule.None, 2: rule.LIM004} {
		t.Run(fmt.Sprint(nesting), func(t *testing.T) {
			w := NewWalker(Options{Nesting: nesting})
			for range w.Block(wire.KindMetadata, body) {
			}
			expect.Equal(t, "fault", w.Fault().Rule, want)
		})
	}
}

// TestPlainRowSize compares the sizes with those that the fields of a row have.
func TestPlainRowSize(t *testing.T) {
	for format, want := range map[wire.Format]int{wire.V3: 60, wire.V4: 80, wire.V5: 80, wire.V6: 52} {
		t.Run(format.String(), func(t *testing.T) {
			w := NewWalker(Options{Format: format})
			expect.Equal(t, "size", w.PlainRowSize(), want)
			row := make([]byte, want)
			row[0], row[4] = byte(want-4), 1
			last := 0
			for f := range w.EventRow(false, row, 0, 0) {
				last = f.Pos + f.Size
			}
			expect.Equal(t, "fault", w.Fault(), Fault{})
			expect.Equal(t, "end", last, want)
		})
	}
}

// TestRowFlags compares the flags with those of the specification.
func TestRowFlags(t *testing.T) {
	for format, want := range map[wire.Format]byte{wire.V4: 0xFF, wire.V5: 0xFF, wire.V6: 0xFF &^ wire.RowRelated} {
		t.Run(format.String(), func(t *testing.T) {
			expect.Equal(t, "flags", NewWalker(Options{Format: format}).RowFlags(), want)
		})
	}
}
