package fuzz

import (
	"os"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestMain lets garbage pile up: each input leaves half a megabyte of it, and
// little stays.
func TestMain(m *testing.M) {
	debug.SetGCPercent(1000)
	os.Exit(m.Run())
}

func FuzzStack(f *testing.F) {
	s := newStream(v4)
	own := [][]byte{
		s.stacks(1, 3), s.stacks(9, 4), newStream(v4on32).stacks(1, 9), append32(nil, 1, 0), append32(nil, 1<<32-1, 1, 0),
		append32(nil, 1<<32-1, 2, 0, 0), append32(nil, 5, 1<<32-1), append32(nil, 5, 1, 1<<31), append32(nil, 5, 2, 3, 1, 2),
	}
	seeds(f, wire.KindStack, v6)
	seeds(f, wire.KindStack, v4, own...)
	fuzz(f)
}

func FuzzSequencePointV4(f *testing.F) {
	point := append32(append64(nil, 5000), 2)
	point = append32(append64(point, 1), 9)
	point = append32(append64(point, farther), 1)
	seeds(f, wire.KindSequencePoint, v4, point, point[:12], append32(append64(nil, 1), 1<<32-1))
	fuzz(f)
}

func FuzzSequencePointV6(f *testing.F) {
	point := append32(append64(nil, 5000), 0, 2)
	point = append(varuint(append(point, 1, 9), farther), 1)
	threads, metadata, both := slices.Clone(point), slices.Clone(point), slices.Clone(point)
	threads[8], metadata[8], both[8] = wire.SequenceThreads, wire.SequenceMetadata, 3
	seeds(f, wire.KindSequencePoint, v6, point, threads, metadata, both, append32(append64(nil, 1), 3, 1<<32-1))
	fuzz(f)
}

func FuzzThread(f *testing.F) {
	var steps []byte // a long way from each to the next
	for i := range uint64(1000) {
		row := varuint(nil, i*1000)
		steps = append(append(steps, byte(len(row)), 0), row...)
	}
	pairs := append([]byte{0, 0, 9, byte(wire.ThreadKeyValue)}, append(text("key"), text("value")...)...)
	pairs[0] = byte(len(pairs) - 2)
	other := append([]byte{9, 0, 1, byte(wire.ThreadName)}, text("other")...)
	other[0] = byte(len(other) - 2)
	seeds(f, wire.KindThread, v6, threads(1, 2, 1<<64-1), threads(0), pairs, steps, other)
	fuzz(f)
}

func FuzzRemoveThread(f *testing.F) {
	seeds(f, wire.KindRemoveThread, v6, []byte{1, 1}, []byte{2, 5, 1, 9, 3, 1}, []byte{1, 1, 1, 1}, []byte{77, 1}, varuint(varuint(nil, farther), 7))
	fuzz(f)
}

func FuzzLabelList(f *testing.F) {
	all := append32(nil, 5, 1)
	const id = "0123456789abcdef"
	for i, value := range []string{id, id, id, id[:8], "\x01k\x01v", "\x01k\x05", "\x09", id[:8], "\x03", "\x02"} {
		all = append(append(all, byte(1+i)), value...)
	}
	all = append(all, 7|wire.LastLabel, 1)
	seeds(f, wire.KindLabelList, v6, labelLists(1), labelLists(9), all, append32(nil, 0, 1, 0x0187), append32(nil, 5, 1<<32-1), append32(nil, 1<<32-1, 2))
	fuzz(f)
}
