package record

import (
	"cmp"
	"io"
	"iter"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Addresses returns the addresses in all stacks of a trace, sorted, each once. The
// error is that of a malformed or truncated trace; the addresses before that place
// are returned.
func Addresses(src io.Reader) ([]uint64, error) {
	r := codec.NewBlockReader(src, readKept)
	seen := map[uint64]bool{}
	var rows codec.BlockRows
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		if b.Kind != wire.KindStack {
			continue
		}
		r.Rows(&rows)
		for i := range rows.Stacks {
			for _, a := range r.Stack(rows.FirstID + uint32(i)) {
				seen[a] = true
			}
		}
	}
	list := make([]uint64, 0, len(seen))
	for a := range seen {
		list = append(list, a)
	}
	slices.Sort(list)
	return list, r.Err()
}

// For returns what names a sorted list of addresses, as All does: all modules and
// assemblies, and of the methods and entry points the nearest at or below each
// address.
func (n *Names) For(addresses []uint64) iter.Seq[Addition] {
	n.mu.Lock()
	rows := slices.Clone(n.rows)
	wanted := make([]bool, len(rows))
	var methods, entries []codeStart
	for key, at := range n.index {
		switch key.class {
		case classMethod:
			methods = append(methods, codeStart{key.id, at})
		case classEntry:
			entries = append(entries, codeStart{key.id, at})
		default:
			wanted[at] = true
		}
	}
	n.mu.Unlock()
	choose(wanted, methods, addresses)
	choose(wanted, entries, addresses)
	return func(yield func(Addition) bool) {
		for i, row := range rows {
			if wanted[i] && row.metadata != nil && !yield(Addition{Metadata: row.metadata, Payload: row.content.payload()}) {
				return
			}
		}
	}
}

// codeStart is the address at which the code of a row begins.
type codeStart struct {
	address uint64
	row     int
}

// choose marks the row of the nearest start at or below each address.
func choose(wanted []bool, starts []codeStart, addresses []uint64) {
	slices.SortFunc(starts, func(a, b codeStart) int { return cmp.Compare(a.address, b.address) })
	next := 0
	for _, a := range addresses {
		for next < len(starts) && starts[next].address <= a {
			next++
		}
		if next > 0 {
			wanted[starts[next-1].row] = true
		}
	}
}
