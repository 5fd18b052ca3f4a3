package adapter

import (
	"errors"
	"io"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
)

// Codec reads a trace with a codec.Reader with default options.
func Codec(trace []byte, out io.Writer) Exit {
	w := ndjson.NewWriter(out, ndjson.Options{Payload: true, Fields: true, Stacks: true})
	r := codec.NewBytesReader(trace, codec.Options{OnLost: func(l codec.Lost) { _ = w.Lost(l) }})
	if t, err := r.Trace(); err == nil {
		_ = w.Trace(t)
	}
	for e, err := range r.Events() {
		if err == nil {
			_ = w.Event(e)
		}
	}
	for _, d := range r.Defects() {
		if e := (*codec.Error)(nil); errors.As(d.Err, &e) {
			_ = w.Defect(e)
		}
	}
	_ = w.End(errors.Is(r.Err(), codec.ErrTruncated))
	switch {
	case errors.Is(r.Err(), codec.ErrVersion):
		return Unsupported
	case r.Err() != nil:
		return Rejected
	}
	return Read
}

// Rows writes all that package codec reads of a trace, with its rows, and returns
// every fault that it reports: defects, bad blocks, which it leaves out, and the
// error that ends the reading. It sets OnError and the callbacks of the options.
func Rows(trace []byte, out io.Writer, opt codec.Options) (faults []codec.Error) {
	w := ndjson.NewWriter(out, ndjson.Options{Payload: true, Fields: true, Stacks: true, Rows: true})
	var lost []codec.Lost
	opt.OnError = codec.Skip
	opt.OnDefect = func(e *codec.Error) { faults = append(faults, *e) }
	opt.OnLost = func(l codec.Lost) { lost = append(lost, l) }
	r := codec.NewBytesBlockReader(trace, opt)
	flush := func() {
		for _, l := range lost {
			_ = w.Lost(l)
		}
		lost = lost[:0]
	}
	if t, err := r.Trace(); err == nil {
		_ = w.Trace(t)
	}
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		flush()
		_ = w.Rows(b)
		for e, ok := r.NextEvent(); ok; e, ok = r.NextEvent() {
			flush()
			_ = w.Rows(b)
			_ = w.Event(e)
		}
		flush()
		_ = w.Rows(b)
	}
	_ = w.End(errors.Is(r.Err(), codec.ErrTruncated))
	var fault *codec.Error
	switch {
	case errors.As(r.Err(), &fault):
		faults = append(faults, *fault)
	case r.Err() != nil:
		faults = append(faults, codec.Error{Err: r.Err()})
	}
	return faults
}
