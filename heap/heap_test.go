package heap_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/heap"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// small is a dump with a static field, a dependent handle, a weak root, and an object
// that no root reaches.
func small() *graph {
	return &graph{
		collection: 5,
		types:      map[uint64]string{1: "System.Object[]", 2: "List", 3: "Leaf", 4: "Key", 5: "Tag"},
		objects: []object{
			{1, 100, []int{1}},     // 0 array of statics
			{2, 20, []int{2, 3}},   // 1 list
			{3, 30, nil},           // 2 leaf
			{3, 40, []int{2}},      // 3 leaf
			{4, 5, nil},            // 4 key
			{5, 6, nil},            // 5 tag
			{9, 7, []int{6}},       // 6 not reached; refers to itself
			{3, 8, []int{6, 2, 2}}, // 7 only weakly rooted
		},
		roots: []root{
			{0, heap.HandleRoot, heap.PinnedRoot}, {-1, heap.StackRoot, 0}, {4, heap.StackRoot, 0}, {4, heap.HandleRoot, heap.RefCountedRoot},
			{7, heap.HandleRoot, heap.WeakRoot},
		},
		weak: [][2]int{{4, 5}},
	}
}

// withStatic returns the events of the dump with a static field in object 0.
func withStatic(g *graph) []event {
	list := g.events()
	static := event{id: 38, payload: payload(uint32(2), uint64(1), uint16(0),
		address(0)+16, address(1), uint64(2), uint32(0), "Leak",
		uint64(8), address(4), uint64(4), uint32(0), "Elsewhere")}
	return slices.Insert(list, 1, static)
}

func TestGraph(t *testing.T) {
	h, err := read(t, heap.Options{}, withStatic(small())...)
	expect.NoError(t, err)
	expect.Stop(t)
	d, err := h.Dominators(context.Background())
	expect.NoError(t, err)

	expect.Equal(t, "objects", h.Len(), 8)
	expect.Equal(t, "object 1", h.Object(1), heap.Object{Address: address(1), Size: 20, Type: "List"})
	expect.Equal(t, "name by type", h.Names()[h.TypeOf(1)], "List")
	expect.Equal(t, "type without a name", h.Object(6).Type, "type 0x9")
	expect.Slices(t, "references of the list", h.References(1), []int32{2, 3})
	expect.Slices(t, "references of the key", h.References(4), []int32{5})
	expect.Equal(t, "name of the static field", h.EdgeName(0, 1), "Leak")
	expect.Equal(t, "name of the dependent handle", h.EdgeName(4, 5), "dependent handle")
	expect.Equal(t, "name of a reference", h.EdgeName(1, 2), "")
	var roots []string
	for i := range h.Roots {
		roots = append(roots, fmt.Sprint(h.Roots[i].Object, " ", h.Roots[i].String()))
	}
	expect.Slices(t, "roots", roots, []string{
		"0 pinned handle", "4 static field Elsewhere", "4 stack", "4 ref-counted handle", "7 weak handle",
	})
	var parents []int32
	var retained []uint64
	for i := range int32(8) {
		parents, retained = append(parents, d.Parent(i)), append(retained, d.Retained(i))
	}
	expect.Slices(t, "dominators", parents, []int32{8, 0, 1, 1, 8, 4, 7, 9})
	expect.Slices(t, "retained", retained, []uint64{190, 90, 30, 40, 11, 6, 7, 15})
	expect.Equal(t, "retained by all", d.Retained(h.Root()), 216)
	expect.Equal(t, "parent of the root", d.Parent(h.Root()), -1)
	expect.Slices(t, "not reached", d.Children(h.Unreached()), []int32{7})
	expect.Equal(t, "retained by the leaves and the list", d.RetainedBy([]int32{1, 2, 3}), 90)

	var types []string
	for _, x := range h.Types(d) {
		types = append(types, fmt.Sprint(x.Name, x.Count, " ", x.Shallow, " ", x.Retained))
	}
	expect.Slices(t, "types", types, []string{
		"System.Object[]1 100 190", "List1 20 90", "Leaf3 78 85", "Key1 5 11", "type 0x91 7 7", "Tag1 6 6",
	})
}

func TestDumpNumbers(t *testing.T) {
	h, err := read(t, heap.Options{}, withStatic(small())...)
	expect.NoError(t, err)
	expect.Stop(t)
	d := h.Dump
	expect.Equal(t, "collection", d.Collection, 5)
	expect.Equal(t, "objects", d.Objects, 8)
	expect.Equal(t, "edges", d.Edges, 8)
	expect.Equal(t, "declared", d.Declared, 8)
	expect.Equal(t, "roots", d.Roots, 5)
	expect.Equal(t, "weak edges", d.WeakEdges, 1)
	expect.Equal(t, "statics", d.Statics, 2)
	expect.Equal(t, "types", d.Types, 10)
	expect.Equal(t, "ended", d.Ended, true)
	expect.Equal(t, "complete", d.Complete(), true)
	expect.Equal(t, "duration", d.Duration, time.Duration(len(withStatic(small()))-1)*time.Millisecond)
}

func TestPaths(t *testing.T) {
	h, err := read(t, heap.Options{}, small().events()...)
	expect.NoError(t, err)
	expect.Stop(t)
	p, err := h.Paths(context.Background())
	expect.NoError(t, err)
	expect.Slices(t, "order", p.Order(), []int32{0, 4, 1, 5, 2, 3})
	for to, want := range [][]int32{{0}, {0, 1}, {0, 1, 2}, {0, 1, 3}, {4}, {4, 5}, nil, nil} {
		expect.Slices(t, fmt.Sprint("path to ", to), p.To(int32(to)), want)
		_, reached := p.Parent(int32(to))
		expect.Equal(t, fmt.Sprint("reached ", to), reached, want != nil)
	}
}

// TestRandomDominators compares the dominators and retained sizes with their
// definition: an object is kept by another one if no path avoids that one.
func TestRandomDominators(t *testing.T) {
	for seed := range int64(300) {
		random := rand.New(rand.NewSource(seed))
		n := 1 + random.Intn(30)
		g := &graph{collection: 1, rows: 1 + random.Intn(9), downwards: seed%2 == 1}
		for range n {
			o := object{typ: uint64(random.Intn(3)), size: uint64(1 + random.Intn(100))}
			for range random.Intn(4) {
				o.references = append(o.references, random.Intn(n))
			}
			g.objects = append(g.objects, o)
		}
		for range random.Intn(4) {
			g.roots = append(g.roots, root{object: random.Intn(n)})
		}
		h, err := read(t, heap.Options{}, g.events()...)
		expect.NoError(t, err)
		expect.Stop(t)
		d, err := h.Dominators(context.Background())
		expect.NoError(t, err)
		reached := g.reach(-1)
		for v := range n {
			without, want := g.reach(v), uint64(0)
			for i := range n {
				if reached[i] && !without[i] {
					want += g.objects[i].size
				}
			}
			if reached[v] {
				expect.Equal(t, fmt.Sprint("seed ", seed, ": retained by ", v), d.Retained(int32(v)), want)
			}
		}
		expect.Equal(t, fmt.Sprint("seed ", seed, ": all"), d.Retained(h.Root()), g.total())
		expect.Stop(t)
	}
}

func (g *graph) total() (sum uint64) {
	for _, o := range g.objects {
		sum += o.size
	}
	return sum
}

// reach returns the objects that the roots reach without one object.
func (g *graph) reach(without int) []bool {
	seen := make([]bool, len(g.objects))
	var visit func(i int)
	visit = func(i int) {
		if seen[i] || i == without {
			return
		}
		seen[i] = true
		for _, to := range g.objects[i].references {
			visit(to)
		}
	}
	for _, r := range g.roots {
		visit(r.object)
	}
	return seen
}

// chain is a dump of n objects, each of which refers to the next one.
func chain(n int) *graph {
	g := &graph{collection: 2, rows: 2000, roots: []root{{object: 0}}}
	for i := range n {
		o := object{typ: 1, size: 1}
		if i+1 < n {
			o.references = []int{i + 1}
		}
		g.objects = append(g.objects, o)
	}
	return g
}

func TestLongChain(t *testing.T) {
	const n = 200_000
	h, err := read(t, heap.Options{}, chain(n).events()...)
	expect.NoError(t, err)
	expect.Stop(t)
	d, err := h.Dominators(context.Background())
	expect.NoError(t, err)
	expect.Equal(t, "retained by the first", d.Retained(0), n)
	expect.Equal(t, "retained by the last", d.Retained(n-1), 1)
	expect.Equal(t, "retained by the type", h.Types(d)[0].Retained, n)
}

func TestSeveralDumps(t *testing.T) {
	one, two := small(), chain(3)
	list := slices.Concat(one.events(), []event{{id: 1, payload: payload(uint32(1))}, {id: 2, payload: payload(uint32(1))}}, two.events())
	for name, c := range map[string]struct {
		collection uint32
		objects    int
	}{"last": {0, 3}, "first": {5, 8}, "second": {2, 3}} {
		t.Run(name, func(t *testing.T) {
			h, err := read(t, heap.Options{Collection: c.collection}, list...)
			expect.NoError(t, err)
			expect.Stop(t)
			expect.Equal(t, "objects", h.Len(), c.objects)
			expect.Len(t, "dumps", h.Dumps, 2)
		})
	}
	_, err := read(t, heap.Options{Collection: 7}, list...)
	expect.ErrorIs(t, err, heap.ErrNoDump)
	expect.Equal(t, "error", fmt.Sprint(err), "heap: no heap dump of collection 7: the stream has dumps of the collections 5, 2")
	_, err = read(t, heap.Options{}, event{id: 1, payload: payload(uint32(1))})
	expect.ErrorIs(t, err, heap.ErrNoDump)
	_, err = read(t, heap.Options{Collection: 7}, event{id: 1, payload: payload(uint32(1))})
	expect.ErrorIs(t, err, heap.ErrNoDump)
	expect.Equal(t, "error without a dump", fmt.Sprint(err), "heap: no heap dump")
}

// TestOtherCollection: the end of a collection that began earlier does not end a dump.
func TestOtherCollection(t *testing.T) {
	list := slices.Insert(small().events(), 9, event{id: 2, payload: payload(uint32(4), uint32(2), uint16(0))})
	h, err := read(t, heap.Options{}, list...)
	expect.NoError(t, err)
	expect.Stop(t)
	expect.Equal(t, "objects", h.Len(), 8)
}

// TestDumpWithoutStart: an Index that begins again begins a dump.
func TestDumpWithoutStart(t *testing.T) {
	h, err := read(t, heap.Options{Partial: true}, slices.Concat(chain(5).events()[1:], chain(4).events()[1:])...)
	expect.NoError(t, err)
	expect.Stop(t)
	expect.Len(t, "dumps", h.Dumps, 2)
	expect.Equal(t, "objects", h.Len(), 4)
}

// TestTypeNames: a name may come after the dump, and the last one during it is right.
func TestTypeNames(t *testing.T) {
	g := chain(2)
	name := func(s string) event {
		return event{id: 15, payload: payload(uint32(1), uint16(0), uint64(1), uint64(1), uint32(0), uint32(0), uint8(0), s, uint32(0))}
	}
	h, err := read(t, heap.Options{}, append(g.events(), name("Late"))...)
	expect.NoError(t, err)
	expect.Stop(t)
	expect.Equal(t, "name after the dump", h.Object(0).Type, "Late")
	g.types = map[uint64]string{1: "During"}
	h, err = read(t, heap.Options{}, slices.Concat([]event{name("Before")}, g.events(), []event{name("Late")})...)
	expect.NoError(t, err)
	expect.Stop(t)
	expect.Equal(t, "name during the dump", h.Object(0).Type, "During")
}

func TestLimit(t *testing.T) {
	list := chain(1000).events()
	_, err := read(t, heap.Options{Limit: 10_000}, list...)
	expect.ErrorIs(t, err, codec.ErrLimit)
	_, err = read(t, heap.Options{Limit: 1 << 20}, list...)
	expect.NoError(t, err)
	_, err = read(t, heap.Options{Limit: -1}, list...)
	expect.NoError(t, err)
	// The rows of a dump that a later one replaces do not count.
	_, err = read(t, heap.Options{Limit: 200_000}, slices.Concat(list, list, list)...)
	expect.NoError(t, err)
}

func TestCanceled(t *testing.T) {
	stop := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(stop)
	list := chain(5000)
	list.rows = 1
	_, err := heap.FromReader(ctx, codec.NewBytesReader(made(t, list.events()...), codec.Options{}), heap.Options{})
	expect.ErrorIs(t, err, stop)
	h, err := read(t, heap.Options{}, small().events()...)
	expect.NoError(t, err)
	expect.Stop(t)
	_, err = h.Paths(ctx)
	expect.ErrorIs(t, err, stop)
}

// TestPointers32 reads a dump of a process with pointers of four bytes.
func TestPointers32(t *testing.T) {
	g := small()
	g.pointer = 4
	stream := madeWith(t, 4, g.events()...)
	h, err := heap.FromReader(context.Background(), codec.NewBytesReader(stream, codec.Options{}), heap.Options{})
	expect.NoError(t, err)
	expect.Stop(t)
	expect.Equal(t, "object 1", h.Object(1), heap.Object{Address: address(1), Size: 20, Type: "List"})
	expect.Slices(t, "references of the list", h.References(1), []int32{2, 3})
	expect.Slices(t, "references of the key", h.References(4), []int32{5})
	expect.Len(t, "roots", h.Roots, 4)
}

// TestSharedStatics: two static fields with one object, and others before them.
func TestSharedStatics(t *testing.T) {
	row := func(slot, object int, name string) []byte {
		return payload(address(0)+uint64(slot), address(object), uint64(2), uint32(0), name)
	}
	list := slices.Insert(small().events(), 0, event{id: 38, payload: payload(uint32(3), uint64(1), uint16(0),
		row(32, 2, "Other"), row(24, 1, "First"), row(16, 1, "Second"))})
	list[0], list[1] = list[1], list[0]
	h, err := read(t, heap.Options{}, list...)
	expect.NoError(t, err)
	expect.Stop(t)
	expect.Equal(t, "name of the reference", h.EdgeName(0, 1), "First, Second")
	expect.Equal(t, "name of the other reference", h.EdgeName(0, 2), "Other")
}

// ending is a context that ends after some questions whether it has.
type ending struct {
	context.Context
	left int
}

func (e *ending) Err() error {
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestCanceledWork cancels each step of the work on a large dump.
func TestCanceledWork(t *testing.T) {
	const n = 200_000
	g := chain(n)
	g.objects = append(g.objects, object{typ: 1, size: 1}, object{typ: 1, size: 1, references: []int{n + 1}})
	stream := made(t, g.events()...)
	step := func(name string, work func(ctx context.Context) error) {
		for left := 0; ; left++ {
			err := work(&ending{context.Background(), left})
			if err == nil {
				expect.AtLeast(t, name+": questions", left, 3)
				return
			}
			expect.ErrorIs(t, err, context.Canceled)
			expect.Stop(t)
		}
	}
	var h *heap.Heap
	step("FromReader", func(ctx context.Context) (err error) {
		h, err = heap.FromReader(ctx, codec.NewBytesReader(stream, codec.Options{}), heap.Options{})
		return err
	})
	step("Dominators", func(ctx context.Context) error {
		_, err := h.Dominators(ctx)
		return err
	})
	step("Paths", func(ctx context.Context) error {
		_, err := h.Paths(ctx)
		return err
	})
}

func TestRootNames(t *testing.T) {
	for want, r := range map[string]heap.Root{
		"stack":                        {},
		"finalizer queue":              {Kind: heap.FinalizerRoot},
		"weak pinned handle":           {Kind: heap.HandleRoot, Flags: heap.WeakRoot | heap.PinnedRoot},
		"static field Leak":            {Kind: heap.StaticRoot, Name: "Leak"},
		"root kind 77":                 {Kind: 77},
		"new in finalizer queue":       {Kind: heap.NewFinalizerRoot},
		"pinned background collection": {Kind: heap.BackgroundRoot, Flags: heap.PinnedRoot},
	} {
		expect.Equal(t, "name", r.String(), want)
	}
}
