package gen_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// count returns the number of random traces of this tier.
func count() int64 {
	switch {
	case tier.Nightly:
		return 5_000_000
	case tier.Check:
		return 20_000
	}
	return 1000
}

// TestRoundTrip: a random valid trace is read as it was written, and writing it
// again gives the same bytes.
func TestRoundTrip(t *testing.T) {
	n := count()
	var seed atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			c := newChecker()
			for s := seed.Add(1); s <= n && !t.Failed(); s = seed.Add(1) {
				if err := c.check(gen.Random(s)); err != nil {
					t.Errorf("seed %d: %v", s, err)
				}
			}
		})
	}
	workers.Wait()
}

// FuzzRoundTrip does so for traces that a fuzzing engine chooses.
func FuzzRoundTrip(f *testing.F) {
	for _, seed := range []string{"", "12345678", "the quick brown fox jumps over the lazy dog, again and again"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := newChecker().check(gen.FromBytes(data)); err != nil {
			t.Error(err)
		}
	})
}

// checker reads traces and reuses its memory.
type checker struct {
	r      *codec.BlockReader
	plain  *codec.Reader // in file order
	sorted *codec.Reader // in the order of time
	rows   codec.BlockRows
	out    bytes.Buffer
	defect rule.ID
}

func newChecker() *checker {
	c := &checker{}
	c.r = codec.NewBytesBlockReader(nil, codec.Options{OnDefect: func(e *codec.Error) { c.defect = e.Rule }})
	c.plain = codec.NewBytesReader(nil, codec.Options{OnDefect: func(e *codec.Error) { c.defect = e.Rule }})
	c.sorted = codec.NewBytesReader(nil, codec.Options{Order: codec.ByTime})
	return c
}

func (c *checker) check(t *gen.Trace) error {
	data := t.Bytes()
	if err := c.blocks(t, data); err != nil {
		return err
	}
	return c.events(t, data)
}

// blocks compares block by block, and writes them again.
func (c *checker) blocks(t *gen.Trace, data []byte) error {
	c.r.ResetBytes(data)
	c.out.Reset()
	w := codec.NewBlockWriter(&c.out, codec.BlockWriterOptions{Format: t.Format, Preserve: true})
	for i := range t.Blocks {
		b, ok := c.r.Next()
		if !ok {
			return fmt.Errorf("block %d of %d is missing: %w", i, len(t.Blocks), c.r.Err())
		}
		c.r.Rows(&c.rows)
		if err := sameBlock(&t.Blocks[i], &c.rows); err != nil {
			return fmt.Errorf("%v block %d at %d: %w", b.Kind, i, b.Offset, err)
		}
		if err := w.WriteBlock(&c.rows); err != nil {
			return err
		}
	}
	if b, ok := c.r.Next(); !ok || b.Kind != wire.KindEndOfStream {
		return fmt.Errorf("no end mark: %w", c.r.Err())
	}
	if err := w.Close(); err != nil {
		return err
	}
	if !bytes.Equal(c.out.Bytes(), data) {
		return errors.New("written again, the bytes differ")
	}
	return c.canonical(t, data)
}

// canonical compares written blocks without their optional fields.
func (c *checker) canonical(t *gen.Trace, data []byte) error {
	for i := range t.Blocks {
		for j := range t.Blocks[i].Events {
			if t.Blocks[i].Events[j].Written != 0 {
				return nil
			}
		}
	}
	c.r.ResetBytes(data)
	c.out.Reset()
	w := codec.NewBlockWriter(&c.out, codec.BlockWriterOptions{Format: t.Format})
	for _, ok := c.r.Next(); ok; _, ok = c.r.Next() {
		c.r.Rows(&c.rows)
		if err := w.WriteBlock(&c.rows); err != nil {
			return err
		}
	}
	if !bytes.Equal(c.out.Bytes(), data) {
		return errors.New("written in canonical form, the bytes differ")
	}
	return nil
}

// events compares event by event, with the rows that each refers to.
func (c *checker) events(t *gen.Trace, data []byte) error {
	c.plain.ResetBytes(data)
	c.defect = rule.None
	m := newModel(t)
	for i := range t.Blocks {
		for j := range t.Blocks[i].Events {
			e, ok := c.plain.Next()
			if !ok {
				return fmt.Errorf("block %d: event %d is missing: %w", i, j, c.plain.Err())
			}
			if err := m.same(&t.Blocks[i].Events[j], e); err != nil {
				return fmt.Errorf("block %d: event %d at %d: %w", i, j, e.Offset(), err)
			}
		}
		m.define(&t.Blocks[i])
	}
	_, more := c.plain.Next()
	switch {
	case more || c.plain.Err() != nil:
		return fmt.Errorf("more than was written: %w", c.plain.Err())
	case c.defect != rule.None:
		return fmt.Errorf("a defect: %v", c.defect)
	case c.plain.Lost() != m.lost:
		return fmt.Errorf("%d events lost, want %d", c.plain.Lost(), m.lost)
	}
	return c.byTime(t, data)
}

// byTime reads in the order of time: no sorted row and no sequence point
// promises too much.
func (c *checker) byTime(t *gen.Trace, data []byte) error {
	c.sorted.ResetBytes(data)
	n, last := 0, uint64(0)
	for e, ok := c.sorted.Next(); ok; e, ok = c.sorted.Next() {
		if e.Timestamp < last {
			return fmt.Errorf("in the order of time, %d follows %d", e.Timestamp, last)
		}
		n, last = n+1, e.Timestamp
	}
	if n != rowsOf(t) || c.sorted.OutOfOrder() != 0 {
		return fmt.Errorf("in the order of time, %d events, %d of them late", n, c.sorted.OutOfOrder())
	}
	return nil
}

// rowsOf returns the number of event rows.
func rowsOf(t *gen.Trace) (n int) {
	for i := range t.Blocks {
		n += len(t.Blocks[i].Events)
	}
	return n
}
