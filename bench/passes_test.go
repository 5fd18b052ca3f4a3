package bench

import (
	"bytes"
	"context"
	"io"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
)

// BlockReader is Reader for a codec.BlockReader.
func (t Trace) BlockReader(source string, opt codec.Options) func() *codec.BlockReader {
	return resetTo(t, source, codec.NewBlockReader(nil, opt))
}

// ColumnsPass is Pass with the columns of each block.
func (t Trace) ColumnsPass(source string) func() (Sum, error) {
	reset := t.BlockReader(source, codec.Options{})
	var c codec.Columns
	return func() (Sum, error) {
		var s Sum
		r := reset()
		for _, ok := r.Next(); ok; _, ok = r.Next() {
			r.Columns(&c)
			s.Events += c.Len()
			for _, ticks := range c.Timestamp {
				s.Ticks += ticks
			}
			for _, id := range c.MetadataID {
				if m := r.Metadata(id); m != nil {
					s.IDs += uint64(m.EventID)
				}
			}
		}
		return s, unlessCut(r.Err())
	}
}

// OrderPass is Pass in order of time.
func (t Trace) OrderPass(source string) func() (Sum, error) {
	return t.Pass(source, codec.Options{Order: codec.ByTime})
}

// ResolvePass is Pass with a look at all that an event refers to: provider,
// thread, stack and labels.
func (t Trace) ResolvePass(source string) func() (Sum, error) {
	reset := t.Reader(source, codec.Options{})
	return func() (Sum, error) {
		var s Sum
		r := reset()
		for e, err := range r.Events() {
			if err != nil {
				break
			}
			s.Events++
			s.Ticks += e.Timestamp
			s.IDs += uint64(e.ID())
			thread, _ := e.ThreadID()
			s.Values += uint64(len(e.Provider())+len(e.Stack())+len(e.Labels())) + thread
		}
		return s, unlessCut(r.Err())
	}
}

// TranscodePass reads the trace and writes it in version 6, to nowhere.
func (t Trace) TranscodePass() func() (Sum, error) {
	reset := t.BlockReader("memory", codec.Options{})
	return func() (Sum, error) {
		r := reset()
		_, err := edit.Convert(context.Background(), io.Discard, r, edit.ConvertOptions{Format: wire.V6})
		return Sum{Events: int(r.Count())}, unlessCut(err)
	}
}

// IndexPass makes an index of the trace from its block headers.
func (t Trace) IndexPass() func() (Sum, error) {
	return func() (Sum, error) {
		x, err := codec.NewIndex(bytes.NewReader(t.Data), int64(len(t.Data)), codec.Options{})
		if err != nil {
			return Sum{}, err
		}
		return Sum{Events: len(x.Blocks())}, nil
	}
}

// OpenPass reads the first event of the trace with a new Reader.
func (t Trace) OpenPass() func() (Sum, error) {
	return func() (Sum, error) {
		r := codec.NewBytesReader(t.Data, codec.Options{Schemas: clr.Schemas})
		e, ok := r.Next()
		if !ok {
			return Sum{}, r.Err()
		}
		return Sum{Events: 1, Ticks: e.Timestamp}, nil
	}
}
