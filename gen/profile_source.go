package gen

import (
	"encoding/binary"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// tick is the event of a small event source: one number.
func tick() *kind {
	return &kind{Metadata: codec.Metadata{
		Provider: "Contoso-Meter", EventID: 1, Name: "Tick", Level: 4, Keywords: 0xF000_0000_0000,
		Fields: []codec.Field{{Name: "value", Type: codec.Type{Code: wire.Int64}}},
	}}
}

// tickPayload is a number of 8 bytes.
func (r *run) tickPayload() []byte {
	r.payload = binary.LittleEndian.AppendUint64(r.payload[:0], uint64(r.made))
	return r.payload
}

// steady makes a thousand events in a burst every 100 ms.
func steady(r *run) {
	k := tick()
	r.points = 32_000
	r.due = r.points
	r.makeStacks(20)
	r.makeThreads(2)
	for r.left() > 0 {
		for range min(1000, r.left()) {
			r.event(k, 1, 1, 1, r.tickPayload())
			r.now += r.micros(2, 30)
		}
		r.sleep()
	}
	r.end()
}

// idle makes one event every 100 ms.
func idle(r *run) {
	k := tick()
	r.points = 102
	r.due = r.points
	r.makeStacks(20)
	r.makeThreads(2)
	for r.left() > 0 {
		r.event(k, 1, 1, 1, r.tickPayload())
		r.sleep()
	}
	r.end()
}

// sleep waits until the writer has woken up, and a little.
func (r *run) sleep() {
	r.wait(r.flush - r.now + r.n(r.ticks(600*time.Microsecond)+1))
}

// drops makes events of five threads, all events of one of which are lost.
func drops(r *run) {
	k := tick()
	r.makeStacks(20)
	r.makeThreads(6)
	const gap, listed, silent, reused = 1, 2, 3, 4
	for r.left() > 0 {
		for range min(400, r.left()) {
			capture := []int{gap, listed, 5}[r.n(3)]
			r.event(k, capture, capture, 1+int(r.n(20)), r.tickPayload())
			r.now += r.micros(10, 200)
		}
		r.short(k, reused, 20)
		r.short(k, reused, 30)
		r.write()
		r.b.Lose(r.index(gap), uint32(r.between(1, 900)))
		if r.one(3) {
			r.b.Lose(r.index(silent), uint32(r.between(1, 50)))
			r.b.Lose(r.index(listed), uint32(r.between(1, 50)))
			r.point()
		}
		r.sleep()
	}
	r.end()
}

// short makes n events of a thread that then ends. Its id is reused: in v6 by
// another row.
func (r *run) short(k *kind, thread int, n int64) {
	for range min(n, r.left()) {
		r.event(k, thread, thread, 1, r.tickPayload())
		r.now += r.micros(1, 9)
	}
	r.write()
	if t := &r.threads[thread]; !r.order.Format.HasRemovedThreads() {
		r.b.EndThread(t.index)
	} else if t.region != 0 {
		r.b.RemoveThreads(t.index)
		r.indexes++
		t.region, t.index = 0, r.indexes
	}
}

// bits32 makes the pointers of the process small.
func bits32(r *run) {
	r.head.PointerSize = 4
	r.head.TickFrequency = 1e9
}

// macOS makes a clock of another speed and large thread ids.
func macOS(r *run) {
	r.head.TickFrequency = 24e6
	r.head.SyncTicks /= 40
	r.firstID = 1_484_934
}

// windows makes a clock of another speed and processor numbers.
func windows(r *run) {
	r.head.TickFrequency = 3124099
	r.head.SyncTicks /= 320
	processor := uint32(0)
	r.processor = func() uint32 {
		if r.percent(10) {
			processor = uint32(r.n(16))
		}
		return processor
	}
}
