package codec

import (
	"fmt"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// EventType encodes the events of one metadata row for a Writer or a Recorder,
// field by field. DefineEvent returns it.
//
// It has memory for one event, which it reuses, and is for one goroutine.
// Goroutines that share a Recorder each call DefineEvent, which returns the
// same id for the same metadata, or take an EventType from a sync.Pool.
type EventType struct {
	encoder EventEncoder
}

// DefineEvent is DefineMetadata for events that are encoded field by field. The
// result is valid until Reset.
func (w *Writer) DefineEvent(m *Metadata) (*EventType, error) {
	id, err := w.DefineMetadata(m)
	if err != nil {
		return nil, err
	}
	return newEventType(w, nil, m, id), nil
}

// DefineEvent is like that of Writer. It does not wait for the destination.
func (r *Recorder) DefineEvent(m *Metadata) (*EventType, error) {
	id, err := r.DefineMetadata(m)
	if err != nil {
		return nil, err
	}
	return newEventType(r.w, r, m, id), nil
}

func newEventType(w *Writer, r *Recorder, m *Metadata, id uint32) *EventType {
	return &EventType{EventEncoder{w: w, r: r, stream: w.streams, payload: payloadEncoder{id: id, slots: slotsOf(m.Fields)}}}
}

// MetadataID returns the id of the metadata, for Record.MetadataID.
func (t *EventType) MetadataID() uint32 { return t.encoder.payload.id }

// Event begins an event. The result is valid until Write or Discard. If an
// event was begun and neither written nor discarded, Write of the next one
// returns ErrCallOrder.
func (t *EventType) Event() *EventEncoder {
	e := &t.encoder
	if e.w == nil {
		panic("codec: a zero EventType has no Writer: use DefineEvent of a Writer or a Recorder")
	}
	forgotten := e.payload.begun
	e.record = Record{MetadataID: e.payload.id, Processor: wire.UnknownProcessor}
	e.hasThread, e.hasCapture, e.hasTime = false, false, false
	e.payload.begin()
	if forgotten {
		e.payload.err = fmt.Errorf("codec: metadata %d: the event before was not written: %w", e.payload.id, ErrCallOrder)
	}
	return e
}

// EventEncoder encodes one event. The methods for its header, such as Thread,
// Timestamp and Stack, are called in any order; then a method for each field of the
// payload, in the order of the metadata. Each method checks that the next field has its type. After the first
// error the others do nothing, and Write returns the error.
//
//	err := request.Event().Thread(thread).Timestamp(ticks).String("/cart").Float64(1.5).Write()
//
// Thread and Timestamp are needed. Text and bytes are copied at once; a stack and
// labels are borrowed until Write. Once its buffer is as large as the largest event,
// only errors allocate memory.
type EventEncoder struct {
	w       *Writer
	r       *Recorder // that w belongs to, or nil
	stream  uint32    // of the Writer, see Writer.streams
	record  Record
	payload payloadEncoder

	hasThread, hasCapture, hasTime bool
}

// Thread sets the thread that the event is about and, unless CaptureThread is
// called, also the thread that logged it: the result of DefineThread (v6), or the
// operating system's thread id (v4, v5).
func (e *EventEncoder) Thread(thread uint64) *EventEncoder {
	e.record.Thread, e.hasThread = thread, true
	return e
}

// CaptureThread sets the thread that logged the event. It is needed if that is not
// the thread that the event is about.
func (e *EventEncoder) CaptureThread(thread uint64) *EventEncoder {
	e.record.CaptureThread, e.hasCapture = thread, true
	return e
}

// Timestamp sets the time in ticks of the trace. It is not needed for a Recorder with
// a Clock.
func (e *EventEncoder) Timestamp(ticks uint64) *EventEncoder {
	e.record.Timestamp, e.hasTime = ticks, true
	return e
}

// Processor sets the number of the processor. Default: wire.UnknownProcessor.
func (e *EventEncoder) Processor(number uint32) *EventEncoder {
	e.record.Processor = number
	return e
}

// Sequence sets the number of the event on its capture thread. Default: the next
// one. A Recorder ignores it.
func (e *EventEncoder) Sequence(number uint32) *EventEncoder {
	e.record.Sequence = number
	return e
}

// Stack sets the addresses of the stack, leaf first.
func (e *EventEncoder) Stack(addresses []uint64) *EventEncoder {
	e.record.Stack = addresses
	return e
}

// Labels sets the labels (v6; v4 and v5: activity ids only).
func (e *EventEncoder) Labels(labels []Label) *EventEncoder {
	e.record.Labels = labels
	return e
}

// Activity sets the id of the event's activity.
func (e *EventEncoder) Activity(id wire.GUID) *EventEncoder {
	e.record.Activity = id
	return e
}

// Related sets the id of the activity that caused the event's activity.
func (e *EventEncoder) Related(id wire.GUID) *EventEncoder {
	e.record.Related = id
	return e
}

// Sorted promises that no later event is older.
func (e *EventEncoder) Sorted() *EventEncoder {
	e.record.Sorted = true
	return e
}

// Discard ends the event without writing it and without an error. A Recorder
// does not count it.
func (e *EventEncoder) Discard() { e.payload.end() }

// Write ends the event and gives it to the Writer or the Recorder. If the event is
// not complete, or a value did not fit its field, the error is a *FieldError and
// nothing is written. Other errors are those of Writer.Write. If a
// Recorder refuses the event, the error is ErrDropped or the error that ended the
// recording. The Recorder counts an event with an error as dropped, if its thread is known.
func (e *EventEncoder) Write() error {
	err := e.complete()
	e.payload.end()
	switch {
	case e.r == nil && err == nil:
		return e.w.Write(&e.record)
	case e.r == nil:
		return err
	case err != nil && (e.hasThread || e.hasCapture):
		e.record.MetadataID = 0 // which Record refuses
		e.r.Record(&e.record)
		return err
	case err == nil && !e.r.Record(&e.record):
		return e.r.refusal()
	}
	return err
}

// complete completes the record, if nothing is missing.
func (e *EventEncoder) complete() (err error) {
	if !e.hasCapture {
		e.record.CaptureThread = e.record.Thread
	} else if !e.hasThread {
		e.record.Thread = e.record.CaptureThread
	}
	if e.record.Payload, err = e.payload.finish("Write"); err != nil {
		return err
	}
	switch {
	case e.stream != e.w.streams && e.r == nil:
		return fmt.Errorf("codec: metadata %d after Reset is %w", e.payload.id, ErrUndefined)
	case !e.hasThread && !e.hasCapture:
		return fmt.Errorf("codec: metadata %d: the thread of the event is %w", e.payload.id, ErrUndefined)
	case !e.hasTime && (e.r == nil || e.r.opt.Clock == nil):
		return fmt.Errorf("codec: metadata %d: the timestamp of the event is %w", e.payload.id, ErrUndefined)
	}
	return nil
}

// refusal is the error for an event that Record refused.
func (r *Recorder) refusal() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.ended(); err != nil {
		return err
	}
	return ErrDropped
}
