// Package summarize is the command summarize, which adds up what is in many traces.
package summarize

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/progress"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/summaryfile"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/summary"
)

// options are the flags of summarize.
type options struct {
	output.Target
	merge   bool
	shard   string
	workers int
}

// Command returns the command summarize.
func Command(p *run.Program) *cobra.Command {
	o := options{}
	cmd := &cobra.Command{
		Use:   "summarize FILE... -o OUT.nts",
		Short: "Add up the events, stacks and durations of many traces in one small file",
		Long: "summarize reads traces, and the traces in folders, and writes their sums: events by type, losses,\n" +
			"the methods and stacks of all samples with exact counts, and the distributions of GC pauses,\n" +
			"requests, waits and locks. \"nettrace top\" and \"nettrace report\" read the result.\n\n" +
			"The result depends only on the set of the files, not on their order, the machine or the time. With\n" +
			"--shard I/N it takes those files of the list that belong to shard I of N, counted from 0: run it\n" +
			"with the same list for each shard, on one machine or on many. --merge adds up summaries; the result\n" +
			"is byte for byte that of one run over all files. A trace that two files or two summaries have is an\n" +
			"error: it would count twice.\n\n" +
			"Addresses without a name are one method, \"[no name]\". Quantiles of durations are exact to 1 %;\n" +
			"counts and sums are exact.\n\n" +
			"A file that cannot be read, or only in part, is printed, listed in the result with the reason, and\n" +
			"makes the exit status 1, or 3 if its version is not known; --merge exits with 1 if a summary lists\n" +
			"such files. A file that cannot be opened, or a result that cannot be written, makes the status 2.",
		Example: "  nettrace summarize traces/ -o all.nts\n" +
			"  nettrace top all.nts\n" +
			"  nettrace summarize --shard 0/2 traces/ -o 0.nts\n" +
			"  nettrace summarize --merge 0.nts 1.nts -o all.nts\n" +
			"  nettrace top --diff monday.nts friday.nts\n" +
			"  nettrace report --diff monday.nts friday.nts",
		Args: run.SomeFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.merge && cmd.Flags().Changed("workers") {
				return errors.New("--workers has no effect with --merge: summaries are added up one by one")
			}
			if err := o.check(); err != nil {
				return err
			}
			return o.run(cmd.Context(), p, args)
		},
	}
	o.Target.AddFlags(cmd)
	f := cmd.Flags()
	f.Lookup("output").Usage = "write to `OUT`, which ends in " + summaryfile.Extension + "; - is standard output"
	f.BoolVar(&o.merge, "merge", false, "add up summaries: the FILEs are the results of other runs")
	f.StringVar(&o.shard, "shard", "", "read only the files of shard `I/N`, from 0 to N-1; the name of a file decides")
	f.IntVar(&o.workers, "workers", runtime.NumCPU(), "read `N` files at the same time; default one for each processor")
	return cmd
}

// check returns an error for flags that exclude each other.
func (o *options) check() error {
	switch {
	case o.merge && o.shard != "":
		return errors.New("--merge and --shard exclude each other: a shard is one of traces")
	case o.workers < 1:
		return errors.New("--workers: at least 1")
	case o.Name != output.Stdout && !summaryfile.Is(o.Name):
		return fmt.Errorf("--output: %s does not end in %s, by which the other commands know a summary", o.Name, summaryfile.Extension)
	}
	_, err := parseShard(o.shard)
	return err
}

// run writes the summary of files.
func (o *options) run(ctx context.Context, p *run.Program, args []string) error {
	var list []string
	var err error
	if o.merge {
		list = args
	} else if list, err = files(args); err != nil {
		return err
	}
	if err := input.RefuseRepeated(list); err != nil {
		return err
	}
	out, err := output.Create(p, &o.Target)
	if err != nil {
		return err
	}
	data, err := o.data(ctx, p, list)
	if err != nil {
		out.Discard()
		return err
	}
	if _, err := out.Write(data); err != nil {
		out.Discard()
		return exit.With(exit.Usage, exit.WriteError(err))
	}
	if err := out.Keep(); err != nil {
		return exit.With(exit.Usage, err) // exit.Broken says that the result is written
	}
	return nil
}

// data returns the encoded summary.
func (o *options) data(ctx context.Context, p *run.Program, list []string) ([]byte, error) {
	s, err := o.merged(p, list)
	if !o.merge {
		s, err = o.read(ctx, p, list)
	}
	if err != nil {
		return nil, err
	}
	summaryfile.WarnLost(p, o.Shown(), s)
	return s.Encode()
}

// merged adds up summaries; it returns nil without --merge.
func (o *options) merged(p *run.Program, list []string) (*summary.Summary, error) {
	if !o.merge {
		return nil, nil
	}
	b := summary.NewBuilder(summary.Options{})
	for _, name := range list {
		s, err := summaryfile.Open(name)
		if err != nil {
			return nil, err
		}
		if int64(len(s.Traces)) < s.Files {
			p.Complain("%v", input.FileError(name, errors.New("warning: an older nettrace wrote this summary: traces that another input has too are not found")))
		}
		if err := b.Merge(s); errors.Is(err, summary.ErrRepeated) {
			return nil, exit.With(exit.Usage, input.FileError(name, fmt.Errorf("a summary before it in the list has the same traces: %w", err)))
		} else if err != nil {
			return nil, exit.With(exit.Broken, input.FileError(name, err))
		}
	}
	s := b.Summary()
	if n := len(s.Failures); n > 0 {
		p.Complain("%s could not be read, or only in part: nettrace report lists them", display.Counted(int64(n), "file"))
		p.Raise(exit.Broken)
	}
	return s, nil
}

// read reads the traces of the shard.
func (o *options) read(ctx context.Context, p *run.Program, list []string) (*summary.Summary, error) {
	shard, err := parseShard(o.shard)
	if err != nil {
		return nil, err
	}
	mine := shard.of(list)
	if o.shard != "" {
		p.Complain("shard %s: %s of %s", o.shard, display.Grouped(int64(len(mine))), display.Counted(int64(len(list)), "file"))
	}
	w := workers{p: p, bar: input.SharedBar(p, mine), all: summary.NewBuilder(summary.Options{})}
	w.stdin = sync.OnceValues(func() ([]byte, error) { return io.ReadAll(p.Stdin) })
	if len(mine) == 1 { // SharedBar has none
		w.bar = p.Progress.Bytes(size(mine[0]))
	}
	defer w.bar.Stop()
	next := make(chan string)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wait sync.WaitGroup
	for range min(o.workers, max(len(mine), 1)) {
		wait.Go(func() {
			if err := w.work(ctx, next); err != nil {
				cancel(err)
			}
		})
	}
	for _, name := range mine {
		select {
		case next <- name:
		case <-ctx.Done():
		}
	}
	close(next)
	wait.Wait()
	if ctx.Err() != nil {
		return nil, exit.With(exit.Usage, context.Cause(ctx))
	}
	return w.all.Summary(), nil
}

// workers read files at the same time.
type workers struct {
	p     *run.Program
	bar   *progress.Bar
	stdin func() ([]byte, error) // standard input, read once

	mu  sync.Mutex // of what follows, and of the messages
	all *summary.Builder
}

// work adds the files of a channel, and then merges its sums.
func (w *workers) work(ctx context.Context, names <-chan string) error {
	b := summary.NewBuilder(summary.Options{
		Reader: input.ReaderOptions(false), Profile: profile.LargeLimits(), Analysis: analysis.LargeLimits(),
	})
	for name := range names {
		err := b.AddTrace(ctx, w.file(name))
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if errors.Is(err, summary.ErrLimit) || errors.Is(err, summary.ErrRepeated) {
			return err
		}
		if err != nil {
			w.complain(name, err)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all.Merge(b.Summary())
}

// complain prints why a file is not read to its end.
func (w *workers) complain(name string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	code, chosen := exit.CodeOf(err)
	if !chosen { // it is the trace's
		code, err = input.ExitCode(err), input.FileError(name, errors.New(input.ErrorText(input.Damaged("", err))))
	}
	w.p.Complain("%v", err)
	w.p.Raise(max(exit.Broken, code))
}

// size returns the size of a file, -1 if it is unknown.
func size(name string) int64 {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return -1
	}
	return info.Size()
}

// file returns a trace, the first pass of which moves the progress bar. Its errors are those
// of package nettrace, which other programs that make summaries have too.
func (w *workers) file(name string) summary.File {
	first := true
	return summary.File{Name: name, Open: func() (io.ReadCloser, error) {
		stored, f, err := w.stored(name)
		if err != nil {
			return nil, err
		}
		if first {
			stored = w.bar.Watch(stored)
		}
		first = false
		src, err := nettrace.NewSource(stored, nettrace.SourceOptions{ReadAhead: true})
		if err != nil {
			f.Close()
			return nil, err
		}
		return &source{src, f}, nil
	}, Names: func(n profile.NameSummary) {
		w.mu.Lock()
		defer w.mu.Unlock()
		samples.WarnNames(w.p, name, n)
	}}
}

// stored opens what holds a trace: a file, the trace in a zip archive, or standard input, which is kept in memory.
func (w *workers) stored(name string) (io.Reader, io.Closer, error) {
	if name == input.Stdin {
		data, err := w.stdin()
		return bytes.NewReader(data), io.NopCloser(nil), err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, exit.With(exit.Usage, err)
	}
	trace, _, err := input.FromZip(f)
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	if trace != nil {
		return trace, f, nil
	}
	return f, f, nil
}

// source is the uncompressed stream of a file.
type source struct {
	*nettrace.Source
	file io.Closer
}

// Close closes the file.
func (s *source) Close() error {
	s.Source.Close()
	return s.file.Close()
}
