package gen

import (
	mathrand "math/rand"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// citizenSetup makes a trace of a machine, not of a process.
func citizenSetup(r *run) {
	r.head.Properties = append(r.head.Properties[1:], codec.KeyValue{Key: "MachineName", Value: "build-7"})
}

// machine has processes whose threads log events of all types.
type machine struct {
	*run
	any    *random // chooses types and values
	labels []uint32
	listed int // region in which labels were defined
	next   uint64
}

// citizen makes a trace as the v6 text wants it: fields are left out where they
// repeat, threads have names and are removed when they end, labels of all kinds
// occur, and sequence points list the threads.
func citizen(r *run) {
	source := mathrand.NewSource(int64(r.n(1 << 62)))
	t := &machine{run: r, any: &random{c: mathrand.New(source), format: wire.V6, guids: map[string]wire.GUID{}}}
	t.any.head, t.any.b = r.head, r.b
	r.points = 20_000
	r.due = r.points
	t.any.defineMetadata(24)
	r.makeStacks(600)
	for pid := range uint64(3) {
		for range 4 {
			t.settle(1000 + 500*pid)
		}
	}
	for r.left() > 0 {
		t.window()
	}
	r.point()
}

// settle adds a thread of a process.
func (t *machine) settle(pid uint64) {
	t.next++
	name := []string{"main", ".NET TP Worker", "Finalizer", "http-" + number(t.next)}[t.next%4]
	t.b.Thread(&codec.Thread{
		Index: t.next, Name: name, ProcessID: pid, ThreadID: pid + t.next, HasProcessID: true, HasThreadID: true,
		Attributes: []codec.KeyValue{{Key: "container", Value: "c" + number(pid)}},
	})
	t.threads = append(t.threads, runThread{index: t.next, osID: pid})
}

// window makes the events of 100 ms: runs of one type, of few threads. Now and
// then a thread ends and another begins.
func (t *machine) window() {
	if t.listed != t.region { // labels are defined anew in each region
		t.listed = t.region
		t.labels = t.labels[:0]
		for range 12 {
			if list := t.any.labelList(); len(list) > 0 {
				t.labels = append(t.labels, t.b.Labels(list...))
			}
		}
	}
	for range 8 {
		t.burst(int(t.n(uint64(len(t.threads)))))
	}
	t.sleep()
	if t.one(20) {
		t.write()
		i := int(t.n(uint64(len(t.threads))))
		pid := t.threads[i].osID
		t.b.RemoveThreads(t.threads[i].index)
		t.threads = append(t.threads[:i], t.threads[i+1:]...)
		t.settle(pid)
	}
}

// burst makes events of one thread.
func (t *machine) burst(thread int) {
	index := t.threads[thread].index
	row := codec.EventRow{ThreadIndex: index, CaptureThreadIndex: index, Processor: uint32(t.n(16))}
	var m *codec.Metadata
	for n := t.between(10, 60); n > 0 && t.left() > 0; n-- {
		if m == nil || t.percent(30) {
			m = t.any.metadata[t.n(uint64(len(t.any.metadata)))]
			row.MetadataID = m.ID
		}
		if row.StackID == 0 || t.percent(20) {
			row.StackID = t.stack(t.someStack())
		}
		if t.percent(5) && len(t.labels) > 0 {
			row.LabelListID = t.labels[t.n(uint64(len(t.labels)))]
		}
		row.Timestamp, row.Payload = t.now, t.any.payload(m)
		t.threads[thread].waiting = append(t.threads[thread].waiting, row)
		t.made++
		t.now += t.ticks(time.Microsecond) * (2 + t.n(40))
	}
}
