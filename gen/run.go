package gen

import (
	"io"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// run is a trace of a profile in the making. Events wait until the writer wakes
// up, every 100 ms, and are then written thread by thread: the one with the
// oldest event first.
type run struct {
	dice
	order Order
	head  codec.Trace
	body  []byte // of the Trace block, of a writer that writes it its own way
	b     *Builder

	now    uint64 // ticks
	flush  uint64 // ticks of the next flush
	period uint64 // ticks between two flushes, 0 for none
	points int64  // events between two sequence points, about
	due    int64  // number of events at the next sequence point
	region int

	threads   []runThread
	processor func() uint32
	stacks    []runStack
	payload   []byte // scratch
	lists     map[wire.GUID]listID
	indexes   uint64 // of thread rows, used so far
	firstID   uint64 // of the operating system, for threads
	made      int64
}

// runThread is a thread and its events that wait.
type runThread struct {
	osID, index uint64
	name        string
	stack       int    // of its last event
	kind        uint64 // likewise
	region      int    // in which it was defined, plus one (v6)
	waiting     []codec.EventRow
	payloads    []byte
}

// runStack is a stack of the pool, and its id in the current region.
type runStack struct {
	addresses []uint64
	id        uint32
	region    int
}

type listID struct {
	id     uint32
	region int
}

// kind is a type of event, defined when it is first used.
type kind struct {
	codec.Metadata
	id uint32
}

func newRun(order Order) *run {
	r := &run{dice: newDice(order.Seed), order: order, points: 14_000, lists: map[wire.GUID]listID{}}
	r.head = codec.Trace{
		Format:    order.Format,
		SyncTime:  time.Date(2026, 11, 21, 9, 30, 0, int(r.n(1000))*int(time.Millisecond), time.UTC),
		SyncTicks: 1_700_000_000_000 + r.n(1<<36), TickFrequency: 1e9, PointerSize: 8,
		Properties: []codec.KeyValue{
			{Key: codec.ProcessIDKey, Value: number(r.between(20_000, 60_000))},
			{Key: codec.HardwareThreadCountKey, Value: number(16)},
			{Key: codec.ExpectedCPUSamplingRateKey, Value: number(1_000_000)},
		},
	}
	r.firstID = r.between(20_000, 60_000)
	r.processor = func() uint32 { return wire.UnknownProcessor }
	return r
}

// begin writes the Trace block.
func (r *run) begin(dst io.Writer) {
	r.b = newStream(dst, r.order.Format, &codec.BlockRows{Kind: wire.KindTrace, Trace: &r.head, Body: r.body})
	r.b.BlockSize = 100_000
	r.now = r.head.SyncTicks + r.ticks(700*time.Microsecond)
	r.period = r.ticks(100 * time.Millisecond)
	r.flush, r.due, r.region = r.now+r.period, r.points, 1
}

// ticks is a time in ticks.
func (r *run) ticks(d time.Duration) uint64 {
	return uint64(d.Microseconds()) * r.head.TickFrequency / 1e6
}

// left is the number of events still to make.
func (r *run) left() int64 { return r.order.Events - r.made }

// thread adds a thread and returns its number.
func (r *run) thread(osID uint64, name string) int {
	index := osID
	if r.order.Format.HasThreadTable() {
		r.indexes++
		index = r.indexes
	}
	r.threads = append(r.threads, runThread{osID: osID, index: index, name: name})
	return len(r.threads) - 1
}

// index returns the number by which rows refer to a thread. In v6 its first use
// defines it.
func (r *run) index(thread int) uint64 {
	t := &r.threads[thread]
	if r.order.Format.HasThreadTable() && t.region == 0 {
		t.region = r.region
		pid, _ := r.head.ProcessID()
		r.b.Thread(&codec.Thread{
			Index: t.index, Name: t.name, ProcessID: pid, ThreadID: t.osID, HasProcessID: true, HasThreadID: true,
		})
	}
	return t.index
}

// stack returns the id of a stack of the pool in the current region.
func (r *run) stack(i int) uint32 {
	s := &r.stacks[i]
	if s.region != r.region {
		s.id, s.region = r.b.Stack(s.addresses), r.region
	}
	return s.id
}

// event makes an event of a thread, captured by another or the same one, with a
// stack of the pool. Its payload is copied.
func (r *run) event(k *kind, thread, capture, stack int, payload []byte) *codec.EventRow {
	if k.id == 0 {
		r.b.Now = r.now
		m := k.Metadata
		k.id = r.b.Metadata(&m)
	}
	t := &r.threads[capture]
	start := len(t.payloads)
	t.payloads = append(t.payloads, payload...)
	t.waiting = append(t.waiting, codec.EventRow{
		MetadataID: k.id, ThreadIndex: r.index(thread), CaptureThreadIndex: r.index(capture), Processor: r.processor(),
		StackID: r.stack(stack), Timestamp: r.now, Payload: t.payloads[start:len(t.payloads):len(t.payloads)],
	})
	r.made++
	return &t.waiting[len(t.waiting)-1]
}

// activity gives an event an activity id, in v6 by a label.
func (r *run) activity(row *codec.EventRow, id wire.GUID) {
	if !r.order.Format.HasLabelLists() {
		row.Activity = id
		return
	}
	list := r.lists[id]
	if list.region != r.region {
		list = listID{r.b.Labels(codec.Label{Kind: wire.LabelActivityID, GUID: id}), r.region}
		r.lists[id] = list
	}
	row.LabelListID = list.id
}

// wait lets time pass. The writer wakes up when it is due.
func (r *run) wait(ticks uint64) {
	if r.period > 0 && r.now+ticks >= r.flush {
		r.flushWaiting()
		for r.now+ticks >= r.flush {
			r.flush += r.period
		}
	}
	r.now += ticks
}

// flushWaiting writes the waiting events, and a sequence point when one is due.
func (r *run) flushWaiting() {
	r.write()
	r.b.Flush()
	if r.made >= r.due {
		r.point()
	}
}

// write passes the waiting events to the Builder, in runs of one capture thread:
// the one with the oldest event comes first, and its first event is sorted.
func (r *run) write() {
	for {
		var oldest *runThread
		for i := range r.threads {
			t := &r.threads[i]
			if len(t.waiting) > 0 && (oldest == nil || t.waiting[0].Timestamp < oldest.waiting[0].Timestamp) {
				oldest = t
			}
		}
		if oldest == nil {
			return
		}
		oldest.waiting[0].Sorted = true
		for i := range oldest.waiting {
			r.b.Event(&oldest.waiting[i])
		}
		oldest.waiting, oldest.payloads = oldest.waiting[:0], oldest.payloads[:0]
	}
}

// point writes the waiting events and a sequence point.
func (r *run) point() {
	r.write()
	r.now++
	r.b.SequencePoint(r.now, 0)
	r.due = r.made + r.points
	r.nextRegion()
}

// nextRegion makes stacks and labels be defined anew.
func (r *run) nextRegion() {
	r.region++
	if len(r.lists) > 1000 {
		clear(r.lists)
	}
}

// end writes the waiting events and the last sequence point.
func (r *run) end() {
	r.write()
	r.point()
}
