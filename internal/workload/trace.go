// Package workload has the traces of the benchmarks and the loop over their
// events that all readers share.
package workload

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/corpora"
)

// Trace is a stream to be measured, in memory.
type Trace struct {
	Name    string // without the version: "net10-deep"
	Version string // of the format: "4"
	Data    []byte // plain
}

// Open returns the trace of corpora called full, such as "net10-deep.v4".
func Open(full string) (Trace, error) {
	data, err := corpora.Open(full)
	return NewTrace(full, data), err
}

// NewTrace makes a trace of a name with a version in it, such as
// "net10-deep.v4", and its plain bytes.
func NewTrace(full string, data []byte) Trace {
	name, version, _ := strings.Cut(full, ".v")
	return Trace{Name: name, Version: version, Data: data}
}

// Sum is the result of one pass over a stream. Readers that agree on it saw the
// same events.
type Sum struct {
	Events int
	Ticks  uint64 // sum of the timestamps
	IDs    uint64 // sum of the event ids, which are in the metadata
	Fields int    // of payloads, where they were read
	Values uint64 // sum of the numbers in them and of the lengths of the others
}

// Keys are the keys of a benchmark's row, the same ones in the same order in
// all families.
func (t Trace) Keys(source string) string {
	return "version=" + t.Version + "/trace=" + t.Name + "/source=" + source
}

// Reader makes a Reader and returns a function that sets it to the start of the
// trace.
func (t Trace) Reader(source string, opt codec.Options) func() *codec.Reader {
	return ResetTo(t, source, codec.NewReader(nil, opt))
}

// ResetTo returns a function that sets r to the start of the trace, in memory or
// as a stream, and returns it.
func ResetTo[R interface {
	Reset(io.Reader)
	ResetBytes([]byte)
}](t Trace, source string, r R) func() R {
	src := bytes.NewReader(nil)
	return func() R {
		if source == "memory" {
			r.ResetBytes(t.Data)
		} else {
			src.Reset(t.Data)
			r.Reset(src)
		}
		return r
	}
}

// Pass returns a function that reads the trace from start to end, each time
// with the same Reader, and looks at the time and the id of each event. A
// stream that is cut is no error: what was whole is counted.
func (t Trace) Pass(source string, opt codec.Options) func() (Sum, error) {
	reset := t.Reader(source, opt)
	return func() (Sum, error) { return read(reset()) }
}

// UnlessTruncated returns the error that ends a pass, nil for a truncated stream.
func UnlessTruncated(err error) error {
	if errors.Is(err, codec.ErrTruncated) {
		return nil
	}
	return err
}

func read(r *codec.Reader) (Sum, error) {
	events, ticks, ids := 0, uint64(0), uint64(0)
	for e, err := range r.Events() {
		if err != nil {
			break
		}
		events++
		ticks += e.Timestamp
		ids += uint64(e.ID())
	}
	return Sum{Events: events, Ticks: ticks, IDs: ids}, UnlessTruncated(r.Err())
}
