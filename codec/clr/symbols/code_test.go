package symbols

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec/internal/expect"
)

// TestReadMap: the entries of a map, which the runtime sorts by IL offset, are
// returned in the order of the native offsets.
func TestReadMap(t *testing.T) {
	got := readMap(words32(Prolog, 0, 7, Epilog, 0, 40, 12, 60))
	if want := []ILPoint{{0, Prolog}, {12, 7}, {40, 0}, {60, Epilog}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	expect.Equal(t, "points of an empty map", len(readMap(nil)), 0)
}

// TestReadInlines: the parts are joined by their numbers, and children and
// siblings give the parents.
func TestReadInlines(t *testing.T) {
	var b []byte
	b = append(b, words32(3, 2)...)
	for _, node := range [][5]uint32{{10, 0, 99, 1, 0}, {11, 0, 99, 0, 2}, {12, 0, 99, 0, 0}} {
		b = append(b, words32(node[:]...)...)
	}
	b = append(append(b, words32(4, 2, 20)...), 2)
	b = append(append(b, words32(0, 0, 8)...), 0)
	table := NewTable(Options{Lines: true})
	s := table.space(1)
	parts := []richPart{{1, true, b[30:]}, {0, false, b[:30]}}
	in := table.readInlines(s, parts)
	if in == nil {
		t.Fatal("not read")
	}
	expect.Equal(t, "parent of 0", in.Methods[0].Parent, -1)
	expect.Equal(t, "parent of 1", in.Methods[1].Parent, 0)
	expect.Equal(t, "parent of 2", in.Methods[2].Parent, 0)
	if want := []InlinePoint{{8, 0, 0}, {20, 4, 2}}; !slices.Equal(in.Points, want) {
		t.Errorf("%v, want %v", in.Points, want)
	}
	for _, c := range []struct {
		name  string
		parts []richPart
	}{
		{"no parts", nil}, {"without the last part", parts[1:]}, {"without the first part", parts[:1]},
		{"short", []richPart{{0, true, b[:len(b)-1]}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect.Equal(t, "is nil", table.readInlines(s, c.parts) == nil, true)
		})
	}
}

func words32(words ...uint32) []byte {
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}
