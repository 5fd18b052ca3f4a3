// Package gcdump reads and writes .gcdump files: the heap dumps of dotnet-gcdump,
// Visual Studio and PerfView.
//
//	f, err := gcdump.Read(r, gcdump.Options{})
//	if err != nil {
//		return err
//	}
//	h, err := f.Heap(ctx, gcdump.HeapOptions{})
//	if err != nil {
//		return err
//	}
//	d, err := h.Dominators(ctx)
//
// Package heap has what can be asked of the graph. [FromHeap] makes a File of a dump
// that another format has, and [File.Write] writes it.
//
// # The format
//
// A file is a stream of the class library FastSerialization with one object
// GCHeapDump, which has the graph and the metadata. Its source is public:
// microsoft/perfview, src/FastSerialization and src/MemoryGraph. Read accepts what
// that library accepts: versions 4 to 7 and 9 and later of GCHeapDump, as far as a
// newer one does not demand a newer reader.
//
// # What a file does not have
//
// Nodes with address 0 are no objects: the root, groups of roots ("[static vars]",
// "[local vars]"), and the node for what the writer does not know. Generations, and
// the kinds of roots that are not in the names of the groups, are not in a file.
// dotnet-gcdump makes the value of each dependent handle (an entry of a
// ConditionalWeakTable) a root, so that paths and retained sizes through such tables
// are wrong; it leaves out weak handles; and it writes neither the time nor the
// process. FromHeap writes a reference from the key to the value, and time and
// process where the dump has them.
//
// # Memory
//
// Read keeps the file in memory: about 22 bytes for each object. Nothing is allocated
// by a size in the file that the remaining bytes do not cover.
package gcdump
