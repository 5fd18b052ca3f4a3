package codec

import (
	"github.com/nettrace-go/nettrace/codec/wire"
)

// definitions are the rows of a table that lives as long as the stream.
type definitions struct {
	ids     map[string]uint64 // by what the row says, its id apart
	known   idTable[bool]
	pending BlockRows // rows that wait to be written
	next    uint64
}

func (d *definitions) reset() {
	clear(d.ids)
	d.known.clear()
	d.pending.reset()
	d.next = 1
}

// add makes a row known under the next id.
func (d *definitions) add(key string) {
	if d.ids == nil {
		d.ids = make(map[string]uint64)
	}
	d.ids[key] = d.next
	d.known.set(d.next, true)
	d.next++
}

func (d *definitions) has(id uint32) bool { return d.known.get(uint64(id)) }

// DefineMetadata makes a type of event known and returns the id for its events.
// The same description again, whatever its ID says, gives the same id. The row
// is written before the events that wait. What the version cannot hold is a
// *FormatError or a *LimitError.
func (w *Writer) DefineMetadata(m *Metadata) (uint32, error) {
	if err := w.Err(); err != nil {
		return 0, err
	}
	row := *m
	row.ID, row.plan, row.cost = 0, nil, 0
	body, err := w.definition(&row)
	if err != nil {
		return 0, err
	}
	d, key := &w.metadata, string(body)
	if id, ok := d.ids[key]; ok {
		return uint32(id), nil
	}
	row.ID = uint32(d.next)
	if _, err := w.definition(&row); err != nil {
		return 0, err
	}
	d.add(key)
	header := EventRow{Timestamp: max(w.last, w.opt.Trace.SyncTicks), Processor: wire.UnknownProcessor, Sorted: true}
	d.pending.Metadata = append(d.pending.Metadata, MetadataBytes{Metadata: &row, Header: header})
	return row.ID, nil
}

// definition encodes a metadata row into scratch memory.
func (w *Writer) definition(m *Metadata) ([]byte, error) {
	var err error
	w.body, err = w.enc.to.definition(w.body[:0], m, w.opt.Format)
	return w.body, err
}

func (w *Writer) flushMetadata() error {
	p := &w.metadata.pending
	for len(p.Metadata) > 0 {
		n := w.fitting(len(p.Metadata), func(i int) int {
			body, _ := w.definition(p.Metadata[i].Metadata)
			return len(body) + maxHeaderV4
		})
		part := BlockRows{
			Kind: wire.Metadata, Flags: w.flags(), Metadata: p.Metadata[:n],
			MinTimestamp: p.Metadata[0].Header.Timestamp, MaxTimestamp: p.Metadata[n-1].Header.Timestamp,
		}
		if err := w.writeRows(&part); err != nil {
			return err
		}
		p.Metadata = p.Metadata[n:]
	}
	p.Metadata = nil
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

// DefineThread makes a thread known (v6) and returns its index. Its own Index is
// not looked at; the same thread again gives the same index.
func (w *Writer) DefineThread(t *Thread) (uint64, error) {
	key, err := w.threadKey(t)
	if err != nil {
		return 0, err
	}
	if index, ok := w.threads.ids[string(key)]; ok {
		return index, nil
	}
	w.threads.add(string(key))
	return w.addThread(t), nil
}

// AddThread is DefineThread for a thread that is another one than all before,
// though its row may say the same: one without ids, or with an id that the
// operating system gave out again.
func (w *Writer) AddThread(t *Thread) (uint64, error) {
	if _, err := w.threadKey(t); err != nil {
		return 0, err
	}
	w.threads.known.set(w.threads.next, true)
	w.threads.next++
	return w.addThread(t), nil
}

// threadKey is what a thread row says, its index apart.
func (w *Writer) threadKey(t *Thread) ([]byte, error) {
	switch {
	case w.Err() != nil:
		return nil, w.Err()
	case !w.enc.to.indexed:
		return nil, &FormatError{w.opt.Format, "a thread table"}
	}
	row := *t
	row.Index = 1<<64 - 1 // as long as an index can be
	var err error
	w.body, err = appendThread(w.body[:0], &row)
	return w.body, err
}

// addThread makes a thread known under the index that was given out last.
func (w *Writer) addThread(t *Thread) uint64 {
	row := *t
	row.Index = w.threads.next - 1
	w.newThread(row.Index)
	w.threads.pending.Threads = append(w.threads.pending.Threads, ThreadBytes{Thread: &row})
	return row.Index
}

func (w *Writer) flushThreads() error {
	p := &w.threads.pending
	for len(p.Threads) > 0 {
		n := w.fitting(len(p.Threads), func(i int) int {
			w.body, _ = appendThread(w.body[:0], p.Threads[i].Thread)
			return len(w.body)
		})
		if err := w.writeRows(&BlockRows{Kind: wire.Thread, Threads: p.Threads[:n]}); err != nil {
			return err
		}
		p.Threads = p.Threads[n:]
	}
	p.Threads = nil
	return nil
}

// RemoveThread says that no event will come from or about a thread any more. In
// v6 that is written, with its last number; in v4 and v5 sequence points leave
// it out.
func (w *Writer) RemoveThread(id uint64) error {
	c := w.known.get(id)
	if c == nil {
		return ErrUndefined
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for i := range w.order {
		if w.order[i] == c {
			w.order = append(w.order[:i], w.order[i+1:]...)
			break
		}
	}
	w.known.remove(id)
	w.current = nil
	if !w.enc.to.indexed {
		return nil
	}
	for key, index := range w.threads.ids {
		if index == id {
			delete(w.threads.ids, key)
		}
	}
	w.body = appendThreadSequences(w.body[:0], []ThreadSequence{{id, c.sequence}})
	return w.write(wire.RemoveThread, w.body)
}

// stackID interns a stack; none is 0.
func (w *Writer) stackID(addresses []uint64) uint32 {
	if len(addresses) == 0 {
		return 0
	}
	w.body = appendStack(w.body[:0], addresses, w.opt.Trace.PointerSize)
	return w.stacks.id(w.body)
}

func (w *Writer) flushStacks() error { return w.flushTable(&w.stacks, wire.Stack) }
func (w *Writer) flushLabels() error { return w.flushTable(&w.labels, wire.LabelList) }

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
		return &LimitError{What: "Labels", Size: int64(len(body)), Limit: maxRecord}
	}
	row.LabelListID = w.labels.id(body)
	return nil
}
