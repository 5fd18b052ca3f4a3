package codec_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/corpora"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// counting counts what is read, and remembers the largest read.
type counting struct {
	at      io.ReaderAt
	bytes   atomic.Int64
	largest atomic.Int64
}

func (c *counting) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.at.ReadAt(p, off)
	c.bytes.Add(int64(n))
	if size := int64(len(p)); size > c.largest.Load() {
		c.largest.Store(size)
	}
	return n, err
}

// TestIndexAgrees: a slice holds what whole reading gives for its time.
func TestIndexAgrees(t *testing.T) {
	check := func(t *testing.T, stream []byte) {
		t.Helper()
		src := &counting{at: bytes.NewReader(stream)}
		x, err := codec.NewIndex(src, int64(len(stream)), codec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if src.largest.Load() > 64 {
			t.Errorf("a read of %d bytes for the index", src.largest.Load())
		}
		var whole []mark
		var times []uint64
		whole1 := codec.NewBytesReader(stream, codec.Options{})
		for e, err := range whole1.Events() {
			if err == nil {
				whole, times = append(whole, markOf(e)), append(times, e.Timestamp)
			}
		}
		rng := rand.New(rand.NewPCG(3, 4))
		low, high := slices.Min(times), slices.Max(times)
		for range 12 {
			from, to := low+rng.Uint64N(high-low+1), low+rng.Uint64N(high-low+1)
			checkSlice(t, x, from, max(from, to), whole, times)
		}
		checkSlice(t, x, 0, 1<<64-1, whole, times)
		checkSlice(t, x, high, high+1, whole, times)
	}
	for _, name := range corpora.Names() {
		t.Run(name, func(t *testing.T) { check(t, corpus(t, name)) })
	}
	t.Run("shared", func(t *testing.T) {
		for _, name := range []string{"perfview-netcore3.0-win-x64.v4", "perfview-netcore2.1-win-x86.v3", "perfview-voicememo-32bit.v4"} {
			t.Run(name, func(t *testing.T) { check(t, shared.Trace(t, name)) })
		}
	})
}

func checkSlice(t *testing.T, x *codec.Index, from, to uint64, whole []mark, times []uint64) {
	t.Helper()
	var want []mark
	for i, ts := range times {
		if from <= ts && ts < to {
			want = append(want, whole[i])
		}
	}
	r := x.Between(from, to)
	got, _ := marksOf(t, r)
	if !slices.Equal(got, want) {
		t.Fatalf("from %d to %d: %d events, want %d", from, to, len(got), len(want))
	}
	if r.Lost() != 0 || len(r.Defects()) != 0 {
		t.Fatalf("from %d to %d: %d lost, defects %v", from, to, r.Lost(), r.Defects())
	}
	var mutex sync.Mutex
	parallel := map[int][]mark{}
	err := x.Parallel(from, to, 3, func(region int, e *codec.Event) error {
		m := markOf(e)
		mutex.Lock()
		defer mutex.Unlock()
		parallel[region] = append(parallel[region], m)
		return nil
	})
	var joined []mark
	for region := 0; len(parallel) > 0; region++ {
		joined = append(joined, parallel[region]...)
		delete(parallel, region)
	}
	if x.Err() == nil && err != nil || !slices.Equal(joined, want) {
		t.Fatalf("from %d to %d in parallel: %d events, want %d; %v", from, to, len(joined), len(want), err)
	}
}

// repeated is a v4 file of many copies of a trace, each later than the one
// before, of which only what is read is made.
type repeated struct {
	head, tail []byte
	copies     [4][]byte // of the blocks, as framed from an offset of each remainder by 4
	starts     []int64
	shift      uint64 // ticks from copy to copy
	size       int64
	times      [4][]int // positions of 8-byte times in a copy
}

// newRepeated frames the blocks of a stream until size bytes are reached. Rows
// of event blocks hold differences but for the first of each block, so that the
// header's bounds, the first row's time and the sequence points are shifted; a
// first time keeps its length if it is large enough.
func newRepeated(t *testing.T, stream []byte, size int64) *repeated {
	t.Helper()
	x, err := codec.NewIndex(bytes.NewReader(stream), int64(len(stream)), codec.Options{})
	if err != nil || x.Err() != nil {
		t.Fatal(err, x.Err())
	}
	blocks := x.Blocks()
	f := &repeated{head: stream[:blocks[0].Offset], tail: []byte{1}}
	for remainder := range 4 {
		f.copies[remainder], f.times[remainder] = frame(t, stream, int64(remainder))
	}
	last := blocks[len(blocks)-2]
	f.shift = last.Max - x.Trace().SyncTicks + 1
	at := int64(len(f.head))
	for at < size {
		f.starts = append(f.starts, at)
		at += int64(len(f.copies[at&3]))
	}
	f.size = at + 1
	return f
}

// frame builds the blocks of a stream anew from an offset of that remainder by
// 4, and finds the times in them: of headers and of sequence points, whose place
// is fixed. Event rows become uncompressed, so that theirs is too.
func frame(t *testing.T, stream []byte, remainder int64) (b []byte, times []int) {
	t.Helper()
	r := codec.NewBytesReader(stream, codec.Options{})
	for {
		block, ok := r.NextBlock()
		if !ok {
			break
		}
		var body []byte
		var at []int
		switch block.Kind {
		case wire.Trace, wire.EndOfStream:
			continue
		case wire.Event:
			body = bytesOf(uint16(20), uint16(0), block.MinTimestamp, block.MaxTimestamp)
			at = []int{4, 12}
			for {
				e, ok := r.NextInBlock()
				if !ok {
					break
				}
				at = append(at, len(body)+36)
				payload := e.Payload()
				body = bytesOf(body, uint32(76+len(payload)), e.MetadataID, e.Sequence, e.ThreadIndex, e.CaptureThreadIndex,
					e.Processor, e.StackID, e.Timestamp, make([]byte, 32), uint32(len(payload)), payload)
			}
		case wire.SequencePoint:
			body, at = bytesOf(block.Body), []int{0}
		default:
			body = bytesOf(block.Body)
		}
		header := bytesOf(byte(5), byte(5), byte(1), uint32(2), uint32(2), uint32(len(block.TypeName)), block.TypeName, byte(6), uint32(len(body)))
		pad := -(remainder + int64(len(b)+len(header))) & 3
		b = bytesOf(b, header, make([]byte, pad))
		for _, pos := range at {
			times = append(times, len(b)+pos)
		}
		b = bytesOf(b, body, byte(6))
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return b, times
}

func (f *repeated) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) && off < f.size {
		m := f.part(p[n:], off)
		n, off = n+m, off+int64(m)
	}
	if n < len(p) {
		err = io.EOF
	}
	return n, err
}

func (f *repeated) part(p []byte, off int64) int {
	if off < int64(len(f.head)) {
		return copy(p, f.head[off:])
	}
	i, exact := slices.BinarySearch(f.starts, off)
	if !exact {
		i--
	}
	data := f.copies[f.starts[i]&3]
	at := off - f.starts[i]
	if at >= int64(len(data)) {
		return copy(p, f.tail)
	}
	m := copy(p, data[at:])
	f.shiftTimes(p[:m], at, i)
	return m
}

// shiftTimes adds what copy i is later to the times in p, which stands at
// position at of the copy.
func (f *repeated) shiftTimes(p []byte, at int64, i int) {
	times := f.times[f.starts[i]&3]
	data := f.copies[f.starts[i]&3]
	first, _ := slices.BinarySearch(times, int(at)-7)
	for _, pos := range times[first:] {
		if pos >= int(at)+len(p) {
			break
		}
		shifted := bytesOf(leUint64(data[pos:]) + uint64(i)*f.shift)
		for k, c := range shifted {
			if q := pos + k - int(at); q >= 0 && q < len(p) {
				p[q] = c
			}
		}
	}
}

func leUint64(b []byte) uint64 {
	var v uint64
	for i := range 8 {
		v |= uint64(b[i]) << (8 * i)
	}
	return v
}

// TestSliceOfLargeFile reads one second out of a file of 1 GB.
func TestSliceOfLargeFile(t *testing.T) {
	f := newRepeated(t, corpus(t, "azmcp-net10-cpu.v4"), 1<<30)
	src := &counting{at: f}
	x, err := codec.NewIndex(src, f.size, codec.Options{})
	if err != nil || x.Err() != nil {
		t.Fatal(err, x.Err())
	}
	trace := x.Trace()
	from, to := trace.SyncTicks+2*trace.TickFrequency, trace.SyncTicks+3*trace.TickFrequency
	got, err := marksOf(t, x.Between(from, to))
	if err != nil || len(got) == 0 {
		t.Fatalf("%d events, %v", len(got), err)
	}
	share := float64(src.bytes.Load()) / float64(f.size)
	t.Logf("%d events; %d of %d bytes read: %.2f %%", len(got), src.bytes.Load(), f.size, 100*share)
	if share >= 0.05 {
		t.Errorf("%.1f %% of the file was read", 100*share)
	}
	// The whole file, read through, has the same events in that second.
	if testing.Short() {
		return
	}
	r := codec.NewReader(io.NewSectionReader(f, 0, f.size), codec.Options{})
	var want []mark
	for e, err := range r.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if from <= e.Timestamp && e.Timestamp < to {
			want = append(want, markOf(e))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d events, and %d by reading through", len(got), len(want))
	}
}
