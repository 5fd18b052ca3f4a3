package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/edit"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// sliceOptions are the flags of slice.
type sliceOptions struct {
	outputOptions
	filterOptions
	redactOptions
	from, to    string
	dropRundown bool
	format      string
	split       string
}

func (p *program) sliceCommand() *cobra.Command {
	var o sliceOptions
	cmd := &cobra.Command{
		Use:   "slice FILE -o OUT",
		Short: "Write a part of a file as a file of its own",
		Long: "slice writes the events that are wanted, with all that they refer to and nothing else. What is\n" +
			"left out on purpose leaves no gap: sequence numbers are counted anew where something is left\n" +
			"out, and the losses between events that stay, or that a sequence point shows, remain.\n\n" +
			"With --split it writes OUT.001.nettrace, OUT.002.nettrace and so on, each a whole file, of about\n" +
			"the size (64MB) or the time (30s) that is given, in the order of the file.\n\n" +
			"Filters are those of events; --thread also chooses whose losses are told of.\n\n" + redactHelp,
		Example: "  nettrace slice trace.nettrace -o second.nettrace --from 2s --to 3s\n" +
			"  nettrace slice trace.nettrace -o mail.nettrace.zst --drop-rundown --redact\n" +
			"  nettrace slice big.nettrace -o part.nettrace --split 64MB",
		Args: oneFile,
		RunE: func(_ *cobra.Command, args []string) error { return p.slice(args[0], &o) },
	}
	o.outputOptions.addFlags(cmd)
	o.redactOptions.addFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "leave out events before this `TIME`: a duration from the sync time (2s, 1m30s), or RFC 3339")
	f.StringVar(&o.to, "to", "", "leave out events at this `TIME` and behind it")
	f.StringSliceVar(&o.providers, "provider", nil, "`NAMES` or globs of providers, letter case ignored")
	f.StringSliceVar(&o.names, "name", nil, "`NAMES` or globs of events as they are printed, letter case ignored")
	f.StringSliceVar(&o.ids, "id", nil, "event `IDS` or ranges: 10,200-210")
	f.StringSliceVar(&o.threads, "thread", nil, "operating-system `IDS` of the threads that events are about")
	f.StringSliceVar(&o.processes, "process", nil, "operating-system `IDS` of processes")
	f.BoolVar(&o.dropRundown, "drop-rundown", false, "leave out the list of methods and modules at the end; then stacks have no names")
	f.StringVar(&o.format, "format", "", "write `VERSION` v4, v5 or v6, not below that of FILE; default: that of FILE, v6 for v3")
	f.StringVar(&o.split, "split", "", "write several files of this `SIZE` (64MB, 512KiB) or time (30s) each")
	return cmd
}

// slicing is what the flags ask for, once the trace is known.
type slicing struct {
	filter *filter
	period period
	opt    edit.SliceOptions
	split  bool
	size   edit.SplitSize
	each   time.Duration // of --split
}

func (o *sliceOptions) parse() (*slicing, error) {
	s := &slicing{split: o.split != ""}
	s.opt.DropRundown = o.dropRundown
	var err error
	for _, step := range []func() error{
		func() error { s.filter, err = o.filterOptions.parse(); return err },
		func() error { s.period.from, err = parseMoment("from", o.from); return err },
		func() error { s.period.to, err = parseMoment("to", o.to); return err },
		func() error { s.opt.Redact, err = o.redactor(); return err },
		func() error { s.opt.Format, err = parseFormat("format", o.format); return err },
		func() error { return s.parseSplit(o.split) },
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	s.opt.Keep = s.filter.match
	if s.filter.threads != nil || s.filter.processes != nil {
		s.opt.KeepLost = s.keepLost
	}
	return s, nil
}

// keepLost says whether losses are those of a thread that is wanted.
func (s *slicing) keepLost(id uint64, t *codec.Thread) bool {
	if t == nil {
		return s.filter.threads.match(id, true)
	}
	return s.filter.threads.match(t.ThreadID, t.HasThreadID) && (!t.HasProcessID || s.filter.processes.match(t.ProcessID, true))
}

// parseFormat reads the name of a version; no text is none.
func parseFormat(flag, text string) (wire.Format, error) {
	switch strings.TrimPrefix(strings.ToLower(text), "v") {
	case "":
		return wire.Format{}, nil
	case "4":
		return wire.Format{Major: 4}, nil
	case "5":
		return wire.Format{Major: 5}, nil
	case "6":
		return wire.Format{Major: 6}, nil
	}
	return wire.Format{}, fmt.Errorf("--%s: %q is not v4, v5 or v6", flag, text)
}

// parseSplit reads a size or a duration.
func (s *slicing) parseSplit(text string) error {
	if text == "" {
		return nil
	}
	if each, err := time.ParseDuration(text); err == nil && each > 0 {
		s.each = each
		return nil
	}
	number := strings.TrimRight(text, "kKMGiBb")
	unit := int64(1)
	if name := text[len(number):]; name != "" {
		unit = unitBytes(strings.ToLower(name))
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if unit == 0 || err != nil || n <= 0 || n > 1<<62/unit {
		return fmt.Errorf(`--split: %q is neither a size ("64MB") nor a duration ("30s")`, text)
	}
	s.size.Bytes = n * unit
	return nil
}

// prepare fills in what depends on the trace.
func (s *slicing) prepare(r *codec.Reader) error {
	trace, err := r.Trace()
	if err != nil {
		return nil // the slicer will say so
	}
	window, err := s.period.ticks(trace)
	if err != nil {
		return err
	}
	s.opt.From, s.opt.To = window.From, window.To
	if window.HasTo && window.To == 0 { // which is no bound in SliceOptions
		s.opt.From, s.opt.To = math.MaxUint64, 1
	}
	if s.each > 0 {
		if trace.TickFrequency == 0 {
			return errors.New("--split: the trace has no clock")
		}
		s.size.Ticks = max(1, trace.Ticks(s.each)-trace.SyncTicks)
	}
	return nil
}

// slice writes a part of one file, or all of it in parts.
func (p *program) slice(name string, o *sliceOptions) error {
	s, err := o.parse()
	if err != nil {
		return err
	}
	if s.split {
		return p.split(name, o, s)
	}
	var r *codec.Reader
	var result edit.SliceResult
	return p.transform(name, &o.outputOptions, func(in io.Reader, out io.Writer) error {
		r = codec.NewReader(in, readerOptions(false))
		if err := s.prepare(r); err != nil {
			return err
		}
		var err error
		result, err = edit.Slice(out, r, s.opt)
		return sourceFailure(name, r, err)
	}, func() {
		p.tellSlice(name, r, result)
		p.reportRedaction(s.opt.Redact)
	})
}

// tellSlice says what was wrong with the source, and what the part lost.
func (p *program) tellSlice(name string, r *codec.Reader, result edit.SliceResult) {
	p.judge(name, r, r.Err())
	if result.Unknown > 0 {
		p.complain("%v", fileError(name, fmt.Errorf("warning: %s that nothing describes left out", counted(result.Unknown, "event"))))
	}
	if result.Lost > 0 {
		p.complain("%v", fileError(name, fmt.Errorf("warning: %s lost in what is written", countedUnsigned(result.Lost, "event"))))
	}
}

// split writes several files. Those that are whole stay when a later one fails.
func (p *program) split(name string, o *sliceOptions, s *slicing) error {
	if o.name == stdoutName {
		return errors.New("--split needs names: --output - is one")
	}
	in, err := p.open(name, opening{silent: true})
	if err != nil {
		return err
	}
	defer in.Close()
	r := codec.NewReader(in, readerOptions(false))
	if err := s.prepare(r); err != nil {
		return err
	}
	var part *splitOutput
	result, err := edit.Split(func(n int) (io.WriteCloser, error) {
		out, err := p.create(&outputOptions{name: partName(o.name, n), force: o.force})
		if err != nil {
			return nil, err
		}
		part = &splitOutput{output: out}
		return part, nil
	}, r, s.size, s.opt)
	in.progress.stop()
	if part != nil && !part.kept {
		part.discard()
	}
	if err != nil {
		return splitFailure(name, r, err)
	}
	p.tellSlice(name, r, result)
	p.reportRedaction(s.opt.Redact)
	return nil
}

func splitFailure(name string, r *codec.Reader, err error) error {
	if errors.As(err, new(*failure)) {
		return err
	}
	return sourceFailure(name, r, err)
}

// splitOutput is a part, which is kept when it is closed.
type splitOutput struct {
	*output
	kept bool
}

func (o *splitOutput) Close() error {
	o.kept = true // or discarded
	return o.keep()
}

// partName puts the number of a part before the extensions.
func partName(name string, n int) string {
	packed := ""
	if ext := strings.ToLower(filepath.Ext(name)); ext == ".zst" || ext == ".gz" {
		packed = name[len(name)-len(ext):]
		name = strings.TrimSuffix(name, packed)
	}
	return fmt.Sprintf("%s.%03d.nettrace%s", strings.TrimSuffix(name, ".nettrace"), n, packed)
}
