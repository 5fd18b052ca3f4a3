package gen

import (
	"math/rand"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// FromBytes makes a small valid trace whose choices depend on data, the input of
// a fuzz target.
func FromBytes(data []byte) *Trace { return newRandom(rand.New(newByteSource(data))).trace() }

// Random makes a small valid trace. Over all seeds, all versions, kinds of
// blocks, types, labels and properties occur. A trace breaks no rule of
// severity error or warning.
func Random(seed int64) *Trace { return newRandom(rand.New(rand.NewSource(seed))).trace() }

// random makes a trace. It has the rows that the next events may refer to.
type random struct {
	c      *rand.Rand
	b      *Builder
	format wire.Format
	head   codec.Trace

	names     int // used so far
	events    int
	processor int // number of processors
	metadata  []*codec.Metadata
	threads   []uint64
	stacks    []uint32
	labels    []uint32
	guids     map[string]wire.GUID // of providers

	point    uint64 // ticks of the last sequence point
	activity wire.GUID
	related  wire.GUID
}

func newRandom(c *rand.Rand) *random {
	r := &random{c: c, guids: map[string]wire.GUID{}}
	r.format = []wire.Format{wire.V4, wire.V5, wire.V6}[r.n(3)]
	r.properties()
	r.b = NewBuilder(BuilderOptions{Format: r.format, Trace: r.head})
	return r
}

// n returns a number from 0 to k-1.
func (r *random) n(k int) int { return r.c.Intn(k) }

// one returns true once in k times.
func (r *random) one(k int) bool { return r.n(k) == 0 }

// bits returns a number of up to k bits; small ones are as likely as large ones.
func (r *random) bits(k int) uint64 {
	n := r.n(k + 1)
	if n == 0 {
		return 0
	}
	return r.c.Uint64()>>(64-n) | 1<<(n-1)
}

// guid returns a GUID that is not zero.
func (r *random) guid() (g wire.GUID) {
	r.fill(g[:])
	g[0] |= 1
	return g
}

// properties chooses the properties of the trace.
func (r *random) properties() {
	start := time.Date(2016, 1, 1, 0, 0, 0, 0, time.UTC)
	const tenYears int64 = 10 * 365 * 24 * 60 * 60 * 1000
	r.processor = 1 + r.n(64)
	r.head = codec.Trace{
		Format:        r.format,
		SyncTime:      start.Add(time.Duration(r.c.Int63n(tenYears)) * time.Millisecond),
		SyncTicks:     r.bits(52),
		TickFrequency: []uint64{1e3, 3124099, 1e7, 24e6, 1e9, 1e10}[r.n(6)],
		PointerSize:   4 << r.n(2),
	}
	r.point = r.head.SyncTicks
	known := []codec.KeyValue{
		{Key: codec.ProcessIDKey, Value: number(1 + uint64(r.n(1<<20)))},
		{Key: codec.HardwareThreadCountKey, Value: number(uint64(r.processor))},
		{Key: codec.ExpectedCPUSamplingRateKey, Value: number(uint64(r.n(1 << 30)))},
	}
	if !r.format.HasTraceProperties() {
		r.head.Properties = known
		return
	}
	r.head.Format = wire.V6
	for _, kv := range known {
		if !r.one(3) {
			r.head.Properties = append(r.head.Properties, kv)
		}
	}
	r.head.Properties = append(r.head.Properties, r.pairs(3)...)
}

// trace makes the blocks.
func (r *random) trace() *Trace {
	for regions := 1 + r.n(3); regions > 0; regions-- {
		r.region()
		if regions > 1 || r.one(2) {
			r.sequencePoint()
		}
	}
	return r.b.Trace()
}

// region makes the blocks between two sequence points.
func (r *random) region() {
	for batches := 1 + r.n(3); batches > 0; batches-- {
		r.form()
		if len(r.metadata) == 0 || r.one(2) {
			r.defineMetadata(1 + r.n(3))
		}
		r.defineThreads()
		r.defineStacks()
		if r.format.HasLabelLists() {
			r.defineLabels()
		}
		r.batch(r.n(12))
		if r.one(2) {
			r.b.Flush()
		}
		r.extras()
	}
}

// form chooses how the next blocks are written.
func (r *random) form() {
	r.b.Plain = r.one(3)
	r.b.Extension = nil
	if r.one(6) {
		n := 1 + r.n(9)
		if r.b.Plain && r.format.HasPadding() {
			n = (n + 3) &^ 3 // rows are at multiples of four
		}
		r.b.Extension = make([]byte, n)
		r.fill(r.b.Extension)
	}
}

func (r *random) fill(b []byte) {
	for i := range b {
		b[i] = byte(r.c.Uint32())
	}
}

// extras sometimes makes blocks that only v6 has.
func (r *random) extras() {
	if !r.format.HasRemovedThreads() {
		return
	}
	if len(r.threads) > 1 && r.one(3) {
		last := len(r.threads) - 1
		r.b.RemoveThreads(r.threads[last])
		r.threads = r.threads[:last]
	}
	if r.one(8) {
		body := make([]byte, r.n(20))
		r.fill(body)
		r.b.Block(&codec.BlockRows{Kind: wire.Kind(9 + r.n(246)), Body: body})
	}
}

// sequencePoint ends the region.
func (r *random) sequencePoint() {
	r.b.Flush()
	r.point = max(r.b.Now, r.point+1) + r.bits(20)
	p := codec.SequencePoint{Timestamp: r.point}
	if !r.format.HasRemovedThreads() && len(r.b.captures.list) > 1 && r.one(4) {
		r.endThread()
	}
	for _, e := range r.b.captures.list {
		if r.format.HasRemovedThreads() && r.one(4) {
			continue
		}
		if r.one(5) {
			e.Sequence += uint32(r.n(100)) // numbers that were lost
		}
		p.Threads = append(p.Threads, e)
	}
	if r.format.HasSequencePointFlags() {
		p.Flags = uint32(r.n(4))
	}
	r.b.Point(p)
	r.stacks, r.labels = nil, nil
	if p.Flags&wire.SequenceThreads != 0 {
		r.threads = nil
	}
	if p.Flags&wire.SequenceMetadata != 0 {
		r.metadata = nil
		r.b.nextMetadata = 1
	}
}

// endThread ends a thread of v4 without events since the last point, which is one
// with the same number in the point before.
func (r *random) endThread() {
	r.b.Flush()
	blocks := r.b.trace.Blocks
	thread := r.b.captures.list[r.n(len(r.b.captures.list))].Thread
	for i := len(blocks) - 1; i >= 0 && blocks[i].Kind != wire.KindSequencePoint; i-- {
		for j := range blocks[i].Events {
			if blocks[i].Events[j].CaptureThreadIndex == thread {
				return
			}
		}
	}
	r.b.EndThread(thread)
}
