package fuzz

import (
	"fmt"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// world has the rows that those of the wrapped stream can refer to, and the state
// of their sequence numbers.
type world struct {
	version
	last    map[uint64]uint32 // sequence number by capture thread
	defects []rowDefect
	losses  []loss
}

// rowDefect is a defect of a row.
type rowDefect struct {
	offset int64
	rule   rule.ID
}

func isKnown(id uint64) bool { return id >= 1 && id <= known }

func (w *world) hasMetadata(id uint32) bool { return isKnown(uint64(id)) || id == farID }
func (w *world) hasStack(id uint32) bool    { return isKnown(uint64(id)) || id == farID }
func (w *world) hasThread(i uint64) bool    { return isKnown(i) || i == farther }
func (w *world) hasLabels(id uint32) bool {
	return isKnown(uint64(id)) || id >= farID && id < farID+known
}

// account handles a row of the block whose body is at an offset. first reports
// that it is the block's first.
func (w *world) account(r *row, at int64, first bool) {
	report := func(wrong bool, id rule.ID) {
		if wrong {
			w.defects = append(w.defects, rowDefect{at + int64(r.start), id})
		}
	}
	report(!w.hasMetadata(r.metadata), rule.REF001)
	report(r.stack != 0 && !w.hasStack(r.stack), rule.STK007)
	if w.HasThreadTable() {
		report(!w.hasThread(r.thread), rule.THR009)
		report(r.captureThread != r.thread && !w.hasThread(r.captureThread), rule.THR010)
		report(r.labels != 0 && !w.hasLabels(r.labels), rule.LBL006)
	}
	if !r.numbered && !first {
		return // a row of v4 without a number of its own
	}
	last, next := w.last[r.captureThread], r.sequence
	w.last[r.captureThread] = next
	var lost uint64
	switch {
	case next > last:
		lost = uint64(next) - uint64(last) - 1
	case next == 1 && !w.HasThreadTable(): // a new thread with an old id
	case last-next > 1<<31: // the number has begun anew
		lost = uint64(next) + 1<<32 - uint64(last) - 1
	case !w.HasThreadTable():
		report(true, rule.SEQ004)
	default:
		report(true, rule.SEQ002)
	}
	if lost > 0 {
		w.losses = append(w.losses, loss{captureThread: r.captureThread, count: lost, before: r.time, hasBefore: true})
	}
}

// labels are the lists that labelLists writes.
var labels = [known + 1][]codec.Label{
	1: {{Kind: wire.LabelOpcode, Number: 9}},
	2: {
		{Kind: wire.LabelActivityID, GUID: wire.GUID([]byte("0123456789abcdef"))},
		{Kind: wire.LabelRelatedActivityID, GUID: wire.GUID([]byte("fedcba9876543210"))},
	},
	3: {{Kind: wire.LabelLevel, Number: 3}, {Kind: wire.LabelVersion, Number: 7}},
	4: {
		{Kind: wire.LabelKeyString, Key: "key", Value: "value"},
		{Kind: wire.LabelKeyNumber, Key: "n", Number: 1<<64 - 3}, // zig-zag 5
	},
}

// labelsOf returns the content of a row's label list.
func (w *world) labelsOf(r *row) []codec.Label {
	switch {
	case !w.HasLabelLists() || !w.hasLabels(r.labels):
		return nil
	case r.labels >= farID:
		return labels[r.labels-farID+1]
	}
	return labels[r.labels]
}

// stackOf is the stack that a row refers to, as the stacks function writes it.
func (w *world) stackOf(r *row) []uint64 {
	if !isKnown(uint64(r.stack)) {
		return nil // also the far one, which is empty
	}
	n := int(r.stack) - 1
	one := uint64(0x40+n) * 0x0101010101010101
	if w.pointer == 4 {
		one = uint64(uint32(one))
	}
	return slices.Repeat([]uint64{one}, n)
}

// agrees compares an event of the reader with the row by the text.
func (w *world) agrees(e *record, payload []byte, r *row, at int64) error {
	var d digester
	labels, stack := w.labelsOf(r), w.stackOf(r)
	activity, related := wire.GUID(r.activity), wire.GUID(r.related)
	for _, l := range labels {
		switch l.Kind {
		case wire.LabelActivityID:
			activity = l.GUID
		case wire.LabelRelatedActivityID:
			related = l.GUID
		}
	}
	same := e.Offset == at+int64(r.start) && e.Timestamp == r.time && e.Thread == r.thread && e.CaptureThread == r.captureThread &&
		e.MetadataID == r.metadata && e.Sequence == r.sequence && e.StackID == r.stack && e.Processor == r.processor &&
		e.Flags == r.flags && e.Sorted == r.sorted && slices.Equal(payload, r.payload) &&
		e.Activity == activity && e.RelatedActivity == related
	if w.HasMetadataBlocks() {
		same = same && (e.Metadata != 0) == w.hasMetadata(r.metadata) && e.Stack == d.stack(stack) && e.Labels == d.labels(labels)
	}
	if e.Metadata != 0 && w.HasMetadataBlocks() {
		same = same && e.Provider == "Provider" && e.Name == "Event" && e.ID == r.metadata&0xFF
	}
	if w.HasThreadTable() {
		same = same && (e.ThreadRow != 0) == w.hasThread(r.thread) && (e.CaptureThreadRow != 0) == w.hasThread(r.captureThread)
	}
	if same {
		return nil
	}
	return fmt.Errorf("event\n%+v\npayload %x\nrow at %d + %+v\nlabels %v stack %x", *e, payload, at, *r, labels, stack)
}

// compareReports compares the defects and losses that the reader reported with
// those of the rows.
func (w *world) compareReports(o *outcome) error {
	var got []rowDefect
	for _, e := range o.reported {
		switch e.Rule {
		case rule.REF001, rule.STK007, rule.THR009, rule.THR010, rule.LBL006, rule.SEQ002, rule.SEQ004:
			got = append(got, rowDefect{e.Offset, e.Rule})
		}
	}
	if at := firstDifference(w.defects, got); at >= 0 {
		return fmt.Errorf("defect %d is %v, by the rows %v", at, nth(got, at), nth(w.defects, at))
	}
	return w.sameLosses(o)
}

// sameLosses compares the losses alone, and not the rows of their threads.
func (w *world) sameLosses(o *outcome) error {
	losses := slices.Clone(o.losses)
	for i := range losses {
		losses[i].thread = 0
	}
	if at := firstDifference(w.losses, losses); at >= 0 {
		return fmt.Errorf("loss %d is %v, by the rows %v", at, nth(losses, at), nth(w.losses, at))
	}
	return nil
}

// point handles a sequence point: it raises the last number of each thread. A
// complete one of v4 removes the threads that it leaves out.
func (w *world) point(body []byte) {
	header, rows, complete := w.rowsOf(wire.KindSequencePoint, body)
	p := loss{before: header.value("TimeStamp"), hasBefore: true}
	listed := map[uint64]uint32{}
	for i := range rows {
		thread, sequence := rows[i].number(), uint32(rows[i].number())
		last := w.last[thread]
		if sequence > last || last-sequence > 1<<31 {
			p.captureThread, p.count = thread, uint64(sequence-last)
			w.losses = append(w.losses, p)
			w.last[thread] = sequence
		}
		listed[thread] = w.last[thread]
	}
	switch {
	case w.HasSequencePointFlags() && header.value("Flags")&1 != 0:
		clear(w.last)
	case !w.HasRemovedThreads() && complete:
		w.last = listed
	}
}
