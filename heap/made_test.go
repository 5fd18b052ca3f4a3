package heap_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/heap"
)

// event is an event of the runtime to write.
type event struct {
	id      uint32
	payload []byte
	skipped int // sequence numbers before it without an event
}

// payload is the values in the layout of the runtime: text in UTF-16 with a zero.
func payload(values ...any) (b []byte) {
	for _, v := range values {
		switch v := v.(type) {
		case string:
			for _, unit := range append(utf16.Encode([]rune(v)), 0) {
				b = binary.LittleEndian.AppendUint16(b, unit)
			}
		case uint8:
			b = append(b, v)
		case uint16:
			b = binary.LittleEndian.AppendUint16(b, v)
		case uint32:
			b = binary.LittleEndian.AppendUint32(b, v)
		case uint64:
			b = binary.LittleEndian.AppendUint64(b, v)
		case []byte:
			b = append(b, v...)
		default:
			panic("no layout for this value")
		}
	}
	return b
}

// object is an object to write. Its address is 0x1000 times its place in the list,
// from 1 on.
type object struct {
	typ        uint64
	size       uint64
	references []int // numbers of objects
}

type root struct {
	object int // -1 for address 0
	kind   heap.RootKind
	flags  heap.RootFlags
}

// graph is a dump to write.
type graph struct {
	collection uint32
	objects    []object
	roots      []root
	weak       [][2]int          // keys and values
	types      map[uint64]string // names by TypeID
	rows       int               // of an event; 0 means 3
	downwards  bool              // later objects have lower addresses
	pointer    int               // bytes of a pointer; 0 means 8
	addresses  []uint64          // of the objects; nil means those of object
}

const space = 0x1000

func address(i int) uint64 { return uint64(i+1) * space }

// at returns the address of an object as a value of a payload.
func (g *graph) at(i int) any {
	if i >= 0 && g.addresses != nil {
		return g.addresses[i]
	}
	if g.downwards && i >= 0 {
		i = len(g.objects) - i
	}
	if g.pointer == 4 {
		return uint32(address(i))
	}
	return address(i)
}

// events returns the events of a dump in an order in which the runtime may write
// them: objects before the first root, edges between objects.
func (g *graph) events() []event {
	var nodes, edges, roots, weak [][]byte
	for i, o := range g.objects {
		nodes = append(nodes, payload(g.at(i), o.size, o.typ, uint64(len(o.references))))
		for _, r := range o.references {
			edges = append(edges, payload(g.at(r), uint32(0)))
		}
	}
	for i, r := range g.roots {
		roots = append(roots, payload(g.at(r.object), uint8(r.kind), uint32(r.flags), g.at(i)))
	}
	for i, w := range g.weak {
		weak = append(weak, payload(g.at(w[0]), g.at(w[1]), g.at(i)))
	}
	list := []event{{id: 1, payload: payload(g.collection, uint32(2), uint32(1), uint32(0), uint16(0), uint64(0))}}
	list = append(list, g.typeEvents()...)
	bulk := [][]event{g.bulk(18, nodes), g.bulk(19, edges), g.bulk(16, roots), g.bulk(17, weak)}
	for n := 0; n < 4; {
		n = 0
		for k := range bulk {
			if len(bulk[k]) == 0 {
				n++
				continue
			}
			list, bulk[k] = append(list, bulk[k][0]), bulk[k][1:]
		}
	}
	return append(list, event{id: 2, payload: payload(g.collection, uint32(2), uint16(0))})
}

func (g *graph) bulk(id uint32, rows [][]byte) (list []event) {
	n := g.rows
	if n == 0 {
		n = 3
	}
	for len(rows) > 0 {
		some := rows[:min(n, len(rows))]
		rows = rows[len(some):]
		list = append(list, event{id: id, payload: payload(uint32(len(list)), uint32(len(some)), uint16(0), bytes.Join(some, nil))})
	}
	return list
}

// typeEvents names each type twice, as the runtime may do.
func (g *graph) typeEvents() (list []event) {
	for id, name := range g.types {
		row := payload(id, uint64(1), uint32(0), uint32(0), uint8(0), name, uint32(1), uint64(7))
		list = append(list, event{id: 15, payload: payload(uint32(2), uint16(0), row, row)})
	}
	return list
}

// made is a trace of the events, with a millisecond between them.
func made(t testing.TB, events ...event) []byte {
	t.Helper()
	return madeWith(t, 8, events...)
}

// madeWith is made for a size of pointers.
func madeWith(t testing.TB, pointer int, events ...event) []byte {
	t.Helper()
	var out bytes.Buffer
	w := codec.NewWriter(&out, codec.WriterOptions{Format: wire.V4, PassOn: true, Trace: codec.Trace{
		SyncTime: time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC), TickFrequency: 1e9, PointerSize: pointer,
	}})
	ids := map[uint32]uint32{}
	sequence := uint32(0)
	for i, e := range events {
		if _, known := ids[e.id]; !known {
			id, err := w.DefineMetadata(&codec.Metadata{Provider: "Microsoft-Windows-DotNETRuntime", EventID: e.id})
			if err != nil {
				t.Fatal(err)
			}
			ids[e.id] = id
		}
		sequence += 1 + uint32(e.skipped)
		err := w.Write(&codec.Record{
			MetadataID: ids[e.id], Timestamp: uint64(i+1) * 1e6, Thread: 7, CaptureThread: 7,
			Processor: wire.UnknownProcessor, Payload: e.payload, Sequence: sequence,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// read reads a dump of a trace of the events.
func read(t testing.TB, opt heap.Options, events ...event) (*heap.Heap, error) {
	t.Helper()
	return heap.FromReader(context.Background(), codec.NewBytesReader(made(t, events...), codec.Options{}), opt)
}
