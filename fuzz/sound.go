package fuzz

import (
	"errors"
	"fmt"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
)

// sound checks the invariants of every reading of a stream of size bytes.
func (o *outcome) sound(size int64) error {
	last := int64(-1)
	for i := range o.events {
		at := o.events[i].Offset
		if at <= last || at >= size {
			return fmt.Errorf("event %d is at %d, after one at %d, in %d bytes", i, at, last, size)
		}
		last = at
	}
	if o.unclipped {
		return errors.New("a payload has more capacity than length")
	}
	if n := int64(len(o.events)); 2*n > size || o.count < n || o.count > n && o.err == nil {
		return fmt.Errorf("%d events, %d by Count, in %d bytes", n, o.count, size)
	}
	if o.offset > size || o.err == nil && o.offset != size {
		return fmt.Errorf("consumed %d bytes of %d", o.offset, size)
	}
	var lost uint64
	for _, l := range o.losses {
		lost += l.count
	}
	if lost != o.lost {
		return fmt.Errorf("%d lost events reported, %d counted", lost, o.lost)
	}
	return o.soundErrors(size)
}

// soundErrors checks the errors and defects of the reader.
func (o *outcome) soundErrors(size int64) error {
	for i := range o.reported {
		if err := soundError(&o.reported[i], size); err != nil {
			return err
		}
	}
	for _, d := range o.defects {
		n := 0
		for i := range o.reported {
			if o.reported[i].Rule == d.Rule {
				n++
			}
		}
		if int64(n) != d.Count || codec.RuleOf(d.Err) != d.Rule {
			return fmt.Errorf("%d defects of %v, %d reported", d.Count, d.Rule, n)
		}
	}
	if (o.bad > 0) != (o.firstBad != nil) {
		return fmt.Errorf("%d bad blocks, the first: %v", o.bad, o.firstBad)
	}
	if o.firstBad != nil {
		if err := soundError(o.firstBad, size); err != nil {
			return err
		}
	}
	if o.err != nil {
		return soundError(o.err, size)
	}
	return nil
}

var sentinels = []error{
	codec.ErrNotNetTrace, codec.ErrVersion, codec.ErrTruncated, codec.ErrLimit,
	codec.ErrFraming, codec.ErrBadBlock, codec.ErrDefect,
}

// cause is the sentinel of an error.
func cause(err error) error {
	for _, s := range sentinels {
		if errors.Is(err, s) {
			return s
		}
	}
	return nil
}

// soundError checks that an error has a rule and an offset.
func soundError(err error, size int64) error {
	e, ok := err.(*codec.Error)
	switch {
	case !ok:
		return fmt.Errorf("the error is no *codec.Error: %w", err)
	case e.Offset < 0 || e.Offset > size || e.BlockOffset < 0 || e.BlockOffset > e.Offset || e.Row < codec.NoRow:
		return fmt.Errorf("place of an error in %d bytes: %w", size, err)
	case e.Rule == rule.None || e.Rule.Rule() == nil:
		return fmt.Errorf("the error names no rule: %w", err)
	case cause(e) == nil || e.Error() == "":
		return fmt.Errorf("the error has no known cause: %w", err)
	case errors.Is(e, codec.ErrTruncated) && e.Offset != size:
		return fmt.Errorf("a truncation that is not at the end, %d: %w", size, err)
	}
	return nil
}
