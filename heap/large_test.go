package heap_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"math/rand"
	"runtime"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/heap"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// generate writes a dump of objects with 3.2 references each, which lead to objects
// nearby, as those of a program do, but one in eight to any object.
func generate(w io.Writer, objects int) error {
	out := codec.NewWriter(w, codec.WriterOptions{Format: wire.V4, PassOn: true, Trace: codec.Trace{TickFrequency: 1e9, PointerSize: 8}})
	ids := map[uint32]uint32{}
	now := uint64(0)
	write := func(id uint32, b []byte) error {
		if ids[id] == 0 {
			n, err := out.DefineMetadata(&codec.Metadata{Provider: "Microsoft-Windows-DotNETRuntime", EventID: id})
			if err != nil {
				return err
			}
			ids[id] = n
		}
		now++
		return out.Write(&codec.Record{
			MetadataID: ids[id], Timestamp: now, Thread: 7, CaptureThread: 7, Processor: wire.UnknownProcessor, Payload: b,
		})
	}
	if err := write(1, payload(uint32(1))); err != nil {
		return err
	}
	const nodeRows, edgeRows = 2008, 5354
	random := rand.New(rand.NewSource(1))
	var node, edge []byte
	var nodes, edges, nodeIndex, edgeIndex uint32
	flush := func(id uint32, b *[]byte, count, index *uint32) error {
		err := write(id, append(payload(*index, *count, uint16(0)), *b...))
		*b, *count = (*b)[:0], 0
		*index++
		return err
	}
	for i := range objects {
		references := 3
		if i%5 == 0 {
			references = 4
		}
		for _, v := range []uint64{uint64(i)*32 + 1<<32, uint64(24 + i%100), uint64(i % 1000), uint64(references)} {
			node = binary.LittleEndian.AppendUint64(node, v)
		}
		if nodes++; nodes == nodeRows {
			if err := flush(18, &node, &nodes, &nodeIndex); err != nil {
				return err
			}
		}
		for k := range references {
			to := i + 1 + random.Intn(2000)
			if k == 0 && i%8 == 0 {
				to = random.Intn(objects)
			}
			edge = binary.LittleEndian.AppendUint64(edge, uint64(to%objects)*32+1<<32)
			edge = binary.LittleEndian.AppendUint32(edge, 0)
			if edges++; edges == edgeRows {
				if err := flush(19, &edge, &edges, &edgeIndex); err != nil {
					return err
				}
			}
		}
	}
	if err := flush(18, &node, &nodes, &nodeIndex); err != nil {
		return err
	}
	if err := flush(19, &edge, &edges, &edgeIndex); err != nil {
		return err
	}
	var roots []byte
	for i := range 1000 {
		roots = append(roots, payload(uint64(i*(objects/1000))*32+1<<32, uint8(2), uint32(0), uint64(i))...)
	}
	if err := write(16, append(payload(uint32(0), uint32(1000), uint16(0)), roots...)); err != nil {
		return err
	}
	if err := write(2, payload(uint32(1))); err != nil {
		return err
	}
	return out.Close()
}

// TestMemory bounds the bytes that reading a dump and all work on it allocate, whether
// they are still used or not.
func TestMemory(t *testing.T) {
	tier.NeedsCheck(t)
	const objects, most = 300_000, 150
	var stream bytes.Buffer
	expect.NoError(t, generate(&stream, objects))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	h, err := heap.FromReader(context.Background(), codec.NewBytesReader(stream.Bytes(), codec.Options{}), heap.Options{})
	expect.NoError(t, err)
	expect.Stop(t)
	d, err := h.Dominators(context.Background())
	expect.NoError(t, err)
	h.Types(d)
	runtime.ReadMemStats(&after)
	expect.Equal(t, "objects", h.Len(), objects)
	expect.Equal(t, "references", h.Dump.Edges, objects*32/10)
	expect.AtMost(t, "bytes for each object", float64(after.TotalAlloc-before.TotalAlloc)/objects, most)
}

// BenchmarkHeap reads a dump and computes the dominators and the totals of types.
func BenchmarkHeap(b *testing.B) {
	const objects = 100_000
	pr, pw := io.Pipe()
	go func() { pw.CloseWithError(generate(pw, objects)) }()
	stream, err := io.ReadAll(pr)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		h, err := heap.FromReader(context.Background(), codec.NewBytesReader(stream, codec.Options{}), heap.Options{})
		if err != nil {
			b.Fatal(err)
		}
		d, err := h.Dominators(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		h.Types(d)
	}
	b.ReportMetric(float64(objects)*float64(b.N)/b.Elapsed().Seconds(), "objects/s")
}
