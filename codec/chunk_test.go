package codec_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/internal/traces"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// chunkStreams are all streams and traces of the module that have an index.
func chunkStreams(t *testing.T) map[string][]byte {
	list := goldens(t)
	for _, stream := range traces.Streams(t) {
		list[stream.Name] = stream.Data
	}
	for _, name := range []string{"gen-drops.v4", "gen-good-citizen.v6", "net10-counters.v4", "net10-tpl-activities.v4", "net10-netperf.v3"} {
		list[name] = traces.Read(t, name)
	}
	return list
}

// journal lists what a Reader returns and reports, in its order. With Options.Strict
// the first defect ends it.
type journal struct {
	strict bool
	lines  []string
	edges  map[int]codec.Edge // by position in lines
	err    error
}

func (j *journal) hooks() codec.ChunkHooks {
	return codec.ChunkHooks{
		OnDefect: func(e *codec.Error) { j.add("defect", *e) },
		OnLost:   func(l codec.Lost) { j.add("lost", l) },
		OnEdge:   func(e codec.Edge) { j.edges[len(j.lines)] = e; j.lines = append(j.lines, "") },
	}
}

func (j *journal) add(what string, v any) {
	if l, ok := v.(codec.Lost); ok && l.Thread != nil {
		row := *l.Thread
		l.Thread = nil
		what += fmt.Sprint(row)
		v = l
	}
	j.lines = append(j.lines, fmt.Sprintf("%s %+v", what, v))
}

func (j *journal) read(r *codec.Reader) {
	r.OnSequencePoint(func(p *codec.SequencePoint) { j.add("point", *p) })
	for e, err := range r.Events() {
		if err != nil {
			j.err = err
			return
		}
		j.lines = append(j.lines, describe(e))
		for name := range e.Fields() {
			j.add("field", name)
		}
	}
}

// serialJournal reads the stream with one Reader.
func serialJournal(stream []byte, opt codec.Options) (*journal, *codec.Reader) {
	j := &journal{strict: opt.Strict}
	h := j.hooks()
	opt.OnDefect, opt.OnLost = h.OnDefect, h.OnLost
	r := codec.NewBytesReader(stream, opt)
	j.read(r)
	return j, r
}

// chunkedJournal reads the stream in chunks of size bytes, with several Readers in
// turn, and joins them.
func chunkedJournal(x *codec.Index, strict bool, size int64, readers int) (*journal, *codec.ChunkJoin) {
	all, join := &journal{strict: strict}, codec.NewChunkJoin(x)
	var each []*codec.Reader
	parts := make([]journal, readers)
	for i := range readers {
		each = append(each, x.ChunkReader(parts[i].hooks()))
	}
	for i, c := range x.Chunks(codec.TimeRange{}, size) {
		part, r := &parts[i%readers], each[i%readers]
		*part = journal{strict: strict, edges: map[int]codec.Edge{}}
		r.ReadChunk(c)
		part.read(r)
		ended := false
		for at, line := range part.lines {
			if edge, ok := part.edges[at]; ok {
				lost, defect := join.Edge(edge)
				if lost.Count > 0 {
					all.add("lost", lost)
				}
				if defect != nil {
					all.add("defect", *defect.(*codec.Error))
				}
				if ended = defect != nil && strict; ended {
					break
				}
			} else {
				all.lines = append(all.lines, line)
			}
		}
		if !join.Add(r.ChunkResult()) {
			break
		}
	}
	all.err = join.Err()
	return all, join
}

// sameEnds compares what a Reader and a join return in addition to events.
func sameEnds(t *testing.T, r *codec.Reader, j *codec.ChunkJoin) {
	t.Helper()
	expect.Equal(t, "error", fmt.Sprintf("%+v", j.Err()), fmt.Sprintf("%+v", r.Err()))
	expect.Equal(t, "lost", j.Lost(), r.Lost())
	if !errors.Is(r.Err(), codec.ErrDefect) { // the Readers decode ahead of it
		expect.Equal(t, "events", j.Count(), r.Count())
	}
	bad, first := r.BadBlocks()
	gotBad, gotFirst := j.BadBlocks()
	expect.Equal(t, "bad blocks", gotBad, bad)
	expect.Equal(t, "first bad block", fmt.Sprint(gotFirst), fmt.Sprint(first))
	expect.Equal(t, "defects", fmt.Sprint(j.Defects()), fmt.Sprint(r.Defects()))
}

var chunkOptions = map[string]codec.Options{
	"skip":           {OnError: codec.Skip},
	"stop":           {},
	"strict":         {Strict: true},
	"by time":        {OnError: codec.Skip, Order: codec.ByTime},
	"strict by time": {Strict: true, Order: codec.ByTime},
}

// TestChunks: the chunks of a file, read by one Reader or by several in turn, have
// the events, losses, defects and the error of a Reader of the complete file, in
// the same order.
func TestChunks(t *testing.T) {
	for name, stream := range chunkStreams(t) {
		if (!traces.Check || traces.Race) && len(stream) > 10_000 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for kind, opt := range chunkOptions {
				if opt.OnError == codec.Stop && len(stream) > 100_000 {
					continue
				}
				t.Run(kind, func(t *testing.T) { sameInChunks(t, stream, opt, 2, 3, 7, 40) })
			}
		})
	}
}

// TestChunksOfChangedStreams does the same for streams with a changed byte.
func TestChunksOfChangedStreams(t *testing.T) {
	const step = 397
	for name, stream := range goldens(t) {
		if len(stream) > 4096 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			b := bytes.Clone(stream)
			for at := len(name); at < len(b); at += step {
				b[at] ^= 0x81
				for _, opt := range chunkOptions {
					sameInChunks(t, b, opt, 7)
				}
				b[at] ^= 0x81
			}
		})
	}
}

// sameInChunks compares the stream in about as many chunks with a Reader.
func sameInChunks(t *testing.T, stream []byte, opt codec.Options, counts ...int64) {
	t.Helper()
	x, err := codec.NewIndex(bytes.NewReader(stream), int64(len(stream)), opt)
	if err != nil {
		return // there is no trace
	}
	want, r := serialJournal(stream, opt)
	for _, n := range counts {
		got, join := chunkedJournal(x, opt.Strict, int64(len(stream))/n, int(min(n, 3)))
		if at := firstDifference(got.lines, want.lines); at >= 0 {
			t.Errorf("%d chunks, line %d of %d, want %d:\n got %v\nwant %v", n, at, len(got.lines), len(want.lines),
				lineAt(got.lines, at), lineAt(want.lines, at))
		}
		sameEnds(t, r, join)
	}
}

// TestChunkEdges: the losses and steps back between chunks depend on the sequence
// points and removed threads in the chunks.
func TestChunkEdges(t *testing.T) {
	v4 := func(thread uint64, sequence uint32) []byte {
		row := rowV4(1, sequence, 2000, "", 0, 0)
		binary.LittleEndian.PutUint64(row[12:], thread)
		binary.LittleEndian.PutUint64(row[20:], thread)
		return eventBlock(0, row)
	}
	v6 := func(thread uint64, sequence uint32) []byte {
		return eventBlock(0, rowV6(1, sequence, thread, thread, 0, 2000, 0, ""))
	}
	start4 := func() *streamV4 { return newV4(4, 4).metadata(1, "E") }
	start6 := func() *streamV6 { return newV6().metadata(1, "E").thread(1, 1, 1).thread(2, 2, 2) }
	for _, c := range []struct {
		name   string
		stream []byte
		lost   uint64
		back   int
	}{
		{"gap", start6().block(wire.KindEvent, v6(1, 1)).block(wire.KindEvent, v6(2, 1)).block(wire.KindEvent, v6(1, 9)).end(), 7, 0},
		{"back", start6().block(wire.KindEvent, v6(1, 5)).block(wire.KindEvent, v6(2, 1)).block(wire.KindEvent, v6(1, 1)).end(), 4, 1},
		{"first of a new thread in v4", start4().block("EventBlock", v4(1, 5)).block("EventBlock", v4(2, 1)).block("EventBlock", v4(1, 1)).end(), 4, 0},
		{"left out by a point", start4().block("EventBlock", v4(1, 5)).block("EventBlock", v4(2, 1)).
			block("SPBlock", bytesOf(uint64(2000), uint32(0))).block("EventBlock", v4(1, 3)).end(), 4 + 2, 0},
		{"listed by a point", start4().block("EventBlock", v4(1, 5)).block("EventBlock", v4(2, 1)).
			block("SPBlock", bytesOf(uint64(2000), uint32(1), uint64(1), uint32(7))).
			block("SPBlock", bytesOf(uint64(2000), uint32(1), uint64(1), uint32(6))).block("EventBlock", v4(1, 9)).end(), 4 + 2 + 1, 0},
		{"all ended by a point", start6().block(wire.KindEvent, v6(1, 5)).block(wire.KindEvent, v6(2, 1)).
			block(wire.KindSequencePoint, uint64(2000), uint32(wire.SequenceThreads), uint32(0)).thread(1, 1, 1).
			block(wire.KindEvent, v6(1, 3)).end(), 4 + 2, 0},
		{"removed", start6().block(wire.KindEvent, v6(1, 5)).block(wire.KindEvent, v6(2, 1)).
			block(wire.KindRemoveThread, byte(1), byte(6)).thread(1, 1, 1).block(wire.KindEvent, v6(1, 3)).end(), 4 + 1 + 2, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := codec.NewBytesReader(c.stream, codec.Options{})
			got := drain(r)
			expect.Equal(t, "lost", got.lost, c.lost)
			expect.Equal(t, "rules", len(got.defects), c.back)
			for _, opt := range chunkOptions {
				sameInChunks(t, c.stream, opt, 1, 2, 3, 4, 5, 8, 40)
			}
		})
	}
}

// TestChunkCuts: chunks adjoin, and are cut between any two blocks, with ByTime at
// sequence points, in v3 not at all.
func TestChunkCuts(t *testing.T) {
	v6 := twoRegions(40, 10)
	for _, c := range []struct {
		name   string
		stream []byte
		order  codec.Order
		chunks int
	}{
		{"file order", v6, codec.FileOrder, 13},
		{"by time", v6, codec.ByTime, 3},
		{"v3", wrongSizeV3(0, nil), codec.FileOrder, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, err := codec.NewIndex(bytes.NewReader(c.stream), int64(len(c.stream)), codec.Options{Order: c.order})
			expect.NoError(t, err)
			list := x.Chunks(codec.TimeRange{}, 1)
			expect.Equal(t, "chunks", len(list), c.chunks)
			at := int64(0)
			for i, chunk := range list {
				expect.Equal(t, "number", chunk.Number, i)
				expect.Equal(t, "offset", chunk.Offset, at)
				at = chunk.End
			}
			expect.Equal(t, "end", at, int64(len(c.stream)))
		})
	}
}

// TestChunksBetween: with a bound of time, the chunks have the events of Between,
// whatever chunk the Reader has read before.
func TestChunksBetween(t *testing.T) {
	stream := twoRegions(400, 10)
	x, err := codec.NewIndex(bytes.NewReader(stream), int64(len(stream)), codec.Options{})
	expect.NoError(t, err)
	expect.NoError(t, x.Verify(t.Context()))
	within := codec.TimeRange{From: 1203, To: 1702, HasFrom: true, HasTo: true}
	var got []uint64
	r := x.ChunkReader(codec.ChunkHooks{})
	for _, c := range x.Chunks(within, 1000) {
		r.ReadChunk(c)
		got = append(got, timesByNext(r)...)
	}
	expect.Slices(t, "times", got, timesByNext(x.Between(within)))
	expect.Len(t, "times", got, 499)
}

// stackBlocks returns a stream in which a block of stacks comes before each event.
func stackBlocks(t *testing.T, events int) []byte {
	var out bytes.Buffer
	w := codec.NewWriter(&out, codec.WriterOptions{Format: wire.Format{Major: 4}, Trace: codec.Trace{SyncTime: time.Unix(0, 0), TickFrequency: 1e9}})
	id, err := w.DefineMetadata(&codec.Metadata{Provider: "P", Name: "E", EventID: 1})
	expect.NoError(t, err)
	for i := range events {
		expect.NoError(t, w.Write(&codec.Record{MetadataID: id, Timestamp: uint64(1000 + i), Thread: 1, CaptureThread: 1, Stack: []uint64{uint64(i) + 1}}))
		expect.NoError(t, w.Flush())
	}
	expect.NoError(t, w.Close())
	return out.Bytes()
}

// TestChunksBetweenStacks: a Reader that reads the chunks of a range one after another
// has the events of Between, with their stacks, wherever the chunks are cut.
func TestChunksBetweenStacks(t *testing.T) {
	stream := stackBlocks(t, 12)
	x, err := codec.NewIndex(bytes.NewReader(stream), int64(len(stream)), codec.Options{})
	expect.NoError(t, err)
	for _, within := range []codec.TimeRange{
		{From: 1002, To: 1011, HasFrom: true, HasTo: true}, {To: 1007, HasTo: true}, {From: 1004, HasFrom: true},
	} {
		want := drain(x.Between(within)).events
		expect.NotZero(t, "events", len(want))
		t.Run(fmt.Sprintf("%+v", within), func(t *testing.T) {
			for size := int64(1); size < 500; size += 9 {
				var got []string
				r := x.ChunkReader(codec.ChunkHooks{})
				for _, c := range x.Chunks(within, size) {
					r.ReadChunk(c)
					got = append(got, drain(r).events...)
				}
				expect.Slices(t, fmt.Sprintf("events in chunks of %d bytes", size), got, want)
			}
		})
	}
}

// TestReadChunkTwice: a Reader reads any chunk after any other.
func TestReadChunkTwice(t *testing.T) {
	stream := traces.Read(t, "net10-counters.v4")
	x, err := codec.NewIndex(bytes.NewReader(stream), int64(len(stream)), codec.Options{})
	expect.NoError(t, err)
	list := x.Chunks(codec.TimeRange{}, int64(len(stream))/5)
	r := x.ChunkReader(codec.ChunkHooks{})
	events := func(c codec.Chunk) []string {
		r.ReadChunk(c)
		return drain(r).events
	}
	first, last := events(list[0]), events(list[len(list)-1])
	expect.NotZero(t, "events", len(last))
	for _, c := range []struct {
		name  string
		chunk codec.Chunk
		want  []string
	}{{"back", list[0], first}, {"the same", list[0], first}, {"forward", list[len(list)-1], last}} {
		t.Run(c.name, func(t *testing.T) { expect.Slices(t, "events", events(c.chunk), c.want) })
	}
	t.Run("after a break", func(t *testing.T) {
		r.ReadChunk(list[0])
		r.Next()
		expect.Slices(t, "events", events(list[len(list)-1]), last)
	})
}

// TestReadChunkMisuse: a Reader of another Index panics, and no Reader of chunks is
// at the start of its stream.
func TestReadChunkMisuse(t *testing.T) {
	stream := twoRegions(40, 10)
	x, err := codec.NewIndex(bytes.NewReader(stream), int64(len(stream)), codec.Options{})
	expect.NoError(t, err)
	r := x.ChunkReader(codec.ChunkHooks{})
	expect.ErrorIs(t, r.AtStart(), codec.ErrStarted)
	if e, ok := r.Next(); ok || r.Err() != nil {
		t.Errorf("before ReadChunk: got %v, %v; want no event and no error", e, r.Err())
	}
	defer func() { expect.NotZero(t, "panic", fmt.Sprint(recover())) }()
	codec.NewBytesReader(stream, codec.Options{}).ReadChunk(x.Chunks(codec.TimeRange{}, 1)[0])
	t.Error("got no panic")
}

func lineAt(lines []string, at int) string {
	if at < len(lines) {
		return lines[at]
	}
	return "nothing"
}

// countedAt counts the bytes that are read.
type countedAt struct {
	*bytes.Reader
	bytes int64
}

func (c *countedAt) ReadAt(p []byte, offset int64) (int, error) {
	n, err := c.Reader.ReadAt(p, offset)
	c.bytes += int64(n)
	return n, err
}

// TestChunkBytes: several Readers of chunks read little more of the file than their
// chunks and the tables before these.
func TestChunkBytes(t *testing.T) {
	const readers, start = 3, 64 << 10 // start: bytes of the first read of each
	stream := traces.Read(t, "net10-tpl-activities.v4")
	at := &countedAt{Reader: bytes.NewReader(stream)}
	x, err := codec.NewIndex(at, int64(len(stream)), codec.Options{})
	expect.NoError(t, err)
	limit := int64(len(stream) + readers*start)
	for i, b := range x.Blocks() {
		if b.Kind != wire.KindEvent && i+1 < len(x.Blocks()) {
			limit += (readers - 1) * (x.Blocks()[i+1].Offset - b.Offset)
		}
	}
	at.bytes = 0
	var each []*codec.Reader
	for range readers {
		each = append(each, x.ChunkReader(codec.ChunkHooks{}))
	}
	list := x.Chunks(codec.TimeRange{}, 4<<10)
	for i, c := range list {
		r := each[i%readers]
		r.ReadChunk(c)
		for _, err := range r.Events() {
			expect.NoError(t, err)
		}
	}
	if len(list) < 5 || at.bytes > limit {
		t.Errorf("%d bytes read for %d chunks, want at most %d", at.bytes, len(list), limit)
	}
}
