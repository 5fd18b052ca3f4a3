package report

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/tracedoc"
	"github.com/nettrace-go/nettrace/codec"
)

// file has the reports of a file.
type file struct {
	name    string
	in      *input.File
	reader  input.Reader
	err     error // that ended the reading
	trace   *analysis.Trace
	reports []analysis.Report
}

// read reads a file with the parts of the options.
func read(ctx context.Context, p *run.Program, name string, opt analysis.Options, o *options) (*file, error) {
	in, err := input.Open(p, name, input.Options{Silent: true})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	f := &file{name: in.Name, in: in}
	why := f.readChunks(ctx, in, opt, in.Workers(o.workers))
	if f.reader == nil {
		f.readFrom(ctx, in, opt)
		header, _ := f.reader.Trace()
		noteOneWorker(p, in, o.workers, why, header)
	}
	if err := f.end(in, opt.Parts, o.part); err != nil {
		return nil, err
	}
	tracedoc.NameCommands(f.reports, tracedoc.Quoted(name))
	return f, nil
}

// readFrom reads an input in one goroutine.
func (f *file) readFrom(ctx context.Context, in io.Reader, opt analysis.Options) {
	r := codec.NewReader(in, readerOptions())
	f.reader = r
	f.trace, f.err = analysis.Read(ctx, r, opt)
}

// readerOptions returns the options of the readers.
func readerOptions() codec.Options {
	opt := input.ReaderOptions(false)
	opt.Order = codec.ByTime
	return opt
}

// end makes the reports of an input that was read: those of a part, or of all if it is "".
func (f *file) end(in *input.File, some []analysis.Part, part string) error {
	in.Rest(f.reader, f.err)
	in.EndProgress()
	if f.trace == nil {
		return exit.With(input.ExitCode(f.err), input.FileError(in.Name, errors.New(input.ErrorText(f.err))))
	}
	for _, one := range some {
		if reports := one.Reports(f.trace); part == "" || one.Name() == part {
			f.reports = append(f.reports, reports...)
		}
	}
	return nil
}

// recorded reports whether the trace has events of a part.
func (f *file) recorded() bool {
	for i := range f.reports {
		if f.reports[i].Recorded() {
			return true
		}
	}
	return false
}

// findings returns those of all parts, the most important one first.
func (f *file) findings() []analysis.Finding {
	var list []analysis.Finding
	for _, r := range f.reports {
		list = append(list, r.Findings...)
	}
	analysis.SortFindings(list)
	return list
}

// complain prints what is wrong with the trace, and what is left out.
func (f *file) complain(p *run.Program) {
	for _, left := range []struct {
		count int64
		what  string
	}{
		{f.trace.LeftOut.Stacks, "stack"}, {f.trace.LeftOut.Names, "name of a method"}, {f.trace.OutOfOrder, "event out of order"},
	} {
		if left.count > 0 {
			p.Complain("%v", input.FileError(f.name, fmt.Errorf("warning: %s", leftOut(left.count, left.what))))
		}
	}
	input.Report(p, f.in, f.reader, f.err)
	input.ReportUndefined(p, f.name, f.reader)
	input.ReportLost(p, f.name, f.reader)
}

// json returns an object on one line for each report.
func (f *file) json() []byte {
	var b []byte
	for i := range f.reports {
		b = append(b, f.reports[i].JSON(f.name)...)
	}
	return b
}
