package tracedoc

import (
	"bytes"
	"context"
	"strconv"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/gcdump"
	"github.com/nettrace-go/nettrace/view"
)

// withoutEvents is what the page of a .gcdump file does not have.
const withoutEvents = "samples, events and reports: a .gcdump file has a heap dump only"

// readGCDump reads a .gcdump file: the document is that of a trace without events, and the page
// heap reads the file. again opens it again.
func readGCDump(ctx context.Context, in *input.File, again func() (*input.File, error), how Reading) (*view.Source, *Events, error) {
	f, err := gcdump.Read(in, gcdump.Options{})
	if err != nil {
		return nil, nil, exit.With(input.ExitCode(err), input.FileError(in.Name, err))
	}
	trace, err := traceOf(f)
	if err != nil {
		return nil, nil, err
	}
	empty := func() (*input.File, error) { return input.FromBytes(in.Name, trace), nil }
	first, err := empty()
	if err != nil {
		return nil, nil, err
	}
	s, _, err := read(ctx, first, empty, how)
	if err != nil {
		return nil, nil, err
	}
	s.Heap, s.LeftOut = true, append(s.LeftOut, withoutEvents)
	heap := newHeapDump()
	heap.open = again
	return s, &Events{name: s.File, trace: s.Trace, how: how, open: empty, matched: map[string]int64{}, heap: heap}, nil
}

// traceOf returns a trace without events, with the time and the process of a .gcdump file.
func traceOf(f *gcdump.File) ([]byte, error) {
	year1 := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	trace := codec.Trace{SyncTime: time.Unix(0, 0).UTC(), TickFrequency: uint64(time.Second), PointerSize: 4}
	if f.Collected > 0 {
		const perSecond = int64(time.Second / 100)
		trace.SyncTime = time.Unix(year1.Unix()+f.Collected/perSecond, f.Collected%perSecond*100).UTC()
	}
	if f.Is64Bit {
		trace.PointerSize = 8
	}
	if f.ProcessID > 0 {
		trace.Properties = []codec.KeyValue{{Key: codec.ProcessIDKey, Value: strconv.Itoa(int(f.ProcessID))}}
	}
	var b bytes.Buffer
	w := codec.NewWriter(&b, codec.WriterOptions{Trace: trace})
	err := w.Close()
	return b.Bytes(), err
}
