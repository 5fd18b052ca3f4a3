// Package perftrace makes one trace of the records of perf and of the trace of a session of
// the same process.
package perftrace

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	library "github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/perf"
	"github.com/nettrace-go/nettrace/perf/unwind"
)

// Job says what is written.
type Job struct {
	Recording *perf.Recording
	// Session opens the trace of the session in the process, several times; nil: there is none.
	Session func() (io.ReadCloser, error)
	// Folder is where temporary files are made; "" is the system's.
	Folder string
	// NoUnwind leaves call chains as the kernel found them.
	NoUnwind bool
}

// Result is what was written.
type Result struct {
	perf.Result
	// Session is the Reader of the trace of the session, which reports what is wrong with it; nil
	// if there is none.
	Session *codec.Reader
	Merge   edit.MergeResult
}

// Write writes the trace.
func (j *Job) Write(ctx context.Context, dst io.Writer) (r Result, err error) {
	opt := perf.TraceOptions{}
	bodies := &perf.Bodies{}
	if j.Session != nil {
		if opt.Clock, err = j.readBodies(ctx, bodies); err != nil {
			return r, err
		}
		opt.Managed = bodies.Contains
	}
	if !j.NoUnwind {
		unwinder, err := j.learn(ctx, bodies)
		if err != nil {
			return r, err
		}
		opt.Chain = unwinder.Chain
	}
	trace := perf.NewTrace(j.Recording, opt)
	samples, err := createUnnamed(j.Folder)
	if err != nil {
		return r, err
	}
	defer samples.Close()
	names, err := createUnnamed(j.Folder)
	if err != nil {
		return r, err
	}
	defer names.Close()
	for _, part := range []struct {
		file  *os.File
		write func(io.Writer) error
	}{{samples, trace.WriteSamples}, {names, trace.WriteNames}} {
		out := bufio.NewWriterSize(part.file, 1<<20)
		if err := errors.Join(part.write(out), out.Flush()); err != nil {
			return r, err
		}
		if _, err := part.file.Seek(0, io.SeekStart); err != nil {
			return r, err
		}
	}
	r.Result = trace.Result()
	sources := []*edit.MergeSource{source("names", names), source("samples", samples)}
	if j.Session != nil {
		in, err := j.Session()
		if err != nil {
			return r, err
		}
		defer in.Close()
		one := source("session", in)
		sources = append(sources, one)
		r.Session = one.Reader()
	}
	r.Merge, err = edit.Merge(ctx, dst, sources, edit.MergeOptions{Together: true})
	return r, err
}

// learn returns what repairs the call chains. It reads all records.
func (j *Job) learn(ctx context.Context, bodies *perf.Bodies) (*unwind.Unwinder, error) {
	u := unwind.New(unwind.Options{Bodies: bodies, Open: j.Recording.Open, Maps: j.Recording.Maps})
	n := 0
	for r, err := range j.Recording.Records {
		if err != nil {
			return nil, err
		}
		if n++; n%1024 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		u.Learn(r)
	}
	return u, nil
}

// createUnnamed creates a temporary file that the system removes when the program ends, however it
// ends.
func createUnnamed(folder string) (*os.File, error) {
	f, err := os.CreateTemp(folder, ".nettrace-perf-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func source(name string, r io.Reader) *edit.MergeSource {
	return edit.NewMergeSource(bufio.NewReaderSize(r, 1<<20), edit.MergeSourceOptions{Name: name, Reader: readerOptions()})
}

// readerOptions read the trace of the session up to a fault, and skip bad blocks.
func readerOptions() codec.Options {
	return codec.Options{OnError: codec.Skip, Schemas: clr.Schemas}
}

// readBodies reads the managed code of the process, and returns the header of the trace.
func (j *Job) readBodies(ctx context.Context, bodies *perf.Bodies) (*codec.Trace, error) {
	in, err := j.Session()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	opt := readerOptions()
	opt.NoStacks = true
	r := codec.NewReader(in, opt)
	trace, err := r.Trace()
	if err != nil {
		return nil, err
	}
	if trace.TickFrequency != 1e9 {
		return nil, fmt.Errorf("the session has a clock of %d ticks per second, the samples one of 1,000,000,000", trace.TickFrequency)
	}
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		ev, ok := r.Next()
		if !ok {
			return trace, nil // what is wrong with it the second reading reports
		}
		if ev.Metadata() != nil {
			bodies.Add(ev)
		}
	}
}

// Folders opens the files of a process by their names in folders, or by their paths if there are
// no folders.
func Folders(dirs []string) func(path string) (io.ReadCloser, error) {
	return func(path string) (io.ReadCloser, error) {
		if len(dirs) == 0 {
			return open(path)
		}
		failed := os.ErrNotExist
		for _, dir := range dirs {
			f, err := open(filepath.Join(dir, filepath.Base(path)))
			if err == nil {
				return f, nil
			}
			failed = err
		}
		return nil, failed
	}
}

// Open opens a file that may be compressed.
func Open(name string) (io.ReadCloser, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	src, err := library.NewSource(f, library.SourceOptions{})
	if err != nil {
		f.Close()
		return nil, err
	}
	return &unpacked{src, f}, nil
}

// unpacked closes the file below a source too.
type unpacked struct {
	*library.Source
	below io.Closer
}

// Close closes both.
func (u *unpacked) Close() error { return errors.Join(u.Source.Close(), u.below.Close()) }

// open opens a regular file.
func open(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if about, err := f.Stat(); err != nil || !about.Mode().IsRegular() {
		f.Close()
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	return f, nil
}
