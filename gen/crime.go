package gen

import (
	"bytes"

	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Crime breaks one rule on purpose.
type Crime struct {
	Name     string        // says what is wrong
	Rule     rule.ID       // that is broken
	Reader   rule.ID       // what a codec.Reader tells, which knows less than the catalogue; rule.None: nothing, or another thing at another place
	Versions rule.Versions // in which it can be committed

	commit func(*scene)
}

// Case is a stream that breaks a rule, and the same stream without the fault. It
// differs in the bytes of the fault alone, and in sizes and alignments that
// follow from them.
type Case struct {
	Broken, Repaired []byte
	Offset           int64 // in Broken: of the first byte of the field that breaks the rule, or of what is missing
	Row              int64 // in Broken: of the row that the field is in; of the block, when it is in none
}

// Crimes lists the crimes, in the order of the catalogue.
func Crimes() []Crime {
	var list []Crime
	for _, group := range [][]Crime{
		headerCrimes, framingCrimes, traceCrimes, eventBlockCrimes, compressedCrimes, plainCrimes, metadataCrimes,
		typeCrimes, optionalCrimes, metadataV4Crimes, tagCrimes, stackCrimes, threadCrimes, removeThreadCrimes,
		labelListCrimes, sequencePointCrimes, orderCrimes, sequenceCrimes, referenceCrimes, payloadCrimes,
		endOfStreamCrimes, objectCrimes,
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

// In says whether the crime can be committed in a version.
func (c *Crime) In(format wire.Format) bool { return c.Versions.Has(versionOf(format)) }

// Commit commits the crime in a small trace of a version that In allows. The
// seed decides on the numbers and texts of the trace.
func (c *Crime) Commit(format wire.Format, seed uint64) Case {
	s := newScene(format, seed)
	c.commit(s)
	good, _ := s.frame(s.good)
	bad, starts := s.frame(s.bad)
	result := Case{Broken: bad, Repaired: good}
	if s.stream != nil {
		result.Broken = s.stream(bytes.Clone(bad))
	}
	at := func(pos int) int64 {
		switch {
		case s.fault.part < 0 && pos < 0:
			return int64(len(result.Broken))
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
func (s *scene) frame(parts []part) ([]byte, []start) {
	var b bytes.Buffer
	w := raw.NewWriter(&b, s.format)
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
