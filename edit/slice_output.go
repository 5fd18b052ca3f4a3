package edit

import (
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// sliceOutput writes events of Readers with a Writer. The caller of its methods
// sets the threads and the number of rec first.
type sliceOutput struct {
	w      *codec.Writer
	table  bool // threads are rows of a table
	redact *Redactor
	bare   bool // events are written without their stacks
	// schemas reports that the source's Reader has Options.Schemas.
	schemas bool
	rec     codec.Record

	metadata    map[*codec.Metadata]uint32
	recordTrace bool // bare UTF8CodeUnits are counted strings

	indexed bool                  // the source has a table of threads
	process func() (uint64, bool) // of the complete source
}

// maxKnownRows is the number of metadata rows that are cached by address. Then
// the cache starts again; the Writer finds rows by content.
const maxKnownRows = 1 << 16

func newSliceOutput(w *codec.Writer, format wire.Format, src *codec.Trace) *sliceOutput {
	return &sliceOutput{
		w: w, table: format.HasThreadTable(), metadata: make(map[*codec.Metadata]uint32),
		indexed: src.Format.HasThreadTable(), process: src.ProcessID,
	}
}

// write writes an event, at a time of the output.
func (o *sliceOutput) write(e *codec.Event, ticks uint64) error {
	var err error
	rec := &o.rec
	if rec.MetadataID, err = o.define(e.Metadata(), e); err != nil {
		return err
	}
	rec.Timestamp, rec.Processor = ticks, e.Processor
	rec.Stack, rec.Payload = e.Stack(), e.Payload()
	rec.Labels = e.Labels()
	rec.Activity, rec.Related = wire.GUID{}, wire.GUID{}
	if rec.Labels == nil {
		rec.Activity, rec.Related = e.Activity(), e.RelatedActivity()
	}
	if o.bare {
		rec.Stack = nil
	}
	if o.redact != nil {
		rec.Payload, rec.Labels = o.redact.Payload(e), o.redact.Labels(rec.Labels)
	}
	return o.w.Write(rec)
}

// define makes the metadata row of an event known to the Writer.
func (o *sliceOutput) define(m *codec.Metadata, e *codec.Event) (uint32, error) {
	if id, ok := o.metadata[m]; ok {
		return id, nil
	}
	row := m
	if o.recognise(m); o.recordTrace || countedStrings(e) {
		row = plainStrings(m)
	}
	if o.redact != nil {
		if err := o.redact.accepts(m, o.schemas); err != nil {
			return 0, err
		}
		row = o.redact.Metadata(row)
	}
	id, err := o.w.DefineMetadata(row)
	if err == nil {
		if len(o.metadata) >= maxKnownRows {
			clear(o.metadata)
		}
		o.metadata[m] = id
	}
	return id, err
}

// unlisted is the row for a thread that has none in the source.
func (o *sliceOutput) unlisted(id uint64) *codec.Thread {
	if o.indexed {
		return &codec.Thread{}
	}
	row := &codec.Thread{ThreadID: id, HasThreadID: true}
	row.ProcessID, row.HasProcessID = o.process()
	return row
}

// recognise finds out by a metadata row whether record-trace (one-collect) wrote
// the source: it declares the counted strings of Universal.System as a single
// UTF-8 code unit, and Readers take the numbers of its labels otherwise.
func (o *sliceOutput) recognise(m *codec.Metadata) {
	o.recordTrace = o.recordTrace || m.Provider == "Universal.System" && slices.ContainsFunc(m.Fields, bareCodeUnit)
}

// countedStrings reports whether the Reader reads a code unit of the event as a
// counted string.
func countedStrings(e *codec.Event) bool {
	for _, v := range e.Fields() {
		if v.Code() == wire.CountedUTF8String {
			return true
		}
	}
	return false
}

func bareCodeUnit(f codec.Field) bool { return f.Type.Code == wire.UTF8CodeUnit }

// plainStrings declares counted strings as arrays, whose values have the same
// bytes.
func plainStrings(m *codec.Metadata) *codec.Metadata {
	if !slices.ContainsFunc(m.Fields, bareCodeUnit) {
		return m
	}
	row := *m
	row.Fields = slices.Clone(m.Fields)
	for i := range row.Fields {
		if f := &row.Fields[i]; bareCodeUnit(*f) {
			f.Type = codec.Type{Code: wire.Array, Element: &codec.Type{Code: wire.UTF8CodeUnit}}
		}
	}
	return &row
}
