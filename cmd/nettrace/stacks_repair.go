package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/cutdepth"
	"github.com/nettrace-go/nettrace/profile"
)

// repairedStacks lists the stacks of one file with those that the runtime cut
// repaired, by time.
func (p *program) repairedStacks(name string, o *stacksOptions, wanted *filter) error {
	in, err := p.open(name, opening{silent: true})
	if err != nil {
		return err
	}
	defer in.Close()
	r := codec.NewReader(in, readerOptions(false))
	prof, err := profile.FromReader(cutdepth.With(context.Background(), o.cut), r, profile.Options{
		Types: []profile.Type{profile.Wall, profile.Event}, Select: wanted.match, Limits: profileLimits,
	})
	in.endProgress()
	printed := 0
	if prof != nil {
		n, end := printRepaired(p.stdout, prof, o)
		if end != nil {
			return writeFailure(end)
		}
		printed = n
		if !o.addresses {
			p.warnNames(name, prof.Names(profile.Event))
		}
	}
	p.judge(name, r, err)
	p.warnLost(name, r)
	if printed == 0 {
		if prof != nil {
			p.complain("%v", fileError(name, errors.New("no stacks: "+prof.ReasonText(profile.Event))))
		}
		p.raise(exitBroken)
	}
	return nil
}

// printRepaired writes a line for each sample and returns their number.
func printRepaired(dst io.Writer, prof *profile.Profile, o *stacksOptions) (int, error) {
	samples := slices.Collect(prof.Samples(profile.Event))
	slices.SortStableFunc(samples, func(a, b profile.Sample) int { return cmp.Compare(a.Ticks, b.Ticks) })
	var b []byte
	for i := range samples {
		s := &samples[i]
		b = strconv.AppendUint(b, s.Ticks, 10)
		b = appendPrintable(append(b, '\t'), s.Metadata.Provider)
		b = strconv.AppendUint(append(b, '\t'), uint64(s.Metadata.EventID), 10)
		b = strconv.AppendUint(append(b, '\t'), prof.Threads()[s.Thread].ID, 10)
		for _, id := range prof.Stack(s.Stack) {
			b = appendPrintable(append(b, '\t'), repairedFrame(prof, id, o))
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
func repairedFrame(prof *profile.Profile, id profile.FrameID, o *stacksOptions) string {
	f := prof.Frame(id)
	switch {
	case o.addresses && f.Address > 0:
		return "0x" + strconv.FormatUint(f.Address, 16)
	case o.rawNames:
		return prof.Function(f.Function).RawName
	}
	return prof.Function(f.Function).Name
}
