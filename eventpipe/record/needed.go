package record

import (
	"io"
	"iter"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Addresses returns the addresses in all stacks of a trace, sorted, each once. The
// error is that of a malformed or truncated trace; the addresses before that place
// are returned.
func Addresses(src io.Reader) ([]uint64, error) {
	return addresses(codec.NewBlockReader(src, readKept))
}

// Addresses returns the addresses in all stacks of the snapshot, sorted, each once. Call it
// before Write.
func (s *Snapshot) Addresses() []uint64 {
	all := s.Clone()
	var list []raw.Block
	for i, b := range all.blocks {
		if i == 0 || b.Kind == wire.KindStack || b.Kind == wire.KindSequencePoint { // the first one is the Trace object
			list = append(list, b)
		}
	}
	all.blocks = list
	found, _ := addresses(all.reader()) // Write returns the error
	return found
}

func addresses(r *codec.BlockReader) ([]uint64, error) {
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

// For returns what names a list of addresses, as All does: all modules and assemblies,
// and of the methods and entry points the nearest at or below each address.
func (n *Names) For(addresses []uint64) iter.Seq[Addition] {
	n.mu.Lock()
	defer n.mu.Unlock()
	var rows []int
	for c := range n.index {
		x := &n.index[c]
		switch class(c) {
		case classMethod, classEntry:
			for _, a := range addresses {
				if row, ok := x.below(a); ok {
					rows = append(rows, row)
				}
			}
		default:
			x.sort()
			for _, one := range x.sorted {
				rows = append(rows, one.row)
			}
		}
	}
	slices.Sort(rows)
	rows = slices.Compact(rows)
	list := make([]keptEvent, len(rows))
	for i, row := range rows {
		list[i] = keptEvent{n.rows[row].metadata, n.content(row)}
	}
	return additions(list)
}
