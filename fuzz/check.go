package fuzz

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
)

// check reads a stream in many ways, fails the test when they do not agree or an
// invariant of package codec is violated, and returns the content of the stream.
func check(t testing.TB, b []byte) *outcome {
	t.Helper()
	defer guard()()
	before := bytes.Clone(b)
	c := checker{b: clip(b), dice: diceOf(b)}
	for _, step := range []func() error{c.weight, c.readBoth, c.stop, c.strict, c.blocks, c.ordered, c.extra} {
		if err := step(); err != nil {
			t.Fatalf("%v\nstream: %x", err, b)
		}
	}
	if !bytes.Equal(before, b) {
		t.Fatalf("the reader has changed its input\nstream: %x", before)
	}
	return c.base
}

// checker has one stream and the result of its first reading.
type checker struct {
	b     []byte
	dice  *dice
	base  *outcome      // from memory, bad blocks skipped
	rd    *reading      // that gave base
	parts []blockRecord // of the stream
}

// weight reads the stream without keeping anything.
func (c *checker) weight() error {
	var sum byte
	drain := func(r *codec.Reader) {
		for e, err := range r.Events() {
			if err != nil {
				break
			}
			for _, v := range e.Payload() {
				sum ^= v
			}
			sum ^= byte(len(e.Stack())) ^ byte(len(e.Labels())) ^ e.Opcode()
		}
	}
	opt := codec.Options{OnError: codec.Skip}
	if err := weigh(len(c.b), allowance(len(c.b)), func() { drain(codec.NewBytesReader(c.b, opt)) }); err != nil {
		return fmt.Errorf("from memory: %w", err)
	}
	if err := weigh(len(c.b), allowance(len(c.b)), func() { drain(codec.NewReader(crumble(c.b, c.dice), opt)) }); err != nil {
		return fmt.Errorf("from a source: %w", err)
	}
	return nil
}

// readBoth reads everything from memory and from a source.
func (c *checker) readBoth() (err error) {
	opt := codec.Options{OnError: codec.Skip}
	c.rd = newReading(opt)
	if c.base, err = c.rd.memory(c.b).through(byEvents); err != nil {
		return err
	}
	if err := c.base.sound(int64(len(c.b))); err != nil {
		return err
	}
	o, err := newReading(opt).source(crumble(c.b, c.dice)).through(byNext)
	if err != nil {
		return fmt.Errorf("from a source: %w", err)
	}
	return differ("from a source", c.base, o)
}

// stop reads up to the first bad block.
func (c *checker) stop() error {
	rd := newReading(codec.Options{})
	o, err := rd.memory(c.b).through(byNext)
	if err == nil {
		err = o.sound(int64(len(c.b)))
	}
	if err != nil {
		return fmt.Errorf("stopping: %w", err)
	}
	if c.base.bad == 0 {
		return differ("stopping", c.base, o)
	}
	return c.upTo("stopping", o, c.base.firstBad)
}

// strict reads up to the first error or defect of any kind.
func (c *checker) strict() error {
	o, err := newReading(codec.Options{Strict: true}).memory(c.b).through(byResumed)
	if err == nil {
		err = o.sound(int64(len(c.b)))
	}
	if err != nil {
		return fmt.Errorf("strict: %w", err)
	}
	var first *codec.Error
	if len(c.base.reported) > 0 {
		first = &c.base.reported[0]
	}
	switch bad := c.base.firstBad; {
	case first == nil && bad == nil:
		return differ("strict", c.base, o)
	case first == nil || bad != nil && sameError(o.err, bad):
		first = bad
	}
	return c.upTo("strict", o, first)
}

// upTo reports whether o is the base up to the error that ended it.
func (c *checker) upTo(how string, o *outcome, want *codec.Error) error {
	if !sameError(o.err, want) {
		return fmt.Errorf("%s: ended with %v, not with %v", how, o.err, want)
	}
	before := 0
	for before < len(c.base.events) && c.base.events[before].Offset < want.Offset {
		before++
	}
	if len(o.events) != before {
		return fmt.Errorf("%s: %d events before %v, not %d", how, len(o.events), want, before)
	}
	return prefix(how, c.base, o)
}

// blocks reads block by block, twice.
func (c *checker) blocks() error {
	opt := codec.Options{OnError: codec.Skip}
	o, err := newReading(opt).memory(c.b).through(byBlocks)
	if err == nil {
		err = differ("by blocks", c.base, o)
	}
	if err != nil {
		return fmt.Errorf("by blocks: %w", err)
	}
	last := int64(-1)
	for _, b := range o.blocks {
		end := b.BodyOffset + int64(b.Have)
		if b.Offset <= last || b.BodyOffset < b.Offset || end > int64(len(c.b)) {
			return fmt.Errorf("block at %d, body at %d, ends at %d of %d; the one before is at %d",
				b.Offset, b.BodyOffset, end, len(c.b), last)
		}
		last = b.Offset
	}
	c.parts = o.blocks
	other, err := newReading(opt).source(crumble(c.b, c.dice)).through(byBlocks)
	if err == nil {
		err = differ("by blocks from a source", c.base, other)
	}
	if err != nil {
		return err
	}
	if at := firstDifference(o.blocks, other.blocks); at >= 0 {
		return fmt.Errorf("block %d from memory\n%+v\nfrom a source\n%+v", at, nth(o.blocks, at), nth(other.blocks, at))
	}
	return nil
}

// extra reads again, in a way that the input chooses.
func (c *checker) extra() error {
	switch c.dice.roll(5) {
	case 0:
		return c.again()
	case 1:
		return c.cut()
	case 2:
		return c.failing()
	case 3:
		return c.limited()
	default:
		return c.stoppedSource()
	}
}

// again resets the reader of the base.
func (c *checker) again() error {
	base := c.base
	o, err := c.rd.memory(c.b).through(byEvents)
	if err == nil {
		err = differ("after ResetBytes", base, o)
	}
	if err != nil {
		return err
	}
	if o, err = c.rd.source(crumble(c.b, c.dice)).through(byResumed); err != nil {
		return err
	}
	return differ("after Reset", base, o)
}

// cut reads a part of the stream: the same events up to its end, and then the
// error with the end's offset.
func (c *checker) cut() error {
	n := c.dice.roll(len(c.b) + 1)
	o, err := newReading(codec.Options{OnError: codec.Skip}).memory(clip(c.b[:n])).through(byEvents)
	if err == nil {
		err = o.sound(int64(n))
	}
	if err == nil {
		err = prefix("cut", c.base, o)
	}
	if err != nil {
		return fmt.Errorf("truncated at %d: %w", n, err)
	}
	var e *codec.Error
	switch {
	case errors.As(o.err, &e) && errors.Is(e, codec.ErrTruncated) && e.Offset == int64(n):
	case c.base.err == nil && o.err == nil && int64(n) >= c.base.offset-c.base.trailing:
	case c.base.err != nil && errors.Is(o.err, cause(c.base.err)):
	default:
		return fmt.Errorf("truncated at %d: ended with %v; the complete stream with %v", n, o.err, c.base.err)
	}
	return nil
}

// failing reads from a source that fails.
func (c *checker) failing() error {
	n := c.dice.roll(len(c.b) + 1)
	src := crumble(c.b[:n], c.dice)
	src.end = errSource
	o, err := newReading(codec.Options{OnError: codec.Skip}).source(src).through(byNext)
	if err == nil {
		err = prefix("failing source", c.base, o)
	}
	switch {
	case err != nil:
		return err
	case o.err == nil && c.base.err == nil && int64(n) >= c.base.offset-c.base.trailing:
		return nil
	case o.err == errSource, o.err != nil && errors.Is(o.err, cause(c.base.err)):
		return nil
	}
	return fmt.Errorf("source that fails at %d: ended with %v; a complete one with %v", n, o.err, c.base.err)
}

// limited reads with limits that many inputs exceed.
func (c *checker) limited() error {
	limits := codec.Limits{
		Block: 512, Metadata: 8, Fields: 4, Nesting: 3, Threads: 8, Stacks: 128, Labels: 16, Total: 16 << 10,
	}
	o, err := newReading(codec.Options{Limits: limits}).memory(c.b).through(byNext)
	if err == nil {
		err = o.sound(int64(len(c.b)))
	}
	if err == nil {
		err = prefix("limited", c.base, o)
	}
	if err != nil {
		return err
	}
	var limit *codec.LimitError
	if errors.As(o.err, &limit) && (limit.Size <= limit.Limit || limit.Name == "") {
		return fmt.Errorf("limited: %v", limit)
	}
	if !errors.Is(o.err, codec.ErrLimit) && !sameError(o.err, c.base.err) && !sameError(o.err, c.base.firstBad) {
		return fmt.Errorf("limited: ended with %v; without limits %v, %v", o.err, c.base.err, c.base.firstBad)
	}
	return nil
}

// stoppedSource reads from a source up to the first bad block.
func (c *checker) stoppedSource() error {
	rd := newReading(codec.Options{})
	o, err := rd.source(crumble(c.b, c.dice)).through(byEvents)
	if err == nil && c.base.bad == 0 {
		err = differ("stopping source", c.base, o)
	} else if err == nil {
		err = c.upTo("stopping source", o, c.base.firstBad)
	}
	return err
}
