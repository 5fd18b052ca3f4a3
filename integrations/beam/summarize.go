// Package tracebeam is an Apache Beam pipeline that adds up what is in many traces: one
// element for each file, a combination that merges summaries, and dead letters for files
// that cannot be read.
//
//	summaries, dead := tracebeam.Summarize(scope, names)
//
// The result has the bytes of "nettrace summarize" over the same files.
package tracebeam

import (
	"context"
	"fmt"
	"io"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/summary"
)

func init() {
	register.DoFn4x1[context.Context, string, func([]byte), func(DeadLetter), error](&readFn{})
	register.Emitter1[[]byte]()
	register.Emitter1[DeadLetter]()
	register.Combiner3[accumulator, []byte, []byte](&mergeFn{})
	beam.RegisterType(reflect.TypeFor[DeadLetter]())
	beam.RegisterCoder(reflect.TypeFor[accumulator](), encodeAccumulator, decodeAccumulator)
}

// DeadLetter is a file that could not be read, or only in part.
type DeadLetter struct {
	File  string `json:"file"`  // its name
	Error string `json:"error"` // the reason
}

// Summarize adds up the traces of a PCollection of file names. The first result has one
// element, the encoded Summary of all files; the second one has an element for each file
// that could not be read to its end.
func Summarize(s beam.Scope, names beam.PCollection) (summaries, deadLetters beam.PCollection) {
	s = s.Scope("Summarize")
	// Without the reshuffle a runner may fuse the steps, and one worker reads all files.
	parts, dead := beam.ParDo2(s, &readFn{}, beam.Reshuffle(s, names))
	return beam.Combine(s, &mergeFn{}, parts), dead
}

// options are those of the program nettrace.
var options = summary.Options{
	Reader:  codec.Options{OnError: codec.Skip, Schemas: clr.Schemas, Limits: nettrace.LargeLimits()},
	Profile: profile.LargeLimits(), Analysis: analysis.LargeLimits(),
}

// readFn makes the Summary of one file.
type readFn struct{}

// ProcessElement reads a file.
func (*readFn) ProcessElement(ctx context.Context, name string, emit func([]byte), dead func(DeadLetter)) error {
	data, failed := read(ctx, name)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if failed != nil {
		dead(DeadLetter{File: name, Error: failed.Error()})
	}
	emit(data)
	return nil
}

// read returns the encoded Summary of a file, which lists the error.
func read(ctx context.Context, name string) (data []byte, failed error) {
	b := summary.NewBuilder(options)
	defer func() {
		if r := recover(); r != nil {
			failed = fmt.Errorf("panic: %v", r)
			b = summary.NewBuilder(options)
			b.AddFailure(summary.Failure{File: name, Error: failed.Error()})
		}
		encoded, err := b.Summary().Encode()
		if err != nil && failed == nil {
			failed = err
		}
		data = encoded
	}()
	failed = b.AddTrace(ctx, File(ctx, name))
	return nil, failed
}

// File returns a file by its name in one of Beam's file systems, for a summary.Builder.
func File(ctx context.Context, name string) summary.File {
	return summary.File{Name: name, Open: func() (io.ReadCloser, error) { return open(ctx, name) }}
}

// open opens the uncompressed stream of a file.
func open(ctx context.Context, name string) (io.ReadCloser, error) {
	files, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	f, err := files.OpenRead(ctx, name)
	if err != nil {
		return nil, err
	}
	src, err := nettrace.NewSource(f, nettrace.SourceOptions{})
	if err != nil {
		f.Close()
		return nil, err
	}
	return &source{src, f}, nil
}

// source is a decompressed file.
type source struct {
	*nettrace.Source
	file io.Closer
}

// Close closes the file.
func (s *source) Close() error {
	s.Source.Close()
	return s.file.Close()
}

// accumulator has the sums of some files.
type accumulator struct{ builder *summary.Builder }

func encodeAccumulator(a accumulator) ([]byte, error) { return a.builder.Summary().Encode() }

func decodeAccumulator(data []byte) (accumulator, error) {
	return (&mergeFn{}).AddInput((&mergeFn{}).CreateAccumulator(), data)
}

// mergeFn merges Summaries.
type mergeFn struct{}

// CreateAccumulator returns the sums of no file.
func (*mergeFn) CreateAccumulator() accumulator { return accumulator{summary.NewBuilder(options)} }

// AddInput adds an encoded Summary.
func (*mergeFn) AddInput(a accumulator, data []byte) (accumulator, error) {
	s, err := summary.Decode(data)
	if err == nil {
		err = a.builder.Merge(s)
	}
	return a, err
}

// MergeAccumulators adds the sums of b to those of a.
func (*mergeFn) MergeAccumulators(a, b accumulator) (accumulator, error) {
	return a, a.builder.Merge(b.builder.Summary())
}

// ExtractOutput returns the encoded Summary.
func (*mergeFn) ExtractOutput(a accumulator) ([]byte, error) { return a.builder.Summary().Encode() }
