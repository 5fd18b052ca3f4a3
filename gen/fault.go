package gen

import (
	"bytes"

	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Fault is a fault that breaks one rule.
type Fault struct {
	Name     string        // a short description, for example "stack-id-twice"
	Rule     rule.ID       // the rule that the fault breaks
	Reader   rule.ID       // the rule that codec.Reader reports; rule.None: it reports none, or another one at another offset
	Versions rule.Versions // the versions in which the fault is possible

	inject func(*template)
}

// Case is a stream that breaks a rule, and the same stream without the fault.
// They differ only in the bytes of the fault, and in sizes and alignments that
// depend on them.
type Case struct {
	// Faulty is the stream with the fault, Corrected the one without.
	Faulty, Corrected []byte
	Offset            int64 // in Faulty: file offset of the first byte of the field that breaks the rule, or where a missing field should be
	Row               int64 // in Faulty: file offset of the row with that field, or of the block if it is in no row
}

// Faults returns all faults, in the order of the rules.
func Faults() []Fault {
	var list []Fault
	for _, group := range [][]Fault{
		headerFaults, framingFaults, traceFaults, eventBlockFaults, compressedFaults, plainFaults, metadataFaults,
		typeFaults, optionalFaults, metadataV4Faults, tagFaults, stackFaults, threadFaults, removeThreadFaults,
		labelListFaults, sequencePointFaults, orderFaults, sequenceFaults, referenceFaults, payloadFaults,
		endOfStreamFaults, objectFaults,
	} {
		list = append(list, group...)
	}
	return list
}

// versionOf is a format as the rules name it.
func versionOf(format wire.Format) rule.Versions {
	switch {
	case format.HasTags():
		return rule.V5
	case format.HasObjects():
		return rule.V4
	}
	return rule.V6
}

// In reports whether the fault is possible in a version.
func (c *Fault) In(format wire.Format) bool { return c.Versions.Has(versionOf(format)) }

// Inject makes a small trace with the fault and without it. In must be true for
// format. The seed determines the numbers and texts of the trace.
func (c *Fault) Inject(format wire.Format, seed uint64) Case {
	s := newTemplate(format, seed)
	c.inject(s)
	good, _ := s.frame(s.good)
	bad, starts := s.frame(s.bad)
	result := Case{Faulty: bad, Corrected: good}
	if s.stream != nil {
		result.Faulty = s.stream(bytes.Clone(bad))
	}
	at := func(pos int) int64 {
		switch {
		case s.fault.part < 0 && pos < 0:
			return int64(len(result.Faulty))
		case s.fault.part < 0:
			return int64(pos)
		case pos < 0:
			return starts[s.fault.part].block
		}
		return starts[s.fault.part].body + int64(pos)
	}
	result.Offset, result.Row = at(s.fault.pos), at(s.row)
	return result
}

// start is where a block and its body begin.
type start struct{ block, body int64 }

// frame puts blocks into a stream.
func (s *template) frame(parts []part) ([]byte, []start) {
	var b bytes.Buffer
	w := raw.NewWriter(&b, raw.WriterOptions{Format: s.format})
	starts := make([]start, len(parts))
	for i, p := range parts {
		starts[i].block = w.Offset()
		block := raw.Block{Kind: p.kind, TypeName: p.typeName, Version: p.version, MinReader: p.minReader, Body: p.body}
		if err := w.Block(&block); err != nil {
			panic(err)
		}
		starts[i].body = w.Offset() - int64(len(p.body))
		if s.format.HasObjects() {
			starts[i].body-- // the end tag
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes(), starts
}
