// Package peer reads traces with another Go library for comparison:
// github.com/pyroscope-io/dotnetdiag, which reads version 4. It is a separate
// module, so that other modules do not download that library.
package peer

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/nettrace-go/nettrace/internal/workload"
	"github.com/pyroscope-io/dotnetdiag/nettrace"
)

// Pass returns a function that does with the peer what [workload.Trace.Pass] does
// with ours: the same look at each event, from an io.Reader. Every handler is
// set, so that metadata, stacks and sequence points are parsed as well. The peer
// delivers of a truncated stream the events in complete blocks.
func Pass(t workload.Trace) func() (workload.Sum, error) {
	src := bytes.NewReader(nil)
	return func() (workload.Sum, error) {
		src.Reset(t.Data)
		return read(src)
	}
}

func read(src *bytes.Reader) (workload.Sum, error) {
	var s workload.Sum
	var ids []uint64 // by metadata id: the writers' are dense, and a map would be slower
	stream := nettrace.NewStream(src)
	stream.MetadataHandler = func(m *nettrace.Metadata) error {
		for int(m.Header.MetaDataID) >= len(ids) {
			ids = append(ids, 0)
		}
		ids[m.Header.MetaDataID] = uint64(m.Header.EventID)
		return nil
	}
	stream.StackBlockHandler = func(*nettrace.StackBlock) error { return nil }
	stream.SequencePointBlockHandler = func(*nettrace.SequencePointBlock) error { return nil }
	stream.EventHandler = func(e *nettrace.Blob) error {
		s.Events++
		s.Ticks += uint64(e.Header.TimeStamp)
		s.IDs += ids[e.Header.MetadataID]
		return nil
	}
	if _, err := stream.Open(); err != nil {
		return s, err
	}
	for {
		err := stream.Next()
		switch {
		case err == nil:
		case src.Len() > 0:
			// The peer's errors do not distinguish a row that it cannot read from
			// the end.
			return s, fmt.Errorf("stopped %d bytes before the end: %w", src.Len(), err)
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return s, nil
		default:
			return s, err
		}
	}
}
