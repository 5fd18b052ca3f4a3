package fuzz

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Options that the first byte of a script chooses.
const (
	mixStrict = 1 << iota
	mixByTime
	mixSkip
	mixSource
	mixReorder
	mixBlocks
)

// longestMixed is the size of the longest stream that scripts run on, in bytes.
const longestMixed = 8 << 10

// longestScript is the number of steps of a script.
const longestScript = 48

// mixed drives one Reader, or one BlockReader, by a script, a byte a step, through
// all the methods that move it, in any order.
type mixed struct {
	script []byte
	stream []byte
	opt    codec.Options
	r      *codec.Reader
	b      *codec.BlockReader // or nil
	in     streamReader       // the one that reads
	digest digester
	dice   *dice

	plain   map[int64]record // the events of the stream by offset
	ordered []record         // in the order of Options.Order

	within    codec.TimeRange // of the Reader, when sliced
	sliced    bool
	seen      map[int64]bool // offsets of the events delivered since the last Reset
	last      int64          // offset of the last one
	delivered int
	moved     bool         // by blocks: events were passed over
	event     *codec.Event // of Next, valid until the next step
	err       error        // that the Reader ended with
	ended     bool
}

// checkMixed runs a script on a stream, and fails the test when the Reader panics
// except for a call inside a loop, an error does not stay, or events are
// repeated, out of order, or different from a plain reading.
func checkMixed(t testing.TB, script, stream []byte) {
	t.Helper()
	defer guard()()
	before := bytes.Clone(stream)
	if err := runMixed(script, clip(stream)); err != nil {
		t.Fatalf("%v\nscript: %x\nstream: %x", err, script, stream)
	}
	if !bytes.Equal(before, stream) {
		t.Fatalf("the reader has changed its input\nstream: %x", before)
	}
}

func runMixed(script, stream []byte) error {
	if len(script) == 0 {
		return nil
	}
	flags := script[0]
	m := &mixed{script: script[1:min(len(script), 1+longestScript)], stream: stream, dice: diceOf(stream)}
	if flags&mixByTime != 0 {
		m.opt.Order = codec.ByTime
	}
	if flags&mixSkip != 0 {
		m.opt.OnError = codec.Skip
	}
	if flags&mixReorder != 0 {
		m.opt.Limits.Reorder = 512
	}
	if err := m.readPlain(); err != nil {
		return err
	}
	m.opt.Strict = flags&mixStrict != 0
	m.r = codec.NewBytesReader(nil, m.opt)
	if m.in = m.r; flags&mixBlocks != 0 {
		m.b = codec.NewBytesBlockReader(nil, m.opt)
		m.in = m.b
	}
	m.start(flags)
	for len(m.script) > 0 {
		op := m.take()
		if err := m.step(op); err != nil {
			return fmt.Errorf("step %d, %#x: %w", len(script)-len(m.script)-1, op, err)
		}
	}
	return nil
}

// readPlain reads the stream by Next alone.
func (m *mixed) readPlain() error {
	opt := m.opt
	opt.Order, opt.OnError = codec.FileOrder, codec.Skip
	o, err := newReading(opt).memory(m.stream).through(byNext)
	if err != nil {
		return err
	}
	m.plain = map[int64]record{}
	for _, e := range o.events {
		m.plain[e.Offset] = e
	}
	if o, err = newReading(m.opt).memory(m.stream).through(byNext); err != nil {
		return err
	}
	m.ordered = o.events
	return nil
}

// take is the next byte of the script, 0 at its end.
func (m *mixed) take() byte {
	if len(m.script) == 0 {
		return 0
	}
	b := m.script[0]
	m.script = m.script[1:]
	return b
}

// start makes the Reader read the stream from its start.
func (m *mixed) start(flags byte) {
	if flags&mixSource != 0 {
		m.in.Reset(crumble(m.stream, m.dice))
	} else {
		m.in.ResetBytes(m.stream)
	}
	m.begin()
}

func (m *mixed) begin() {
	m.seen, m.last, m.delivered, m.moved = map[int64]bool{}, -1, 0, false
	m.sliced, m.event, m.err, m.ended = false, nil, nil, false
}

// step runs one step; the upper bits of op are its length.
func (m *mixed) step(op byte) error {
	switch op & 0xF {
	case 7, 8:
		return m.fields(m.event)
	case 9:
		m.start(op >> 4)
	case 12:
		_, _ = m.in.Trace()
	case 13:
		m.in.Defects()
		m.in.BadBlocks()
	default:
		n := 1 + int(op>>4)
		if m.b != nil {
			return m.blockStep(op, n)
		}
		return m.readerStep(op, n)
	}
	return nil
}

// readerStep runs one step of a Reader.
func (m *mixed) readerStep(op byte, n int) error {
	switch op & 0xF {
	case 0, 1, 4:
		return m.next(n)
	case 2, 3, 5:
		return m.loop(n, op&1 != 0)
	case 10, 11:
		return m.between(op >> 4)
	}
	return nil
}

// blockStep runs one step of a BlockReader.
func (m *mixed) blockStep(op byte, n int) error {
	switch op & 0xF {
	case 0, 1, 4:
		return m.nextBlock(n)
	case 2, 3, 5:
		return m.nextEvent(n)
	case 6, 10, 11:
		return m.rows(n)
	}
	return nil
}

// next calls Next a few times.
func (m *mixed) next(n int) error {
	for range n {
		e, ok := m.r.Next()
		if m.event = e; !ok {
			return m.end(m.r.Err())
		}
		if err := m.got(e); err != nil {
			return err
		}
	}
	return nil
}

// loop reads a few events. The script determines the body for each.
func (m *mixed) loop(n int, leave bool) error {
	m.event = nil
	var ended error
	for e, err := range m.r.Events() {
		if ended = err; err != nil {
			if misuse := m.inside(m.take()); misuse != nil {
				return misuse
			}
			continue
		}
		if err := m.got(e); err != nil {
			return err
		}
		if n--; n < 0 && leave {
			return nil
		}
		switch op := m.take(); op & 3 {
		case 1:
			if err := m.fields(e); err != nil {
				return err
			}
		case 2:
			if err := m.inside(op); err != nil {
				return err
			}
		}
	}
	if err := m.r.Err(); err != ended {
		return fmt.Errorf("a loop ended with %v, Err is %v", ended, err)
	}
	return m.end(ended)
}

// nextBlock reads a few blocks.
func (m *mixed) nextBlock(n int) error {
	m.event, m.moved = nil, true
	for range n {
		b, ok := m.b.Next()
		if !ok {
			return m.end(m.b.Err())
		}
		if m.ended {
			return fmt.Errorf("block at %d after the end, %w", b.Offset, m.err)
		}
		if b.Kind == wire.KindEndOfStream && m.b.Err() != nil {
			return fmt.Errorf("an end mark, and %w", m.b.Err())
		}
	}
	return nil
}

// nextEvent reads a few events of the current block.
func (m *mixed) nextEvent(n int) error {
	m.event, m.moved = nil, true
	for range n {
		e, ok := m.b.NextEvent()
		if !ok {
			return m.ending()
		}
		if err := m.got(e); err != nil {
			return err
		}
		m.event = e
	}
	return nil
}

// ending is end when the BlockReader has an error.
func (m *mixed) ending() error {
	if err := m.b.Err(); err != nil {
		return m.end(err)
	}
	return nil
}

// rows reads the rows of a few blocks.
func (m *mixed) rows(n int) error {
	m.event, m.moved = nil, true
	var rows codec.BlockRows
	for range n {
		m.b.Rows(&rows)
		for i := range rows.Events {
			row := &rows.Events[i]
			if err := m.row(row.Offset, row.Timestamp, row.Sequence); err != nil {
				return err
			}
		}
		if _, ok := m.b.Next(); !ok {
			return m.end(m.b.Err())
		}
	}
	return nil
}

// between continues with a Reader of an index.
func (m *mixed) between(flags byte) error {
	x, err := codec.NewIndex(bytes.NewReader(m.stream), int64(len(m.stream)), m.opt)
	if err != nil {
		return nil
	}
	if flags&1 != 0 {
		_ = x.Verify(context.Background())
	}
	m.begin()
	m.within = codec.TimeRange{From: m.time(), To: m.time(), HasFrom: flags&2 != 0, HasTo: flags&4 != 0}
	m.r = x.Between(m.within)
	m.in, m.sliced = m.r, true
	return nil
}

// time is that of an event that the script chooses, or close to it.
func (m *mixed) time() uint64 {
	n := int(m.take())
	if len(m.ordered) == 0 {
		return uint64(n)
	}
	return m.ordered[n%len(m.ordered)].Timestamp + uint64(n%3) - 1
}

// fuzzMixed is the function of FuzzMixed.
func fuzzMixed(t testing.TB, script, stream []byte) {
	if len(stream) <= longestMixed {
		checkMixed(t, script, stream)
	}
}
