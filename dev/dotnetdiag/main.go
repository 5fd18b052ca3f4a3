// Dotnetdiag is github.com/pyroscope-io/dotnetdiag, which reads version 4, as a
// reader under test:
//
//	nettrace conformance run --stream -- dotnetdiag --stream
//
// It is a module of its own, so that nobody else downloads that library.
package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/conformance/adapter"
	"github.com/pyroscope-io/dotnetdiag/nettrace"
)

func main() { adapter.Main(read) }

// object is a line, or a part of one.
type object = map[string]any

// omits are the keys that the library does not support: it does not read tags,
// payloads and losses. Its sequence numbers differ from those of the events: it
// regards the difference in a compressed row as the number. Compared, they would
// fail nearly every trace with two threads and hide the other differences.
var omits = []string{"opcode", "fields", "fieldsError", "lost", "rows", "sequence"}

// reading is a trace during its reading.
type reading struct {
	out      *json.Encoder
	trace    *nettrace.Trace
	metadata map[int32]*nettrace.Metadata
	stacks   map[int32]nettrace.Stack
	events   int
	broken   error // a row that cannot be printed
}

func read(trace []byte, out io.Writer) adapter.Exit {
	src := bytes.NewReader(trace)
	r := &reading{out: json.NewEncoder(out), metadata: map[int32]*nettrace.Metadata{}, stacks: map[int32]nettrace.Stack{}}
	r.out.SetEscapeHTML(false)
	stream := nettrace.NewStream(src)
	stream.MetadataHandler = r.define
	stream.EventHandler = r.event
	stream.StackBlockHandler = r.keep
	stream.SequencePointBlockHandler = func(*nettrace.SequencePointBlock) error {
		clear(r.stacks)
		return nil
	}
	exit := r.run(stream, src, otherVersion(trace))
	r.line(object{"type": "end", "events": r.events, "lost": "0", "truncated": exit == adapter.Rejected && src.Len() == 0 && r.broken == nil})
	return exit
}

// otherVersion reports whether a trace has the header of version 3 or 6. The library
// has one error for these and for headers of no version.
func otherVersion(trace []byte) bool {
	return bytes.HasPrefix(trace, []byte("\x14\x00\x00\x00!FastSerialization.1")) || bytes.HasPrefix(trace, []byte("Nettrace\x00\x00\x00\x00"))
}

func (r *reading) run(stream *nettrace.Stream, src *bytes.Reader, otherVersion bool) adapter.Exit {
	var err error
	r.trace, err = stream.Open()
	if errors.Is(err, nettrace.ErrInvalidNetTraceHeader) && otherVersion || errors.Is(err, nettrace.ErrUnsupportedObjectVersion) {
		return adapter.Unsupported
	} else if err != nil {
		return adapter.Rejected
	}
	r.head()
	for err == nil {
		err = stream.Next()
	}
	switch {
	case errors.Is(err, nettrace.ErrUnsupportedObjectVersion):
		return adapter.Unsupported
	case errors.Is(err, io.EOF) && src.Len() == 0 && r.broken == nil:
		return adapter.Read
	}
	return adapter.Rejected
}

func (r *reading) line(o object) { _ = r.out.Encode(o) }

// head prints the trace line.
func (r *reading) head() {
	t := r.trace
	line := object{
		"type": "trace", "format": "4", "pointerSize": t.PointerSize, "syncTicks": decimal(int64(t.SyncTimeQPC)),
		"tickFrequency": decimal(int64(t.QPCFrequency)), "omits": omits,
		"properties": object{
			"ProcessId": fmt.Sprint(t.ProcessID), "HardwareThreadCount": fmt.Sprint(t.NumberOfProcessors),
			"ExpectedCPUSamplingRate": fmt.Sprint(t.ExpectedCPUSamplingRate),
		},
	}
	moment := time.Date(int(t.Year), time.Month(t.Month), int(t.Day), int(t.Hour), int(t.Minute), int(t.Second), int(t.Millisecond)*1e6, time.UTC)
	line["syncTime"] = moment.Format("2006-01-02T15:04:05.000Z")
	r.line(line)
}

func (r *reading) define(m *nettrace.Metadata) error {
	r.metadata[m.Header.MetaDataID] = m
	return nil
}

func (r *reading) keep(b *nettrace.StackBlock) error {
	for _, s := range b.Stacks {
		r.stacks[s.ID] = s
	}
	return nil
}

// event prints an event line.
func (r *reading) event(e *nettrace.Blob) error {
	m := r.metadata[e.Header.MetadataID]
	if m == nil {
		r.broken = fmt.Errorf("metadata %d is not known", e.Header.MetadataID)
		return r.broken
	}
	line := object{
		"type": "event", "provider": m.Header.ProviderName, "id": uint32(m.Header.EventID), "version": uint32(m.Header.Version),
		"name": m.Header.EventName, "level": uint32(m.Header.Level), "keywords": address(uint64(m.Header.Keywords)),
		"time": decimal(int64(e.Header.TimeStamp)), "thread": decimal(int64(e.Header.ThreadID)),
		"captureThread": decimal(int64(e.Header.CaptureThreadID)), "process": fmt.Sprint(r.trace.ProcessID),
		"payload":  hex.EncodeToString(e.Payload.Bytes()),
		"activity": wire.GUID(e.Header.ActivityID).String(), "relatedActivity": wire.GUID(e.Header.RelatedActivityID).String(),
	}
	if p := uint32(e.Header.CaptureProcNumber); p != wire.UnknownProcessor {
		line["processor"] = p
	}
	if s, ok := r.stacks[e.Header.StackID]; ok {
		line["stack"] = r.addresses(s)
	}
	r.events++
	r.line(line)
	return nil
}

// addresses are those of a stack, leaf first: the library turns them round.
func (r *reading) addresses(s nettrace.Stack) []string {
	var list []string
	for _, a := range s.InstructionPointers(r.trace.PointerSize) {
		list = append(list, address(a))
	}
	slices.Reverse(list)
	return list
}

func decimal(v int64) string { return strconv.FormatInt(v, 10) }

func address(v uint64) string { return "0x" + strconv.FormatUint(v, 16) }
