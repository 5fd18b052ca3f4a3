package codec

import (
	"time"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// Event is one event row with the rows that it refers to. It is a view: it, its
// payload and every slice that its methods return are valid until the Reader's
// next step. Use Clone to keep an event longer.
//
// Spec: "Event block" of the v6 text, "Event blobs" of the v4/v5 text.
type Event struct {
	Timestamp          uint64 // ticks; see Time
	ThreadIndex        uint64 // thread of the event: index into the thread table (v6), the operating system's thread id (v3 to v5)
	MetadataID         uint32 // id of its metadata row
	StackID            uint32 // id of its stack; 0 in v3, where the rows have the stacks
	payload, size      uint32 // position and length of the payload in the body
	CaptureThreadIndex uint64 // thread that logged the event, like ThreadIndex
	Processor          uint32 // wire.UnknownProcessor if the writer did not know it
	labels             uint32 // id of the label list (v6), position plus one in activities (v3 to v5)
	Sequence           uint32 // number of the event on its capture thread; 0 in v3
	start              uint8  // lowest byte of the position of the row, which is less than 256 bytes before that of the payload
	flags              byte   // of a compressed row; of others the sorted bit

	src *source
}

// source has the position of an event's bytes, and the tables for its ids: those
// of a Reader, or the rows of one event.
type source struct {
	r          *stream            // nil in a clone
	metadata   idTable[*Metadata] // the Reader's, while it reads the rows of a block
	held       *held              // the rows that the event refers to, when the tables may not hold them any more
	body       []byte
	offset     int64          // of body in the stream
	block      int64          // where the block starts
	activities []activityPair // v3 to v5
	events     int            // of the block that are waiting to be put in order
	of         *source        // the block's, that counts them
}

// held keeps the table rows of an event that waits to be put in order. It is the
// event's source.
type held struct {
	source
	row                   [1]*Metadata
	thread, captureThread *Thread
	stack                 []uint64
	labels                []Label
	clone                 *clone // the other rows that a clone refers to
}

// clone keeps the table rows of an event. It is its source.
type clone struct {
	held
	payload    []byte
	activities activityPair
	trace      *Trace
	indexed    bool
	view       fieldsView // complete
}

// Sorted reports whether the row has the flag that no later event of the stream
// is older.
func (e *Event) Sorted() bool { return e.flags&wire.RowSorted != 0 }

// RowFlags returns the flags byte of the event's row; for an uncompressed row
// only wire.RowSorted can be set.
func (e *Event) RowFlags() byte { return e.flags }

// cloned reports whether the event holds all rows that it refers to.
func (e *Event) cloned() bool { return e.src.r == nil }

// row is the position of the row in the body.
func (e *Event) row() uint32 { return e.payload - uint32(uint8(e.payload)-e.start) }

// Offset returns the file offset of the row.
func (e *Event) Offset() int64 {
	return e.src.offset + int64(e.row())
}

// PayloadOffset returns the file offset of the payload.
func (e *Event) PayloadOffset() int64 { return e.src.offset + int64(e.payload) }

// Payload returns the encoded fields of the event.
func (e *Event) Payload() []byte {
	if e.cloned() {
		return e.src.held.clone.payload
	}
	end := e.payload + e.size
	return e.src.body[e.payload:end:end]
}

// Metadata returns the row that describes the event, nil if the stream does not
// define it. It stays valid.
func (e *Event) Metadata() *Metadata {
	return e.src.metadata.get(uint64(e.MetadataID))
}

// Stack returns the addresses of the event's stack, leaf first. Addresses of
// 32-bit traces are zero-extended. It is nil if the event has no stack or its
// stack is missing.
func (e *Event) Stack() []uint64 {
	if e.src.held != nil {
		return e.src.held.stack
	}
	return e.src.r.dialect.stack(e)
}

// Thread returns the row of the event's thread (v6), or nil if there is none. In
// v3 to v5 it returns nil. The row stays valid.
func (e *Event) Thread() *Thread {
	if e.src.held != nil {
		return e.src.held.thread
	}
	if !e.src.r.dialect.indexed {
		return nil
	}
	return e.src.r.threads.get(e.ThreadIndex)
}

// CaptureThread returns the row of the thread that logged the event (v6), like
// Thread.
func (e *Event) CaptureThread() *Thread {
	if e.src.held != nil {
		return e.src.held.captureThread
	}
	if !e.src.r.dialect.indexed {
		return nil
	}
	return e.src.r.threads.get(e.CaptureThreadIndex)
}

// Labels returns the event's labels in file order (v6).
func (e *Event) Labels() []Label {
	if e.src.held != nil {
		return e.src.held.labels
	}
	if e.labels == 0 || !e.src.r.dialect.indexed {
		return nil
	}
	return e.src.r.labels.get(e.labels)
}

// indexed reports whether threads are indexes into a table (v6).
func (e *Event) indexed() bool {
	if e.cloned() {
		return e.src.held.clone.indexed
	}
	return e.src.r.dialect.indexed
}

// trace is the trace the event belongs to.
func (e *Event) trace() *Trace {
	if e.cloned() {
		return e.src.held.clone.trace
	}
	return e.src.r.trace
}

// PointerSize returns the size of a pointer in the process of the event, in
// bytes: that of the trace.
func (e *Event) PointerSize() int { return e.trace().PointerSize }

// Provider returns the name of the event's provider, "" if the metadata is
// unknown.
func (e *Event) Provider() string {
	if m := e.Metadata(); m != nil {
		return m.Provider
	}
	return ""
}

// ID returns the event's number within its provider, 0 for none.
func (e *Event) ID() uint32 {
	if m := e.Metadata(); m != nil {
		return m.EventID
	}
	return 0
}

// Name returns the event's name in the metadata. If it has none, like the
// native events of the .NET runtime, Name returns the name in Options.Schemas,
// or "".
func (e *Event) Name() string {
	m := e.Metadata()
	switch {
	case m == nil:
		return ""
	case m.Name != "":
		return m.Name
	}
	return e.knownName()
}

// knownName returns the name that Options.Schemas gives the event.
func (e *Event) knownName() string {
	if p := e.fields().plan; p != nil {
		return p.name
	}
	return ""
}

// label returns the last label of a kind, which overrides the metadata.
func (e *Event) label(kind wire.LabelKind) (*Label, bool) {
	labels := e.Labels()
	for i := len(labels) - 1; i >= 0; i-- {
		if labels[i].Kind == kind {
			return &labels[i], true
		}
	}
	return nil, false
}

// Version returns the version of the event's fields: that of a label, or else
// of the metadata.
func (e *Event) Version() uint32 {
	if l, ok := e.label(wire.LabelVersion); ok {
		return uint32(l.Number)
	}
	if m := e.Metadata(); m != nil {
		return m.Version
	}
	return 0
}

// Level returns the event's level, 1 critical to 5 verbose: that of a label, or
// else of the metadata.
func (e *Event) Level() uint32 {
	if l, ok := e.label(wire.LabelLevel); ok {
		return uint32(l.Number)
	}
	if m := e.Metadata(); m != nil {
		return m.Level
	}
	return 0
}

// Opcode returns the event's opcode: that of a label, or else of the metadata.
func (e *Event) Opcode() uint8 {
	if l, ok := e.label(wire.LabelOpcode); ok {
		return uint8(l.Number)
	}
	if m := e.Metadata(); m != nil {
		return m.Opcode
	}
	return 0
}

// Keywords returns the mask of the event's keywords: that of a label, or else
// of the metadata.
func (e *Event) Keywords() uint64 {
	if l, ok := e.label(wire.LabelKeywords); ok {
		return l.Number
	}
	if m := e.Metadata(); m != nil {
		return m.Keywords
	}
	return 0
}

// activities returns the activity ids of a row of v3 to v5.
func (e *Event) activities() activityPair {
	if e.cloned() {
		return e.src.held.clone.activities
	}
	if e.labels == 0 || e.src.r.dialect.indexed {
		return activityPair{}
	}
	return e.src.activities[e.labels-1]
}

// Activity returns the id of the event's activity, or zero.
func (e *Event) Activity() wire.GUID {
	if !e.indexed() {
		return e.activities().activity
	}
	if l, ok := e.label(wire.LabelActivityID); ok {
		return l.GUID
	}
	return wire.GUID{}
}

// RelatedActivity returns the id of the activity that caused the event's
// activity, or zero.
func (e *Event) RelatedActivity() wire.GUID {
	if !e.indexed() {
		return e.activities().related
	}
	if l, ok := e.label(wire.LabelRelatedActivityID); ok {
		return l.GUID
	}
	return wire.GUID{}
}

// Time returns the event's time in UTC, with a resolution of a nanosecond; the
// zero time if the trace has no clock.
func (e *Event) Time() time.Time { return e.trace().Time(e.Timestamp) }

// ThreadID returns the operating system's id of the event's thread, and whether
// it is known.
func (e *Event) ThreadID() (uint64, bool) {
	if !e.indexed() {
		return e.ThreadIndex, true
	}
	t := e.Thread()
	if t == nil {
		return 0, false
	}
	return t.ThreadID, t.HasThreadID
}

// CaptureThreadID returns the operating system's id of the thread that logged
// the event, and whether it is known.
func (e *Event) CaptureThreadID() (uint64, bool) {
	if !e.indexed() {
		return e.CaptureThreadIndex, true
	}
	t := e.CaptureThread()
	if t == nil {
		return 0, false
	}
	return t.ThreadID, t.HasThreadID
}

// ProcessID returns the operating system's id of the event's process, and
// whether it is known: that of its thread, or else of the trace.
func (e *Event) ProcessID() (uint64, bool) {
	if t := e.Thread(); t != nil && t.HasProcessID {
		return t.ProcessID, true
	}
	return e.trace().ProcessID()
}

// hold stores the event's current table rows in h, and makes h its source.
func (e *Event) hold(h *held) {
	*h = held{
		source: *e.src, row: [1]*Metadata{e.Metadata()}, thread: e.Thread(), captureThread: e.CaptureThread(),
		stack: e.Stack(), labels: e.Labels(),
	}
	h.held, h.source.metadata = h, idTable[*Metadata]{base: uint64(e.MetadataID), dense: h.row[:]}
}

// Clone returns a copy that does not depend on the Reader.
func (e *Event) Clone() *Event {
	c := &Event{}
	e.CloneInto(c)
	return c
}

// CloneInto makes c a copy of e that does not depend on the Reader. If c is one already, its
// memory is used again, unless it is much larger than e needs: what the methods of c have
// returned is not valid any more. c must not be e.
func (e *Event) CloneInto(c *Event) {
	var h *clone
	if c.src != nil && c.src.held != nil {
		h = c.src.held.clone
	}
	if h == nil {
		h = &clone{}
	}
	stack, labels, payload := h.stack, h.labels, h.payload
	*c = *e
	e.hold(&h.held)
	h.clone = h
	h.stack, h.labels, h.payload = again(stack, h.stack), again(labels, h.labels), again(payload, e.Payload())
	h.activities, h.trace, h.indexed, h.view = e.activities(), e.trace(), e.indexed(), fieldsView{}
	if view := e.fields(); view.refused() {
		h.view.refuse()
	} else {
		h.view.set(view.plan, h.payload)
	}
	if !h.view.tried {
		h.view.try()
	}
	h.r, h.body, h.of, h.source.activities = nil, nil, nil, nil
	c.src = &h.source
}

// again returns a copy of a list, in the memory of another one unless that is much larger.
func again[T any](old, list []T) []T {
	const small = 256
	if cap(old) > small && cap(old) > 4*len(list) {
		old = nil
	}
	return append(old[:0], list...)
}
