// Package heapdump reads the heap dump of a trace.
package heapdump

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/heap"
)

// limit is higher than that of package heap, because a user waits for the result.
const limit = 32 << 30

// Selection chooses the dump of a file.
type Selection struct {
	Collection uint32 // 0: the last dump
	Partial    bool   // a dump of which data was lost too
}

// Dump is the dump of a file.
type Dump struct {
	*heap.Heap
	*heap.Dominators
	File   string
	in     *input.File
	reader *codec.Reader
	err    error       // that ended the reading
	tree   *tree       // of dominators, nil until it is shown
	paths  *heap.Paths // nil until they are shown
}

// Load reads the dump of an opened file. Its errors have an exit code.
func (s *Selection) Load(ctx context.Context, name string, in *input.File) (*Dump, error) {
	opt := input.ReaderOptions(false)
	opt.NoStacks = true
	d := &Dump{File: name, in: in, reader: codec.NewReader(in, opt)}
	d.Heap, d.err = heap.FromReader(ctx, d.reader, heap.Options{Collection: s.Collection, Partial: s.Partial, Limit: limit})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if d.Heap == nil {
		return nil, exit.With(input.ExitCode(d.err), input.FileError(name, explain(d.err)))
	}
	var err error
	d.Dominators, err = d.Heap.Dominators(ctx)
	return d, err
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
		text = exit.Text(err) + " (--partial shows the rest)"
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
	if !d.Dump.Complete() {
		p.Complain("%v", input.FileError(d.File, errors.New("warning: "+exit.Text(&heap.IncompleteError{Dump: d.Dump}))))
		p.Raise(exit.Broken)
	}
	input.Report(p, d.in, d.reader, d.err)
}

// collections returns the numbers of the collections of which the file has dumps.
func (d *Dump) collections() []uint32 {
	var list []uint32
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
