// Package heapdump reads the heap dump of a trace or of a .gcdump file.
package heapdump

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/gcdump"
	"github.com/nettrace-go/nettrace/heap"
	"github.com/nettrace-go/nettrace/profile"
)

// limit is higher than that of package heap, because a user waits for the result.
const limit = 32 << 30

// Selection chooses the dump of a file.
type Selection struct {
	Collection uint32 // 0: the last dump
	Partial    bool   // a dump of which data was lost too
	RawNames   bool   // names of types as they are in the file
}

// Dump is the dump of a file.
type Dump struct {
	*heap.Heap
	*heap.Dominators
	File   string
	GCDump *gcdump.File // the .gcdump file; nil for a trace
	capped int          // objects that are too large for the .gcdump that was written
	in     *input.File
	reader *codec.Reader
	err    error       // that ended the reading
	tree   *tree       // of dominators, nil until it is shown
	paths  *heap.Paths // nil until they are shown
}

// Load reads the dump of an opened file. Its errors have an exit code.
func (s *Selection) Load(ctx context.Context, name string, in *input.File) (*Dump, error) {
	d := &Dump{File: name, in: in}
	first := make([]byte, gcdump.HeaderSize)
	n, err := io.ReadFull(in, first)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, exit.With(input.ExitCode(err), input.FileError(name, err))
	}
	stream := io.MultiReader(bytes.NewReader(first[:n]), in)
	if gcdump.IsHeader(first[:n]) {
		d.readGCDump(ctx, stream, s)
	} else {
		opt := input.ReaderOptions(false)
		opt.NoStacks = true
		d.reader = codec.NewReader(stream, opt)
		d.Heap, d.err = heap.FromReader(ctx, d.reader, heap.Options{Collection: s.Collection, Partial: s.Partial, Limit: limit})
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if d.Heap == nil {
		return nil, exit.With(input.ExitCode(d.err), input.FileError(name, explain(d.err)))
	}
	d.Dominators, err = d.Heap.Dominators(ctx)
	return d, err
}

// readGCDump reads a .gcdump file, which has one dump.
func (d *Dump) readGCDump(ctx context.Context, stream io.Reader, s *Selection) {
	if d.GCDump, d.err = gcdump.Read(stream, gcdump.Options{}); d.err != nil {
		return
	}
	if s.Collection != 0 {
		d.err = errors.New("--gc: a .gcdump file has one dump, without the number of its collection")
		return
	}
	d.Heap, d.err = d.GCDump.Heap(ctx, gcdump.HeapOptions{RawNames: s.RawNames, Limit: limit})
}

// WriteGCDump writes the dump as a .gcdump file: the one that was read, or a new one.
func WriteGCDump(w io.Writer, d *Dump) error {
	if d.GCDump != nil {
		return d.GCDump.Write(w)
	}
	origin := gcdump.Origin{Process: profile.ProgramName(d.Dump.CommandLine), Tool: "nettrace"}
	if trace, err := d.reader.Trace(); err == nil {
		origin.Is64Bit = trace.PointerSize == 8
	}
	var f *gcdump.File
	f, d.capped = gcdump.FromHeap(d.Heap, origin)
	return f.Write(w)
}

// explained is an error with what the user can do.
type explained struct {
	text string
	err  error
}

func (e *explained) Error() string { return e.text }

func (e *explained) Unwrap() error { return e.err }

// explain adds what the user can do to an error.
func explain(err error) error {
	var none *heap.NoDumpError
	text := input.ErrorText(err)
	switch {
	case errors.Is(err, heap.ErrIncomplete):
		text = exit.Text(err) + ": nettrace collect --profile gcdump records it with a buffer that holds it (--partial shows the rest)"
	case errors.As(err, &none) && len(none.Dumps) > 0:
		text = exit.Text(err) + " (--gc chooses one)"
	case none != nil:
		text = exit.Text(err) + ": nettrace collect --profile gcdump records one"
	}
	return &explained{text, err}
}

// Report prints what is wrong with the file, and which dump was read if it has several.
func (d *Dump) Report(p *run.Program, s *Selection) {
	if s.Collection == 0 && len(d.Dumps) > 1 {
		var list []string
		for _, n := range d.collections() {
			list = append(list, strconv.FormatUint(uint64(n), 10))
		}
		p.Complain("%v", input.FileError(d.File, fmt.Errorf("the file has dumps of the collections %s; this is the last one (--gc chooses)", strings.Join(list, ", "))))
	}
	if f := d.GCDump; f != nil {
		d.reportGCDump(p, f)
		return
	}
	if d.capped > 0 {
		p.Complain("%v", input.FileError(d.File, fmt.Errorf("warning: a .gcdump file has no sizes of 2 GiB or more: %s have 2,147,483,647 bytes in it", display.Counted(int64(d.capped), "object"))))
		p.Raise(exit.Broken)
	}
	if !d.Dump.Complete() {
		p.Complain("%v", input.FileError(d.File, errors.New("warning: "+exit.Text(&heap.IncompleteError{Dump: d.Dump}))))
		p.Raise(exit.Broken)
	}
	input.Report(p, d.in, d.reader, d.err)
}

// dotnetGCDump is a tool that writes .gcdump files. It stops without a word at
// gcdumpLimit nodes.
const (
	dotnetGCDump = "dotnet-gcdump"
	gcdumpLimit  = 10_000_000
)

// reportGCDump prints what may be missing in a .gcdump file.
func (d *Dump) reportGCDump(p *run.Program, f *gcdump.File) {
	if f.Len() >= gcdumpLimit && f.Tool != nil && *f.Tool == dotnetGCDump {
		p.Complain("%v", input.FileError(d.File, fmt.Errorf("warning: dotnet-gcdump stops at 10,000,000 objects: others may be missing")))
		p.Raise(exit.Broken)
	}
	if f.Sampled() {
		p.Complain("%v", input.FileError(d.File, errors.New("note: the writer sampled the heap: counts and sizes are those of the file, without its multipliers")))
	}
	if f.Skipped > 0 {
		p.Complain("%v", input.FileError(d.File, fmt.Errorf("note: fields of the file that nettrace does not know: %d", f.Skipped)))
	}
}

// collections returns the numbers of the collections of which the file has dumps.
func (d *Dump) collections() []uint32 {
	var list []uint32
	if d.GCDump != nil {
		return nil // the file does not have them
	}
	for i := range d.Dumps {
		list = append(list, d.Dumps[i].Collection)
	}
	return slices.Compact(list)
}

// UnreachedObjects returns the number of objects that no root reaches.
func (d *Dump) UnreachedObjects() (n int64) {
	for left := slices.Clone(d.Children(d.Unreached())); len(left) > 0; n++ {
		last := left[len(left)-1]
		left = append(left[:len(left)-1], d.Children(last)...)
	}
	return n
}
