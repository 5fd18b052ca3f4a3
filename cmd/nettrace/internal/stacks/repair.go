package stacks

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/filter"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/cutdepth"
	"github.com/nettrace-go/nettrace/profile"
)

// repairedStacks lists the stacks of one file with those that the runtime cut
// repaired, by time.
func repairedStacks(ctx context.Context, p *run.Program, name string, o *options, wanted *filter.Filter) error {
	in, err := input.Open(p, name, input.Options{Silent: true})
	if err != nil {
		return err
	}
	defer in.Close()
	r := codec.NewReader(in, input.ReaderOptions(false))
	prof, err := profile.FromReader(cutdepth.With(ctx, o.cut), r, profile.Options{
		Types: []profile.Type{profile.Wall, profile.Event}, Select: wanted.Match, Limits: samples.Limits,
	})
	in.EndProgress()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	printed := 0
	if prof != nil {
		n, end := printRepaired(p.Stdout, prof, o)
		if end != nil {
			return exit.WriteError(end)
		}
		printed = n
		if !o.addresses {
			samples.WarnNames(p, name, prof.Names(profile.Event))
		}
	}
	input.Report(p, name, r, err)
	input.ReportLost(p, name, r)
	if printed == 0 {
		if prof != nil {
			p.Complain("%v", input.FileError(name, errors.New("no stacks: "+prof.ReasonText(profile.Event))))
		}
		p.Raise(exit.Broken)
	}
	return nil
}

// printRepaired writes a line for each sample and returns their number.
func printRepaired(dst io.Writer, prof *profile.Profile, o *options) (int, error) {
	samples := slices.Collect(prof.Samples(profile.Event))
	slices.SortStableFunc(samples, func(a, b profile.Sample) int { return cmp.Compare(a.Ticks, b.Ticks) })
	var b []byte
	for i := range samples {
		s := &samples[i]
		b = strconv.AppendUint(b, s.Ticks, 10)
		b = display.AppendPrintable(append(b, '\t'), s.Metadata.Provider)
		b = strconv.AppendUint(append(b, '\t'), uint64(s.Metadata.EventID), 10)
		b = strconv.AppendUint(append(b, '\t'), prof.Threads()[s.Thread].ID, 10)
		for _, id := range prof.Stack(s.Stack) {
			b = display.AppendPrintable(append(b, '\t'), repairedFrame(prof, id, o))
		}
		b = append(b, '\n')
		if len(b) < 32<<10 && i+1 < len(samples) {
			continue
		}
		if _, err := dst.Write(b); err != nil {
			return i, err
		}
		b = b[:0]
	}
	return len(samples), nil
}

// repairedFrame is the text of a frame.
func repairedFrame(prof *profile.Profile, id profile.FrameID, o *options) string {
	f := prof.Frame(id)
	switch {
	case o.addresses && f.Address > 0:
		return "0x" + strconv.FormatUint(f.Address, 16)
	case o.rawNames:
		return prof.Function(f.Function).RawName
	}
	return prof.Function(f.Function).Name
}
