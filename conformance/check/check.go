package check

import (
	"errors"
	"io"
	"math"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Options configure a check. The zero value reports errors and warnings.
type Options struct {
	// Profile selects rules and severities. Default: Default.
	Profile Profile
	// Ignore are rules that are not reported.
	Ignore []rule.ID
	// Suppressions mark findings as suppressed.
	Suppressions []Suppression
	// Name is the name of the checked file, for the patterns of Suppressions.
	Name string
	// Limits bounds the memory. The defaults are those of codec, except for
	// Stacks (64 MiB), Labels (1,048,576) and Total (256 MiB), because blocks
	// whose size exceeded 24 bits are also checked, and for Nesting (1,000) and
	// Fields (65,536).
	Limits codec.Limits
	// Now is the current time: a trace cannot be from later. Default:
	// time.Now().
	Now time.Time
}

func (o *Options) limits() codec.Limits {
	l := o.Limits
	for _, f := range []struct {
		value *int64
		def   int64
	}{{&l.Stacks, 64 << 20}, {&l.Labels, 1 << 20}, {&l.Total, 256 << 20}, {&l.Nesting, mostNesting}, {&l.Fields, mostFields}} {
		if *f.value == 0 {
			*f.value = f.def
		}
	}
	return l
}

// checker is one check.
type checker struct {
	collector
	opt    Options
	limits codec.Limits
	report Report
	src    *source
	r      *codec.BlockReader
	format wire.Format // no version until the trace is known
	trace  *codec.Trace

	b        *codec.Block            // the current one
	walker   *layout.Walker          // finds fields of its blocks
	fields   []layout.Field          // of a row
	addField func(layout.Field) bool // adds to them
	table    tableState
	place    Place
	bad      int           // bad blocks of the Reader so far
	refs     []rule.ID     // the missing references of the next event
	again    []codec.Error // redefinitions in the current block
	lost     [rule.Count]uint64
	spoiled  spoiled

	headerState
	blockState
	rowState
	orderState
	sequenceState
	pointState
	stackState
	threadState
	labelState
	metadataState
	payloadState
	universalState
}

// Stream checks a stream. The error is one of src; faults of the stream are in
// the Report.
func Stream(src io.Reader, opt Options) (*Report, error) {
	c := newChecker(src, opt)
	for c.next() {
		c.checkBlock()
	}
	err := c.finish()
	c.report.Findings = c.list()
	c.report.Suppress(opt.Suppressions, opt.Name)
	return &c.report, err
}

func newChecker(src io.Reader, opt Options) *checker {
	if opt.Profile == "" {
		opt.Profile = Default
	}
	if opt.Now.IsZero() {
		opt.Now = time.Now()
	}
	c := &checker{opt: opt, limits: opt.limits(), src: newSource(src), place: Place{Ordinal: -1}}
	c.table.visit = func(f layout.Field) bool { return c.visitField(&f) }
	c.fields = make([]layout.Field, 0, rowFields)
	c.addField = func(f layout.Field) bool { c.fields = append(c.fields, f); return true }
	c.profile, c.ignore = opt.Profile, opt.Ignore
	c.r = codec.NewBlockReader(c.src, codec.Options{
		OnError: codec.Skip, OnDefect: c.defect, Schemas: clr.Schemas, Limits: c.limits,
	})
	c.begin()
	return c
}

// begin makes the state of each group ready.
func (c *checker) begin() {
	c.lint = c.wants(rule.STK017) || c.wants(rule.MD016) || c.wants(rule.CMP008)
	c.span = math.MaxUint64
	c.beginThreads()
	c.beginMetadata()
	c.beginStacks()
}

// next reads the next block of the stream.
func (c *checker) next() bool {
	b, ok := c.r.Next()
	if !ok {
		return false
	}
	if c.b = b; c.trace == nil {
		c.trace, _ = c.r.Trace()
		c.format, c.report.Format = c.trace.Format, c.trace.Format
		c.version = versionOf(c.format)
		c.walker = c.newWalker()
		c.rowFlags = c.walker.RowFlags()
	}
	if len(c.src.pieces) == 0 || !c.inPieces {
		c.place.Ordinal++
		c.place.Kind, c.place.Offset = b.Kind, c.src.real(b.Offset)
	}
	c.inPieces = len(c.src.pieces) > 0
	return true
}

// newWalker returns a Walker for the blocks of the stream.
func (c *checker) newWalker() *layout.Walker {
	nesting := int(min(c.limits.Nesting, math.MaxInt32))
	if nesting <= 0 {
		nesting = math.MaxInt32
	}
	return layout.NewWalker(layout.Options{Format: c.format, PointerSize: c.trace.PointerSize, Nesting: nesting})
}

// defect handles a defect that the Reader reports. Defects of references wait for
// the next event.
func (c *checker) defect(e *codec.Error) {
	switch e.Rule {
	case rule.REF001, rule.STK007, rule.THR009, rule.THR010, rule.LBL006:
		c.refs = append(c.refs, e.Rule)
	case rule.MD008, rule.THR004, rule.STK005, rule.LBL005:
		if len(c.again) < mostCauses {
			c.again = append(c.again, *e)
		}
	case rule.PAY001, rule.PAY002, rule.PAY003, rule.PAY006, rule.PAY008:
		c.misfit = e.Offset
	}
}

// spot is a place in the stream, in a block and in its rows.
type spot struct {
	place  Place
	offset int64
	row    int
}

// at is a place in the current block; row is -1 for none.
func (c *checker) at(offset int64, row int) spot { return spot{c.place, offset, row} }

// in is a place in the body of the current block.
func (c *checker) in(pos, row int) spot { return spot{c.place, c.b.BodyOffset + int64(pos), row} }

// here is the place of the complete current block.
func (c *checker) here() spot { return spot{c.place, c.b.Offset, -1} }

// found counts a finding of a rule; subject distinguishes causes. It returns nil
// except for the first finding of a cause, whose details can be set.
func (c *checker) found(id rule.ID, subject uint64, at spot) *Finding {
	return c.foundAs(id, id.Rule().Severity, subject, at)
}

// foundAs is found for a rule of several severities.
func (c *checker) foundAs(id rule.ID, as rule.Severity, subject uint64, at spot) *Finding {
	f := c.add(id, as, subject, c.src.real(at.offset))
	if f != nil {
		f.Block, f.Row = at.place, at.row
	}
	return f
}

// checkBlock holds the current block against the rules.
func (c *checker) checkBlock() {
	bad := c.wentBad()
	if bad && c.b.Rows == 0 && !c.format.HasObjects() && c.overflowed() {
		c.again = c.again[:0]
		return
	}
	c.checkFraming()
	switch c.b.Kind {
	case wire.KindTrace:
		c.checkTrace()
	case wire.KindEvent:
		c.checkEvents(bad)
	case wire.KindMetadata:
		c.checkMetadata(bad)
	case wire.KindStack:
		c.checkStacks(bad)
	case wire.KindSequencePoint:
		c.checkPoint(bad)
	case wire.KindThread:
		c.checkThreads(bad)
	case wire.KindLabelList:
		c.checkLabels(bad)
	default:
		c.checkForm()
	}
	for i := range c.again {
		c.redefined(&c.again[i])
	}
	c.again = c.again[:0]
	c.prevKind = c.b.Kind
}

// wentBad reports whether the Reader gave up a block since the last call.
func (c *checker) wentBad() bool {
	n, _ := c.r.BadBlocks()
	went := n > c.bad
	c.bad = n
	return went
}

// firstBad returns the error of the first block that the Reader gave up on. There
// is one.
func (c *checker) firstBad() *codec.Error {
	var e *codec.Error
	_, err := c.r.BadBlocks()
	errors.As(err, &e)
	return e
}

// redefined reports an id that was defined twice with different content.
func (c *checker) redefined(e *codec.Error) {
	id := c.rule(e.Rule)
	if pos := int(e.Offset - c.b.BodyOffset); pos >= 0 && pos < len(c.b.Body) {
		e.Offset += c.idIn(id, pos)
	}
	if f := c.found(id, 0, c.at(e.Offset, e.Row)); f != nil {
		f.want("an id that is not in use", "defined again with other content")
	}
}

// idIn is the position of the id in a row.
func (c *checker) idIn(id rule.ID, pos int) int64 {
	const size = 2 // of the size of a row of v6
	switch {
	case id == rule.THR004, id == rule.MD008 && !c.format.HasMetadataHeaders():
		return size
	case id == rule.MD008:
		return c.payloadIn(pos)
	}
	return 0
}

// payloadIn is where the payload of the row at pos is in the row.
func (c *checker) payloadIn(pos int) (start int64) {
	for _, f := range c.eventRow(pos, 0) {
		if f.Name == "Payload" {
			start = int64(f.Pos - pos)
		}
	}
	return start
}

// finish reports the findings that are known only at the end.
func (c *checker) finish() error {
	err := c.r.Err()
	var fault *codec.Error
	if err != nil && !errors.As(err, &fault) {
		return err
	}
	c.report.Blocks, c.report.Events = c.place.Ordinal+1, c.r.Count()
	c.report.Complete = err == nil
	c.report.Version = errors.Is(err, codec.ErrVersion)
	if err := c.checkEnd(fault); err != nil {
		return err
	}
	if c.trace == nil {
		return nil
	}
	behind := c.sinceCount
	c.endRegion()
	c.endPoints(behind)
	c.endStacks()
	c.endOrder()
	c.endSequence()
	c.endMetadata()
	c.endPayloads()
	c.endThreads()
	c.endBlocks()
	return nil
}
