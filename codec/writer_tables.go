package codec

import (
	"slices"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// DefineMetadata defines a kind of event and returns the id for its events. It
// ignores m.ID; an equal definition returns the same id. It copies m. The row
// is written before the pending events. A row that the version cannot express
// is a *FormatError; one that is too large for the version, or for a Reader
// with default Limits, is a *LimitError.
func (w *Writer) DefineMetadata(m *Metadata) (uint32, error) {
	if err := w.ready(); err != nil {
		return 0, err
	}
	id, d, err := w.catalog.defineMetadata(m)
	if err == nil {
		w.define(&d)
	}
	return id, err
}

// define makes a row wait to be written, unless it is empty.
func (w *Writer) define(d *definition) {
	w.tables += d.cost
	switch {
	case d.metadata != nil:
		header := EventRow{Timestamp: max(w.last, w.opt.Trace.SyncTicks), Processor: wire.UnknownProcessor, Sorted: true}
		w.metadata = append(w.metadata, MetadataBytes{Header: header, Bytes: d.metadata})
	case d.thread != nil:
		w.newThread(d.id)
		w.added = append(w.added, ThreadBytes{Bytes: d.thread})
	}
}

func (w *Writer) flushMetadata() error {
	for len(w.metadata) > 0 {
		n := w.fitting(len(w.metadata), func(i int) int { return len(w.metadata[i].Bytes) + maxHeaderV4 })
		part := BlockRows{
			Kind: wire.KindMetadata, Flags: w.flags(), Metadata: w.metadata[:n],
			MinTimestamp: w.metadata[0].Header.Timestamp, MaxTimestamp: w.metadata[n-1].Header.Timestamp,
		}
		if err := w.writeRows(&part); err != nil {
			return err
		}
		w.metadata = w.metadata[n:]
	}
	w.metadata = nil
	return nil
}

// fitting is how many of n rows fit a block.
func (w *Writer) fitting(n int, size func(int) int) int {
	total := 0
	for i := range n {
		if total += size(i); total > w.opt.BlockBytes && i > 0 {
			return i
		}
	}
	return n
}

func (w *Writer) writeRows(b *BlockRows) error {
	body, err := w.enc.body(b)
	if err != nil {
		return err
	}
	return w.write(b.Kind, body)
}

// DefineThread defines a thread (v6) and returns its index. It ignores t.Index;
// an equal definition returns the same index. The errors are those of
// DefineMetadata.
func (w *Writer) DefineThread(t *Thread) (uint64, error) { return w.defineThread(t, false) }

// AddThread defines a new thread like DefineThread, even if an equal row is
// defined. Use it for threads without ids, or whose id the operating system has
// reused.
func (w *Writer) AddThread(t *Thread) (uint64, error) { return w.defineThread(t, true) }

func (w *Writer) defineThread(t *Thread, another bool) (uint64, error) {
	if err := w.ready(); err != nil {
		return 0, err
	}
	index, d, err := w.catalog.defineThread(t, another)
	if err == nil {
		w.define(&d)
	}
	return index, err
}

func (w *Writer) flushThreads() error {
	for len(w.added) > 0 {
		n := w.fitting(len(w.added), func(i int) int { return len(w.added[i].Bytes) })
		if err := w.writeRows(&BlockRows{Kind: wire.KindThread, Threads: w.added[:n]}); err != nil {
			return err
		}
		w.added = w.added[n:]
	}
	w.added = nil
	return nil
}

// RemoveThread ends a thread: later events must not refer to it. In v6 the
// stream records that with the thread's last sequence number, and an undefined
// index is ErrUndefined. In v4 and v5 the next sequence point leaves the thread
// out, and an event with the same id begins another thread; if events were lost after
// the thread's last one, the next sequence point has their number, and the one after it
// leaves the thread out. RemoveThread writes the pending events, as Flush does. It
// releases the memory of the thread.
func (w *Writer) RemoveThread(id uint64) error {
	if err := w.ready(); err != nil {
		return err
	}
	c := w.known.get(id)
	switch {
	case c == nil && w.enc.to.indexed:
		return undefinedThread(id)
	case c == nil || c.removed:
		return nil
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if !w.enc.to.indexed {
		c.removed, c.used = true, c.sequence != c.visible
		return nil
	}
	return w.removeRow(c, w.catalog.forgetThread(id))
}

// removeRow writes that a thread of v6 has ended. The cost is that of its row.
func (w *Writer) removeRow(c *captured, cost int64) error {
	w.forget(c)
	if w.holes > len(w.order)/2 {
		w.closeHoles()
	}
	w.outdated += cost
	w.body = appendThreadSequences(w.body[:0], []ThreadSequence{{c.id, c.sequence}})
	return w.write(wire.KindRemoveThread, w.body)
}

// forget drops a capture thread.
func (w *Writer) forget(c *captured) {
	w.order[c.at] = nil
	w.holes++
	w.known.remove(c.id)
	w.current = nil
}

// closeHoles removes the nil entries of the order.
func (w *Writer) closeHoles() {
	w.order, w.holes = slices.DeleteFunc(w.order, func(c *captured) bool { return c == nil }), 0
	for i, c := range w.order {
		c.at = i
	}
}

// forgetRemoved drops the threads of v4 and v5 that were removed: a sequence point
// that leaves them out ends them.
func (w *Writer) forgetRemoved() {
	if w.enc.to.indexed {
		return
	}
	for _, c := range w.order {
		if c != nil && c.removed && !c.used {
			w.forget(c)
		}
	}
	w.closeHoles()
}

// stackOverhead is the memory of a Reader for a stack in addition to its
// addresses, while the table grows.
const stackOverhead = 3 * spanSize

// stackID interns a stack; none is 0.
func (w *Writer) stackID(addresses []uint64) uint32 {
	if len(addresses) == 0 {
		return 0
	}
	w.body = appendStack(w.body[:0], addresses, w.opt.Trace.PointerSize)
	id, isNew := w.stacks.id(w.body)
	if isNew {
		w.region.stacks += int64(len(addresses))*addressSize + stackOverhead
	}
	return id
}

func (w *Writer) flushStacks() error { return w.flushTable(&w.stacks, wire.KindStack) }
func (w *Writer) flushLabels() error { return w.flushTable(&w.labels, wire.KindLabelList) }

func (w *Writer) flushTable(t *internTable, kind wire.Kind) error {
	if t.waiting == 0 {
		return nil
	}
	w.body = w.enc.counted(w.body[:0], uint32(len(t.entries)-t.waiting)+1, t.waiting)
	w.body = append(w.body, t.pending...)
	t.written()
	return w.write(kind, w.body)
}

// setLabels puts a Record's labels and activity ids into w.row.
func (w *Writer) setLabels(rec *Record) error {
	row := &w.row[0]
	if !w.enc.to.indexed {
		row.Activity, row.Related = rec.Activity, rec.Related
		for i := range rec.Labels {
			switch l := &rec.Labels[i]; l.Kind {
			case wire.LabelActivityID:
				row.Activity = l.GUID
			case wire.LabelRelatedActivityID:
				row.Related = l.GUID
			default:
				return &FormatError{w.opt.Format, "labels"}
			}
		}
		return nil
	}
	var err error
	body := w.body[:0]
	for _, a := range [...]Label{{Kind: wire.LabelActivityID, GUID: rec.Activity}, {Kind: wire.LabelRelatedActivityID, GUID: rec.Related}} {
		if !a.GUID.IsZero() {
			body = append(append(body, byte(a.Kind)), a.GUID[:]...)
		}
	}
	if len(rec.Labels) == 0 {
		body[len(body)-17] |= wire.LastLabel
	} else if body, err = appendLabels(body, rec.Labels); err != nil {
		return err
	}
	w.body = body
	if len(body) > maxRecord {
		return &LimitError{Name: "Labels", Size: int64(len(body)), Limit: maxRecord}
	}
	id, isNew := w.labels.id(body)
	if row.LabelListID = id; isNew {
		w.region.labels += int64(len(rec.Labels)) + 2
		w.region.texts += int64(len(body)) + stackOverhead
	}
	return nil
}
