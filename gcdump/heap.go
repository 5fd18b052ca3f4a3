package gcdump

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/heap"
)

// HeapOptions configure Heap.
type HeapOptions struct {
	// RawNames keeps the suffix of the names of types of large objects, such as
	// " (Bytes > 1M)": each is then a type of its own.
	RawNames bool
	// Limit is that of heap.Options.
	Limit int64
}

// Heap returns the graph of the objects: the nodes with an address. What keeps an object
// is the group of roots above it: the kinds that dotnet-gcdump writes are those of
// package heap, others have the name of the group. The sizes and counts are those of the
// file, without multipliers. The error is a *codec.LimitError or that of ctx.
func (f *File) Heap(ctx context.Context, opt HeapOptions) (*heap.Heap, error) {
	names, typeOf := f.typeNames(opt.RawNames)
	objects := f.objects()
	b := heap.NewBuilder(names, opt.Limit)
	var n Node
	for i := range int32(f.Len()) {
		if i&0xffff == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if objects[i] < 0 {
			continue
		}
		f.Node(i, &n)
		for k, child := range n.Children {
			n.Children[k] = objects[child]
		}
		if err := b.Add(n.Address, uint64(n.Size), typeOf[n.Type], n.Children); err != nil {
			return nil, err
		}
	}
	if err := f.addRoots(b, objects); err != nil {
		return nil, err
	}
	return b.Heap(heap.Dump{Process: uint64(f.ProcessID), Begin: f.Time(), Ended: true}), nil
}

// objects returns the number of each node's object, -1 for none.
func (f *File) objects() []int32 {
	list, next := make([]int32, f.Len()), int32(0)
	for i := range list {
		if list[i] = -1; f.Address(int32(i)) != 0 {
			list[i] = next
			next++
		}
	}
	return list
}

// typeNames returns the names of types, each once, and the index of each type's name.
func (f *File) typeNames(raw bool) (names []string, typeOf []int32) {
	known := map[string]int32{}
	typeOf = make([]int32, len(f.Types))
	for i := range f.Types {
		name := f.TypeName(int32(i))
		if !raw {
			name, _ = cutSize(name)
		}
		n, ok := known[name]
		if !ok {
			n = int32(len(names))
			known[name] = n
			names = append(names, name)
		}
		typeOf[i] = n
	}
	return names, typeOf
}

// TypeName returns the name of a type, "TypeID(0x...)" for a type without one.
func (f *File) TypeName(i int32) string {
	if name := f.Types[i].Name; name != nil && *name != "" {
		return *name
	}
	id, suffix := i, ""
	if f.Deferred != nil {
		id = f.Deferred[i].Token
		if s := f.Deferred[i].Suffix; s != nil {
			suffix = *s
		}
	}
	return fmt.Sprintf("TypeID(0x%x)%s", uint32(id), suffix)
}

// sizes are the bytes above which a type gets a suffix, the largest first.
var sizes = []struct {
	bytes  uint64
	suffix string
}{
	{100_000_000, " (Bytes > 100M)"}, {10_000_000, " (Bytes > 10M)"}, {1_000_000, " (Bytes > 1M)"},
	{100_000, " (Bytes > 100K)"}, {10_000, " (Bytes > 10K)"}, {1_000, " (Bytes > 1K)"},
}

// cutSize removes the suffix that the name of a type of large objects has, such as
// " (Bytes > 1M)".
func cutSize(name string) (string, bool) {
	for _, s := range sizes {
		if rest, found := strings.CutSuffix(name, s.suffix); found {
			return rest, true
		}
	}
	return name, false
}

// group is a group of roots that dotnet-gcdump writes.
type group struct {
	name  string
	kind  heap.RootKind
	flags heap.RootFlags
}

// The groups, which are nodes above objects.
const (
	rootsGroup      = "[.NET Roots]"
	staticsGroup    = "[static vars]"
	localsGroup     = "[local vars]"
	otherRoots      = "[other roots]"
	finalizerGroup  = "[finalizer Handles]"
	strongGroup     = "[strong Handles]"
	pinningGroup    = "[pinning Handles]"
	otherHandles    = "[other Handles]"
	refCountedGroup = "[COM/WinRT Objects]"
	dependentGroup  = "[Dependent Handles]"
	staticPrefix    = "[static var "
)

// groups are the groups whose objects have a kind of root.
var groups = []group{
	{localsGroup, heap.StackRoot, 0},
	{finalizerGroup, heap.FinalizerRoot, 0},
	{strongGroup, heap.HandleRoot, 0},
	{pinningGroup, heap.HandleRoot, heap.PinnedRoot},
	{otherHandles, heap.HandleRoot, 0},
	{refCountedGroup, heap.HandleRoot, heap.RefCountedRoot},
	{dependentGroup, heap.DependentHandleRoot, 0},
	{staticsGroup, heap.StaticRoot, 0},
}

// root returns the root that a node without an object is.
func (f *File) root(typ int32) heap.Root {
	name := f.TypeName(typ)
	if field, static := strings.CutPrefix(name, staticPrefix); static {
		return heap.Root{Kind: heap.StaticRoot, Name: strings.TrimSuffix(field, "]")}
	}
	if i := slices.IndexFunc(groups, func(g group) bool { return g.name == name }); i >= 0 {
		return heap.Root{Kind: groups[i].kind, Flags: groups[i].flags}
	}
	return heap.Root{Kind: heap.GroupRoot, Name: name}
}

// addRoots adds a root for each edge from a node without an object to an object, as far
// as the root node reaches it.
func (f *File) addRoots(b *heap.Builder, objects []int32) error {
	if f.Root < 0 {
		return nil
	}
	if o := objects[f.Root]; o >= 0 {
		return b.AddRoot(heap.Root{Object: o, Kind: heap.GroupRoot, Name: "root"})
	}
	var n Node
	seen := map[int32]bool{f.Root: true}
	for list := []int32{f.Root}; len(list) > 0; {
		at := list[len(list)-1]
		list = list[:len(list)-1]
		f.Node(at, &n)
		root := f.root(n.Type)
		for _, child := range n.Children {
			if root.Object = objects[child]; root.Object >= 0 {
				if err := b.AddRoot(root); err != nil {
					return err
				}
			} else if !seen[child] {
				seen[child] = true
				list = append(list, child)
			}
		}
	}
	return nil
}
