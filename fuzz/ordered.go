package fuzz

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// ordered reads in time order: the same events with their table rows, the same
// errors and losses, and no event moved across a sequence point.
func (c *checker) ordered() error {
	rd := newReading(codec.Options{OnError: codec.Skip, Order: codec.ByTime})
	o, err := rd.memory(c.b).through(byNext)
	if err != nil {
		return fmt.Errorf("by time: %w", err)
	}
	if t, err := rd.r.Trace(); err != nil || !t.Format.HasSequencePoints() {
		return differ("by time, which has no effect here", c.base, o)
	}
	if err := c.inOrder(o, rd.r.OutOfOrder()); err != nil {
		return fmt.Errorf("by time: %w", err)
	}
	return differ("by time", asInFile(c.base), asInFile(o))
}

// inOrder checks the order within and between the regions of the stream. late is
// the number of events that the reader reports as late.
func (c *checker) inOrder(o *outcome, late int64) error {
	var points []int64
	for _, b := range c.parts {
		if b.Kind == wire.KindSequencePoint {
			points = append(points, b.Offset)
		}
	}
	region := func(e *record) int {
		return sort.Search(len(points), func(i int) bool { return points[i] > e.Offset })
	}
	promised := slices.ContainsFunc(o.events, func(e record) bool { return e.Sorted })
	within := false // an event of a region after a newer one of it
	for i := range o.events {
		a, b := &o.events[max(0, i-1)], &o.events[i]
		switch before, now := region(a), region(b); {
		case i == 0:
		case now < before:
			return fmt.Errorf("event %d, at %d, comes from after a sequence point", i-1, a.Offset)
		case now > before:
		case b.Timestamp < a.Timestamp:
			within = true
		case !promised && byPlace(a, b) > 0:
			return fmt.Errorf("event %d, at %d, is before the one at %d", i-1, a.Offset, b.Offset)
		}
	}
	if want := afterNewer(o.events); late != want || within && !promised {
		return fmt.Errorf("%d events are late, the reader reports %d; promises: %v, late within a region: %v", want, late, promised, within)
	}
	return nil
}

// afterNewer counts the events that come after a newer one.
func afterNewer(events []record) int64 {
	late, newest := int64(0), uint64(0)
	for i := range events {
		if events[i].Timestamp < newest {
			late++
		}
		newest = max(newest, events[i].Timestamp)
	}
	return late
}

// byPlace compares events by time, then capture thread, then place in the file.
func byPlace(a, b *record) int {
	return cmp.Or(cmp.Compare(a.Timestamp, b.Timestamp), cmp.Compare(a.CaptureThread, b.CaptureThread), cmp.Compare(a.Offset, b.Offset))
}

// asInFile is an outcome with its notices in the order of the file.
func asInFile(o *outcome) *outcome {
	c := *o
	c.events, c.losses, c.reported = slices.Clone(o.events), slices.Clone(o.losses), slices.Clone(o.reported)
	slices.SortFunc(c.events, func(a, b record) int { return cmp.Compare(a.Offset, b.Offset) })
	slices.SortStableFunc(c.reported, func(a, b codec.Error) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Rule, b.Rule))
	})
	slices.SortFunc(c.losses, func(a, b loss) int {
		return cmp.Or(cmp.Compare(a.captureThread, b.captureThread), cmp.Compare(a.before, b.before),
			cmp.Compare(a.count, b.count), cmp.Compare(a.thread, b.thread))
	})
	return &c
}
