package bench

import (
	"bytes"
	"context"
	"io"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/workload"
)

// blockReader is Reader for a codec.BlockReader.
func blockReader(t workload.Trace, source string, opt codec.Options) func() *codec.BlockReader {
	return workload.ResetTo(t, source, codec.NewBlockReader(nil, opt))
}

// orderPass is Pass in order of time.
func orderPass(t workload.Trace, source string) func() (workload.Sum, error) {
	return t.Pass(source, codec.Options{Order: codec.ByTime})
}

// resolvePass is Pass with a look at all that an event refers to: provider,
// thread, stack and labels.
func resolvePass(t workload.Trace, source string) func() (workload.Sum, error) {
	reset := t.Reader(source, codec.Options{})
	return func() (workload.Sum, error) {
		var s workload.Sum
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
		return s, workload.UnlessTruncated(r.Err())
	}
}

// transcodePass reads the trace and writes it in version 6, to nowhere.
func transcodePass(t workload.Trace) func() (workload.Sum, error) {
	reset := blockReader(t, "memory", codec.Options{})
	return func() (workload.Sum, error) {
		r := reset()
		_, err := edit.Convert(context.Background(), io.Discard, r, edit.ConvertOptions{Format: wire.V6})
		return workload.Sum{Events: int(r.Count())}, workload.UnlessTruncated(err)
	}
}

// indexPass makes an index of the trace from its block headers.
func indexPass(t workload.Trace) func() (workload.Sum, error) {
	return func() (workload.Sum, error) {
		x, err := codec.NewIndex(bytes.NewReader(t.Data), int64(len(t.Data)), codec.Options{})
		if err != nil {
			return workload.Sum{}, err
		}
		return workload.Sum{Events: len(x.Blocks())}, nil
	}
}

// openPass reads the first event of the trace with a new Reader.
func openPass(t workload.Trace) func() (workload.Sum, error) {
	return func() (workload.Sum, error) {
		r := codec.NewBytesReader(t.Data, codec.Options{Schemas: clr.Schemas})
		e, ok := r.Next()
		if !ok {
			return workload.Sum{}, r.Err()
		}
		return workload.Sum{Events: 1, Ticks: e.Timestamp}, nil
	}
}
