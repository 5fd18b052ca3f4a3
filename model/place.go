package model

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
)

// Place is a place in source text. The zero Place is unknown; it is not in JSON.
type Place struct {
	File string `json:"file,omitempty"` // as the compiler wrote it
	Line int64  `json:"line,omitzero"`  // from 1; of merged statements the first
}

// PlaceOf returns the place of a frame of a stack. It is unknown without Options.Lines, without
// a PDB, and where the thread need not have been at the line that the runtime recorded.
func (t *Trace) PlaceOf(frames []symbols.Frame, at int) Place {
	if t.lines == nil || at < 0 || at >= len(frames) {
		return Place{}
	}
	f := &frames[at]
	var callee *symbols.Frame
	if at > 0 {
		callee = &frames[at-1]
	}
	if t.lines.Uncertain(f.Code, f.Address, callee) != "" {
		return Place{}
	}
	where := t.lines.Locate(f.Code, f.Address)
	return Place{File: where.File, Line: int64(where.Line)}
}

// byFile names a frame that the trace does not name by the image that contains it.
func (t *Trace) byFile(process uint64, f symbols.Frame) symbols.Frame {
	t.lines.Learn(f.Code)
	if f.Symbol != nil && f.Evidence != symbols.EntryPoint {
		return f
	}
	if named, ok := t.lines.Precompiled(process, f.Address); ok {
		return named
	}
	return f
}

// isNaming reports whether the events of a metadata row name addresses or, with Options.Lines,
// have what source lines need.
func (t *Trace) isNaming(m *codec.Metadata) bool {
	return symbols.IsNaming(m) || t.lines != nil && symbols.IsLines(m)
}
