// Package heap builds the graph of a heap dump from the events of the .NET
// runtime: which objects were in memory, and what kept them there.
//
// The runtime writes a dump during a blocking collection of generation 2 when a
// session has the keywords 0x1980001 of Microsoft-Windows-DotNETRuntime at level 5.
//
//	h, err := heap.FromReader(ctx, r, heap.Options{})
//	if err != nil {
//		return err
//	}
//	d, err := h.Dominators(ctx)
//	if err != nil {
//		return err
//	}
//	for _, t := range h.Types(d) {
//		fmt.Println(t.Name, t.Count, t.Shallow, t.Retained)
//	}
//
// # Numbers of objects
//
// Objects have the numbers from 0 to Heap.Len()-1, in the order of the GCBulkNode
// events. Two more numbers are vertices of the dominator tree: [Heap.Root], the
// root of the tree, and [Heap.Unreached], a child of the root, below which are the
// objects that no root reaches. Strings that are literals (frozen objects) are
// among them.
//
// # References
//
// GCBulkNode and GCBulkEdge are two sequences; an object takes the next edges of
// the second one, as many as it has. [Heap.References] also has an edge from the
// key of each dependent handle (an entry of a ConditionalWeakTable) to its value.
// That is an approximation: the value is reachable while both the table and the key
// are.
//
// A root of weak handles does not keep its object. Roots without an object are
// left out.
//
// # Static fields
//
// The runtime stores static fields in arrays that a handle roots. The dump has the
// name of a field, without its class, and the address of its slot; [Heap.EdgeName]
// names the reference from the array. A slot outside of all objects is a root.
//
// # Lost data
//
// If events of the dump are missing, FromReader returns an *[IncompleteError] with
// the numbers. With Options.Partial it returns what can be used: all objects and
// roots in the file, and the references of the objects before the first gap.
//
// # Memory
//
// A graph needs about 30 bytes for an object and 4 for a reference, and while
// FromReader and Dominators work up to 110 and 12. Options.Limit bounds it. A Heap
// does not change after FromReader; several goroutines can use it.
package heap
