package samples

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/spans"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/profile"
)

// isSpanID reports whether the value of --span is an id of a W3C trace, not a name.
func isSpanID(value string) bool {
	return len(value) == 16 && strings.Trim(strings.ToLower(value), "0123456789abcdef") == ""
}

// FindSpans finds the spans that --span names in a file, which it reads for them.
func (o *RequestFlags) FindSpans(ctx context.Context, name string) error {
	if o.span == "" || isSpanID(o.span) || o.inFile == name {
		return nil
	}
	o.inFile, o.in, o.apart = name, nil, ""
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("--span %s: the name of a span needs a file that can be read twice; %s is none", o.span, name)
	}
	in, err := input.Open(&run.Program{}, name, input.Options{Silent: true})
	if err != nil {
		return err
	}
	defer in.Close()
	part, opt := spans.New(), input.ReaderOptions(false)
	opt.Order = codec.ByTime
	t, err := analysis.Read(ctx, codec.NewReader(in, opt), analysis.Options{Parts: []analysis.Part{part}, Limits: analysis.LargeLimits()})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if t == nil {
		return exit.With(input.ExitCode(err), input.FileError(name, err))
	}
	o.in = &profile.SpanFilter{Name: o.span}
	matched, apart := 0, 0
	for _, report := range part.Reports(t) {
		totals, ok := report.Totals.(*spans.Totals)
		if !ok {
			continue
		}
		for i := range totals.Intervals {
			s := &totals.Intervals[i]
			if !isNamed(s, o.span) {
				continue
			}
			if matched++; s.StartThreadID != s.StopThreadID {
				apart++
				continue
			}
			times := &o.in.Times
			if s.Provider == clr.DiagnosticsProvider {
				times = &o.in.Activities
			}
			*times = append(*times, profile.ThreadTime{
				Process: uint64(report.ProcessID.Or(0)), Thread: s.StartThreadID, From: s.StartTicks, Until: s.StopTicks,
			})
		}
	}
	if matched == 0 {
		o.in = nil
		return fmt.Errorf("--span %s: %s has no span with this name or key: nettrace report spans lists them", o.span, name)
	}
	if apart > 0 {
		o.apart = fmt.Sprintf("%d of %d spans %s end on another thread than they begin: what happens in them is known in the work for requests only", apart, matched, o.span)
	}
	return nil
}

// Apart returns a sentence about the spans that --span names of which it is unknown what happens in them, or an empty text; after
// FindSpans.
func (o *RequestFlags) Apart() string { return o.apart }

// isNamed reports whether a span has a name: that of its events, its key, or both with a space between; of a source and an
// activity, that of the activity alone too.
func isNamed(s *spans.Interval, name string) bool {
	return name == s.Name || name == s.Key || name == s.Name+" "+s.Key || s.Provider == clr.DiagnosticsProvider && strings.HasSuffix(s.Name, "/"+name)
}
