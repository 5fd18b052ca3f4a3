package ndjson

import (
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// headCount is the number of event types with a kept head, by the low bits of the
// metadata id.
const headCount = 256

// head is the text that all events of one metadata row have in common.
type head struct {
	metadata *codec.Metadata
	text     []byte
}

// Event writes an event line.
//
// It always has, in this order: "provider", "id", "version", "level", "opcode",
// "keywords", "time"; for an event with unknown metadata, "metadataId" and
// "time". Omitted are: "name" if EventName returns ""; "thread",
// "captureThread", "process" and, before v6, their indexes if unknown;
// "threadName", "stack", "labels" and "payload" if empty; "processor" if
// unknown; "sequence" and "captureThread" in v3; "activity" and
// "relatedActivity" if zero; "sorted" if false.
func (w *Writer) Event(e *codec.Event) error {
	w.events++
	b := append(w.buf, `{"type":"event"`...)
	b = w.appendEventType(b, e)
	b = w.appendLongKey(b, `,"time":`, e.Timestamp)
	b = w.appendThreads(b, e)
	if e.Processor != wire.UnknownProcessor {
		b = append(b, `,"processor":`...)
		b = strconv.AppendUint(b, uint64(e.Processor), 10)
	}
	if !w.netperf {
		b = append(b, `,"sequence":`...)
		b = strconv.AppendUint(b, uint64(e.Sequence), 10)
	}
	if w.opt.Stacks {
		b = appendStack(b, e.Stack())
	}
	b = appendActivity(b, `,"activity":"`, e.Activity())
	b = appendActivity(b, `,"relatedActivity":"`, e.RelatedActivity())
	b = appendLabels(b, e.Labels())
	if w.opt.Payload {
		b = appendPayload(b, e.Payload())
	}
	if w.opt.Fields {
		b = AppendFields(b, e)
	}
	if w.opt.Rows {
		b = appendRow(b, e)
	}
	w.buf = append(b, '}')
	return w.line()
}

// appendEventType appends the type of event: the kept head of its metadata row,
// unless a label overrides a part of it.
func (w *Writer) appendEventType(b []byte, e *codec.Event) []byte {
	m := e.Metadata()
	if m == nil {
		b = append(b, `,"metadataId":`...)
		return strconv.AppendUint(b, uint64(e.MetadataID), 10)
	}
	if overridden(e.Labels()) {
		return appendHead(b, e, m)
	}
	h := &w.heads[e.MetadataID%headCount]
	if h.metadata != m {
		h.metadata, h.text = m, appendHead(h.text[:0], e, m)
	}
	return append(b, h.text...)
}

// overridden reports whether a label overrides a part of the metadata.
func overridden(labels []codec.Label) bool {
	for i := range labels {
		if labels[i].Kind >= wire.LabelOpcode {
			return true
		}
	}
	return false
}

func appendHead(b []byte, e *codec.Event, m *codec.Metadata) []byte {
	b = append(b, `,"provider":`...)
	b = AppendString(b, m.Provider)
	b = append(b, `,"id":`...)
	b = strconv.AppendUint(b, uint64(m.EventID), 10)
	b = append(b, `,"version":`...)
	b = strconv.AppendUint(b, uint64(e.Version()), 10)
	b = appendTextKey(b, `,"name":`, EventName(m, e.Version()))
	b = append(b, `,"level":`...)
	b = strconv.AppendUint(b, uint64(e.Level()), 10)
	b = append(b, `,"opcode":`...)
	b = strconv.AppendUint(b, uint64(e.Opcode()), 10)
	b = append(b, `,"keywords":`...)
	return appendAddress(b, e.Keywords())
}

// EventName returns the name of an event: that in the trace, or else the name
// in the schemas of .NET, or "". version is the event's version, which a label
// list may have changed.
func EventName(m *codec.Metadata, version uint32) string {
	if m.Name != "" {
		return m.Name
	}
	if known, ok := clr.Describe(m, version); ok {
		return known.Name
	}
	return ""
}

// appendThreads appends the threads and the process.
func (w *Writer) appendThreads(b []byte, e *codec.Event) []byte {
	if w.indexed {
		return w.appendIndexes(b, e)
	}
	b = w.appendLongKey(b, `,"thread":`, e.ThreadIndex)
	if !w.netperf {
		b = w.appendLongKey(b, `,"captureThread":`, e.CaptureThreadIndex)
	}
	return w.appendProcess(b, nil)
}

// appendIndexes does so for v6: the ids by the thread rows, then the indexes.
func (w *Writer) appendIndexes(b []byte, e *codec.Event) []byte {
	t, c := e.Thread(), e.CaptureThread()
	if t != nil && t.HasThreadID {
		b = appendDecimalKey(b, `,"thread":`, t.ThreadID)
	}
	if c != nil && c.HasThreadID {
		b = appendDecimalKey(b, `,"captureThread":`, c.ThreadID)
	}
	if t != nil {
		b = w.appendProcess(b, t)
	}
	b = appendDecimalKey(b, `,"threadIndex":`, e.ThreadIndex)
	b = appendDecimalKey(b, `,"captureThreadIndex":`, e.CaptureThreadIndex)
	if t != nil && t.Name != "" {
		b = append(b, `,"threadName":`...)
		b = AppendString(b, t.Name)
	}
	return b
}

// appendProcess appends the process of the thread row, or else of the trace.
func (w *Writer) appendProcess(b []byte, t *codec.Thread) []byte {
	switch {
	case t != nil && t.HasProcessID:
		return appendDecimalKey(b, `,"process":`, t.ProcessID)
	case len(w.process) == 0:
		return b
	}
	b = append(b, `,"process":"`...)
	b = append(b, w.process...)
	return append(b, '"')
}

func appendStack(b []byte, stack []uint64) []byte {
	if len(stack) == 0 {
		return b
	}
	b = append(b, `,"stack":[`...)
	for i, address := range stack {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendAddress(b, address)
	}
	return append(b, ']')
}

func appendActivity(b []byte, key string, id wire.GUID) []byte {
	if id.IsZero() {
		return b
	}
	b = id.AppendText(append(b, key...))
	return append(b, '"')
}

func appendPayload(b, payload []byte) []byte {
	if len(payload) == 0 {
		return b
	}
	return appendHex(append(b, `,"payload":`...), payload)
}

// appendRow appends the keys that connect the event with the row lines.
func appendRow(b []byte, e *codec.Event) []byte {
	b = append(b, `,"metadata":`...)
	b = strconv.AppendUint(b, uint64(e.MetadataID), 10)
	if e.Sorted() {
		b = append(b, `,"sorted":true`...)
	}
	return b
}
