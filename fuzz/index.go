package fuzz

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sort"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// checkIndex compares an index of the stream, and the events read through it,
// with a complete reading.
func checkIndex(t testing.TB, b []byte) {
	t.Helper()
	defer guard()()
	c := checker{b: clip(b), dice: diceOf(b)}
	err := c.readBoth()
	if err == nil {
		err = c.blocks()
	}
	if err == nil {
		err = c.index()
	}
	if err != nil {
		t.Fatalf("%v\nstream: %x", err, b)
	}
}

// index makes the index and reads slices of time, the widest among them.
func (c *checker) index() error {
	x, err := codec.NewIndex(bytes.NewReader(c.b), int64(len(c.b)), codec.Options{OnError: codec.Skip})
	if err != nil || len(c.parts) == 0 {
		if !sameError(err, c.base.err) {
			return fmt.Errorf("no index: %v; read through: %v", err, c.base.err)
		}
		return nil
	}
	if err := c.listed(x); err != nil {
		return err
	}
	windows := []codec.TimeRange{{}, c.someRange(), c.someRange()}
	for _, within := range windows {
		if err := c.slice(x, within, false); err != nil {
			return fmt.Errorf("%+v: %w", within, err)
		}
	}
	if err := x.Verify(context.Background()); err != nil && cause(err) != cause(c.base.err) {
		return fmt.Errorf("verifying ends with %v, the stream with %v", err, c.base.err)
	} else if err != nil || x.Err() != nil {
		return nil
	}
	for _, within := range windows {
		if n := x.Unverified(within); n != 0 {
			return fmt.Errorf("%+v: %d blocks are not verified", within, n)
		}
		if err := c.slice(x, within, true); err != nil {
			return fmt.Errorf("%+v, verified: %w", within, err)
		}
	}
	return nil
}

// someRange has a bound, two bounds or none.
func (c *checker) someRange() codec.TimeRange {
	dice := c.dice.roll(4)
	return codec.TimeRange{From: c.someTime(), To: c.someTime(), HasFrom: dice&1 != 0, HasTo: dice&2 != 0}
}

// someTime is that of an event, or close to it.
func (c *checker) someTime() uint64 {
	if len(c.base.events) == 0 {
		return uint64(c.dice.roll(1 << 30))
	}
	return c.base.events[c.dice.roll(len(c.base.events))].Timestamp + uint64(c.dice.roll(3)) - 1
}

// listed checks that the index lists the blocks that the stream has, and ends as
// it does.
func (c *checker) listed(x *codec.Index) error {
	blocks := x.Blocks()
	region := 0
	for i, part := range c.parts[1:] {
		if i == len(blocks) {
			return fmt.Errorf("the index ends before block %d: %v", i, x.Err())
		}
		b := &blocks[i]
		if b.Kind != part.Kind || b.Offset != part.Offset || b.Size != part.Size || b.Region != region {
			return fmt.Errorf("block %d of the index is %+v; the stream has %+v in region %d", i, *b, part, region)
		}
		if b.Kind == wire.KindSequencePoint && x.Trace().Format.HasSequencePoints() {
			region++
		}
	}
	if len(blocks) != len(c.parts)-1 || cause(x.Err()) != cause(c.base.err) {
		return fmt.Errorf("%d blocks in the index, %d in the stream; %v, %v", len(blocks), len(c.parts)-1, x.Err(), c.base.err)
	}
	return nil
}

// slice reads the events of a range, at once and by regions. Unless the index is
// verified, a block whose header does not cover its rows may be left out, and
// then Unverified counts it.
func (c *checker) slice(x *codec.Index, within codec.TimeRange, verified bool) error {
	blocks := x.Blocks()
	var all []record
	promised := map[int64]bool{}
	for _, e := range c.base.events {
		if !within.Contains(e.Timestamp) {
			continue
		}
		b := blocks[sort.Search(len(blocks), func(i int) bool { return blocks[i].Offset > e.Offset })-1]
		if all = append(all, e); verified || x.Unverified(within) == 0 || !b.Bounded || (!within.HasTo || b.Min < within.To) && (!within.HasFrom || within.From <= b.Max) {
			promised[e.Offset] = true
		}
	}
	got := &reading{outcome: &outcome{}, r: x.Between(within)}
	for got.loop(false) {
	}
	want := &outcome{events: slices.DeleteFunc(all, func(e record) bool {
		return !promised[e.Offset] && !slices.ContainsFunc(got.events, func(o record) bool { return o.Offset == e.Offset })
	})}
	if err := sameEvents("slice", want, got.outcome); err != nil {
		return err
	}
	if err := got.r.Err(); err != nil && cause(err) != cause(c.base.err) {
		return fmt.Errorf("the slice ends with %v, the stream with %v", err, c.base.err)
	}
	return chunksAgree(x, within, want)
}

// chunksAgree reads a slice in chunks.
func chunksAgree(x *codec.Index, within codec.TimeRange, want *outcome) error {
	const chunks = 16 // about
	blocks := x.Blocks()
	if len(blocks) == 0 {
		return nil
	}
	joined := &outcome{}
	var d digester
	r := x.ChunkReader(codec.ChunkHooks{})
	for _, c := range x.Chunks(within, blocks[len(blocks)-1].Offset/chunks) {
		r.ReadChunk(c)
		for e, err := range r.Events() {
			if err != nil {
				return nil // and then not all have been read
			}
			joined.events = append(joined.events, d.event(e))
		}
	}
	return sameEvents("in chunks", want, joined)
}

// sameEvents compares the events of two outcomes.
func sameEvents(how string, want, got *outcome) error {
	if err := prefix(how, want, got); err != nil {
		return err
	}
	if len(want.events) != len(got.events) {
		return fmt.Errorf("%s: %d events, not %d", how, len(got.events), len(want.events))
	}
	return nil
}
