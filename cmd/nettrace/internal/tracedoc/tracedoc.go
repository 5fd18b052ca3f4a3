// Package tracedoc reads a trace for the viewer: its samples and all reports. It has the flags
// of the page's address.
package tracedoc

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/parts"
	"github.com/nettrace-go/nettrace/analysis/trace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/view"
)

// Read reads a trace twice, for the samples, which are read as how says, and for the
// reports, and prints what is wrong with it. The events can be read later.
func Read(ctx context.Context, p *run.Program, name string, how Reading) (*view.Source, *Events, error) {
	if err := how.Requests.FindSpans(ctx, name); err != nil {
		return nil, nil, exit.With(exit.Usage, err)
	}
	first, again, err := open(p, name)
	if err != nil {
		return nil, nil, err
	}
	defer first.Close()
	if first.GCDump {
		return readGCDump(ctx, first, again, how)
	}
	s, reader, err := read(ctx, first, again, how)
	if err != nil {
		return nil, nil, err
	}
	first.EndProgress()
	s.Warnings = warn(p, first, reader, s, how)
	events := &Events{name: s.File, trace: s.Trace, how: how, open: again, matched: map[string]int64{}, heap: newHeapDump()}
	if name != input.Stdin {
		events.open = reopen(name, input.Options{Silent: true})
	}
	return s, events, nil
}

// warn prints what is wrong with a trace, and returns it but for the error that ended it, as sentences
// that the page shows, with what the head of top says of the complete trace.
func warn(p *run.Program, in *input.File, reader *codec.Reader, s *view.Source, how Reading) (list []string) {
	named := input.FileError(in.Name, errors.New("")).Error() // "standard input: "
	say := func(shown bool, print func(*run.Program)) {
		var said bytes.Buffer
		one := run.Program{Stderr: &said}
		print(&one)
		p.Raise(one.Code)
		for line := range strings.Lines(said.String()) {
			text := strings.TrimSuffix(strings.TrimPrefix(line, "nettrace: "), "\n")
			p.Complain("%s", text)
			if text = strings.TrimPrefix(text, named); shown && text != s.Error {
				list = append(list, text)
			}
		}
	}
	types := s.Profile.Types()
	say(true, func(p *run.Program) { input.Report(p, in, reader, reader.Err()) })
	say(false, func(p *run.Program) { input.ReportLost(p, in.Name, reader) }) // the page has their times
	say(true, func(p *run.Program) { samples.WarnNames(p, in.Name, s.Profile.Names(types...), types...) })
	if text := samples.FaultText(s.Profile); text != "" {
		say(true, func(p *run.Program) { p.Complain("%v", input.FileError(in.Name, errors.New(text))) })
	}
	chosen := how.Requests.Text()
	if chosen != "" {
		chosen += ": the parts of the report are those of the whole recording, and so are the commands for the terminal"
	}
	whole := samples.Loaded{Profile: s.Profile}
	list = append(list, chosen, how.Requests.Apart(), whole.NotSampledText(types), whole.CutText(types), whole.PollsText(types), samples.OneCodeText(s.Profile, types))
	return slices.DeleteFunc(list, func(text string) bool { return text == "" })
}

// reopen returns the function that opens a file again, without a progress bar.
func reopen(name string, how input.Options) func() (*input.File, error) {
	return func() (*input.File, error) { return input.Open(&run.Program{}, name, how) }
}

// Other reads an older trace that the page compares a trace with. The document has its
// samples only, which are of the types.
func Other(ctx context.Context, p *run.Program, name string, how Reading) (document []byte, types []profile.Type, err error) {
	s, _, err := Read(ctx, p, name, how)
	if err != nil {
		return nil, nil, err
	}
	s.Command, s.Reports, s.Counters, s.Most = "", nil, nil, math.MaxInt
	document, err = s.Encode()
	if err != nil {
		return nil, nil, exit.With(exit.Broken, err)
	}
	return document, s.Profile.Types(), nil
}

// FromBytes reads a trace in memory, as Read does; name is that of the trace.
func FromBytes(ctx context.Context, name string, data []byte, how Reading) (*view.Source, error) {
	again := func() (*input.File, error) { return input.FromBytes(name, data), nil }
	first, err := again()
	if err != nil {
		return nil, err
	}
	s, reader, err := read(ctx, first, again, how)
	if err == nil {
		s.Warnings = warn(&run.Program{Stderr: io.Discard}, first, reader, s, how)
	}
	return s, err
}

// read reads the samples of a trace, and then its reports. It returns the first reader.
func read(ctx context.Context, first *input.File, again func() (*input.File, error), how Reading) (*view.Source, *codec.Reader, error) {
	s := &view.Source{Tool: tool(), File: filepath.Base(first.Name), Counters: &view.Counters{}, Joins: how.Given()}
	reader := codec.NewReader(first, input.ReaderOptions(false))
	var err error
	opt := view.ProfileOptions(profile.LargeLimits())
	opt.Async, opt.Physical = how.Async, how.Physical
	if opt.Filter.Request, err = how.Requests.Filter(); err != nil {
		return nil, nil, err
	}
	s.Profile, err = profile.FromReader(ctx, reader, opt)
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if s.Profile == nil {
		return nil, nil, exit.With(input.ExitCode(err), input.FileError(first.Name, errors.New(input.ErrorText(err))))
	}
	if err := samples.CheckAsync(first.Name, s.Profile, how.Async); err != nil {
		return nil, nil, err
	}
	if err != nil {
		s.Error = input.ErrorText(err)
	}
	s.Joined = samples.JoinsText(s.Profile, s.Profile.Types()...)
	s.Command = s.Profile.CommandLine
	second, err := again()
	if err != nil {
		return nil, nil, err
	}
	defer second.Close()
	if err := readReports(ctx, s, second); err != nil {
		return nil, nil, err
	}
	second.EndProgress()
	NameCommands(s.Reports, Quoted(s.File))
	return s, reader, nil
}

// open opens a trace or a .gcdump file, and returns a function that opens it again.
func open(p *run.Program, name string) (first *input.File, again func() (*input.File, error), err error) {
	first, err = input.Open(p, name, input.Options{Silent: true, GCDump: true})
	if err != nil {
		return nil, nil, err
	}
	isGCDump := first.GCDump
	if isGCDump && name != input.Stdin {
		return first, reopen(name, input.Options{Silent: true, GCDump: true}), nil
	}
	if name != input.Stdin {
		return first, func() (*input.File, error) { return first.Again(p) }, nil
	}
	defer first.Close()
	data, err := io.ReadAll(first)
	if err != nil {
		return nil, nil, exit.With(exit.Broken, input.FileError(name, err))
	}
	again = func() (*input.File, error) { return input.FromBytes(name, data), nil }
	first, err = again()
	first.GCDump = isGCDump
	return first, again, err
}

// readReports reads all parts of the report.
func readReports(ctx context.Context, s *view.Source, in *input.File) error {
	opt := input.ReaderOptions(false)
	opt.Order = codec.ByTime
	threads := &view.Threads{}
	all := append(parts.All(), s.Counters, threads)
	var err error
	s.Trace, err = analysis.Read(ctx, codec.NewReader(in, opt), analysis.Options{Parts: all, Limits: analysis.LargeLimits()})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if s.Trace == nil {
		return exit.With(input.ExitCode(err), input.FileError(in.Name, errors.New(input.ErrorText(err))))
	}
	for _, part := range all {
		s.Reports = append(s.Reports, part.Reports(s.Trace)...)
	}
	for i := range s.Reports {
		if totals, ok := s.Reports[i].Totals.(*trace.Totals); ok {
			s.Heap = s.Heap || totals.HeapDump
		}
	}
	s.Threads = threads.Count()
	return nil
}

// NameCommands puts the name of the trace into the commands of the findings.
func NameCommands(reports []analysis.Report, name string) {
	for i := range reports {
		for k := range reports[i].Findings {
			finding := &reports[i].Findings[k]
			finding.Command = strings.ReplaceAll(finding.Command, "FILE", name)
		}
	}
}

// plain has the characters that no shell interprets.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"

// Quoted returns the name of a file for a shell.
func Quoted(name string) string {
	if name != "" && strings.Trim(name, plain) == "" {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

// tool returns the name and version of the program, as documents have it.
func tool() string { return "nettrace " + run.Version() }
