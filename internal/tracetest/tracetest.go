// Package tracetest makes small traces for the tests of reports. Their clock ticks once
// a microsecond, from 0.
package tracetest

import (
	"encoding/binary"
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
)

// Process is the id of the process of a trace of v4.
const Process = 77

// Trace is a trace in the making.
type Trace struct {
	*gen.Builder
	types map[kind]uint32
}

// kind identifies an event.
type kind struct {
	provider string
	id       uint32
	version  uint32
}

// New returns an empty trace of a version.
func New(format wire.Format) *Trace { return With(format, Header(Process)) }

// Header returns the header of a trace of a process. It has no sync time.
func Header(process int) codec.Trace {
	return codec.Trace{TickFrequency: 1e6, PointerSize: 8, Properties: []codec.KeyValue{{Key: codec.ProcessIDKey, Value: strconv.Itoa(process)}}}
}

// With returns an empty trace of a version with a header.
func With(format wire.Format, head codec.Trace) *Trace {
	return &Trace{Builder: gen.NewBuilder(gen.BuilderOptions{Format: format, Trace: head}), types: map[kind]uint32{}}
}

// Event is an event of a trace.
type Event struct {
	At       uint64 // microseconds
	Thread   uint64 // that it is about: index of the thread in v6, otherwise its id
	Capture  uint64 // thread that logs it. Default: Thread
	Provider string // default: the .NET runtime
	ID       uint32
	Version  uint32   // default: 2
	Stack    []uint64 // default: none
	Payload  []any    // numbers of fixed size, in order
	Sequence uint32   // default: the next one of the thread

	Activity, Related wire.GUID // default: none
}

// Add adds an event.
func (m *Trace) Add(e Event) {
	if e.Provider == "" {
		e.Provider = "Microsoft-Windows-DotNETRuntime"
	}
	if e.Version == 0 {
		e.Version = 2
	}
	key := kind{e.Provider, e.ID, e.Version}
	if m.types[key] == 0 {
		m.types[key] = m.Metadata(&codec.Metadata{Provider: e.Provider, EventID: e.ID, Version: e.Version, Level: 4})
	}
	if e.Capture == 0 {
		e.Capture = e.Thread
	}
	m.Now = e.At
	row := codec.EventRow{
		MetadataID: m.types[key], CaptureThreadIndex: e.Capture, ThreadIndex: e.Thread, Timestamp: e.At, Processor: wire.UnknownProcessor,
		Payload: Pack(e.Payload...), Activity: e.Activity, Related: e.Related, Sequence: e.Sequence,
	}
	if e.Stack != nil {
		row.StackID = m.Stack(e.Stack)
	}
	m.Event(&row)
}

// Of defines a thread of a process (v6).
func (m *Trace) Of(process, thread uint64) {
	m.Thread(&codec.Thread{Index: thread, ProcessID: process, ThreadID: thread, HasProcessID: true, HasThreadID: true})
}

// Bytes returns the trace.
func (m *Trace) Bytes() []byte { return m.Builder.Trace().Bytes() }

// Pack makes a payload of numbers of fixed size.
func Pack(fields ...any) []byte {
	var b []byte
	for _, f := range fields {
		var err error
		if b, err = binary.Append(b, binary.LittleEndian, f); err != nil {
			panic(err)
		}
	}
	return b
}
