package edit

import (
	"io"

	"github.com/nettrace-go/nettrace/codec"
)

// SplitSize says where a part ends: with the event before the one that would
// make it larger or longer. 0 is no bound.
type SplitSize struct {
	Bytes int64  // of a part, about: what waits in the open block is estimated
	Ticks uint64 // from the first event of a part
}

// Split is Slice into several streams, each complete in itself: it has all rows
// that its events refer to, and tells of the losses before its events and
// sequence points. next opens the output of a part, from 1 on, and is called
// when its first event is at hand; a source without any has one part. An output
// is closed before the next one is opened.
//
// Parts follow each other in file order: one after the other they have the
// events of Slice, in the same order. As threads are not in order of time in a
// file, a part can hold events that are somewhat older than the last one of the
// part before.
func Split(next func(part int) (io.WriteCloser, error), src *codec.Reader, size SplitSize, opt SliceOptions) (SliceResult, error) {
	s, err := newSlicer(src, opt)
	if err != nil {
		return SliceResult{}, err
	}
	p := &splitter{slicer: s, size: size, next: next}
	if err := p.open(); err != nil {
		return s.result, err
	}
	s.before = p.before
	err = s.run()
	if end := p.close(); err == nil {
		err = end
	}
	return s.result, err
}

type splitter struct {
	*slicer
	size   SplitSize
	next   func(int) (io.WriteCloser, error)
	part   int
	dst    io.WriteCloser
	events int64  // written before the part
	first  uint64 // time of the part's first event
	wait   int64  // bytes that wait to be written, about
	offset int64  // of the output when that was counted
}

func (p *splitter) open() error {
	p.part++
	var err error
	if p.dst, err = p.next(p.part); err != nil {
		return err
	}
	p.begin(p.dst)
	p.events, p.wait, p.offset = p.result.Events, 0, 0
	return nil
}

func (p *splitter) close() error {
	if p.dst == nil {
		return nil
	}
	err := p.out.w.Close()
	if closed := p.dst.Close(); err == nil {
		err = closed
	}
	p.dst = nil
	return err
}

// before begins a new part where the event that comes does not fit.
func (p *splitter) before(e *codec.Event) error {
	const row = 24 // bytes of a row and of what it refers to, about
	empty := p.result.Events == p.events
	if empty {
		p.first = e.Timestamp
	}
	if at := p.out.w.Offset(); at != p.offset {
		p.wait, p.offset = 0, at
	}
	p.wait += int64(len(e.Payload()) + row)
	full := p.size.Bytes > 0 && p.offset+p.wait > p.size.Bytes ||
		p.size.Ticks > 0 && e.Timestamp > p.first && e.Timestamp-p.first >= p.size.Ticks
	if !full || empty {
		return nil
	}
	if err := p.close(); err != nil {
		return err
	}
	err := p.open()
	p.first = e.Timestamp
	return err
}
