package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	running "github.com/nettrace-go/nettrace/cmd/nettrace/internal/live"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/tracedoc"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/units"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
)

// live holds the flags about a running process.
type live struct {
	running.File
	limit time.Duration // of Duration
}

func (l *live) addFlags(cmd *cobra.Command) {
	l.File.AddFlags(cmd, false)
	cmd.Flags().Lookup("process-id").Usage = "record the process with this `PID`, until Ctrl-C or --duration, and report on it"
}

// check returns an error if the flags and the files do not go together.
func (l *live) check(files []string) (err error) {
	switch {
	case l.Given() == 0 && len(files) == 0:
		return errors.New("report takes at least one file, or one of -p, -n and --port")
	case l.Given() == 0 && l.Duration != "":
		return errors.New("--duration needs a process (-p, -n or --port)")
	case l.Given() > 0 && len(files) > 0:
		return fmt.Errorf("report takes files or a process, not both: %s", display.Counted(int64(len(files)), "file"))
	case l.Given() > 1:
		return errors.New("report takes one of -p, -n and --port")
	}
	l.limit, err = units.ParseDuration(l.Duration)
	return err
}

// providersOf returns what records the events of some parts from a runtime of a major
// version. session is the client that asks for Meters.
func providersOf(some []analysis.Part, major int, session counters.MetersSession) ([]eventpipe.Provider, error) {
	var list []eventpipe.Provider
	for _, part := range some {
		v := viewOf(part.Name())
		for _, text := range v.records {
			p, err := provider.Parse(text)
			if err != nil {
				return nil, fmt.Errorf("part %s: %w", part.Name(), err)
			}
			list = addProvider(list, p)
		}
		if v.profile != "" {
			profile, err := provider.ProfileNamed(v.profile)
			if err != nil {
				return nil, fmt.Errorf("part %s: %w", part.Name(), err)
			}
			for _, p := range profile.Providers {
				list = addProvider(list, p)
			}
		}
		for _, name := range v.counters.EventSources(major) {
			list = addProvider(list, eventpipe.Provider{Name: name, Level: counters.Level, Arguments: counters.EventCountersArguments(time.Second)})
		}
		if v.counters.Meters() { // without settings: those of a session that other clients share
			list = addProvider(list, eventpipe.Provider{
				Name: counters.MetersProvider, Keywords: counters.MetersKeywords, Level: counters.Level,
				Arguments: session.Arguments(v.counters, counters.Settings{}),
			})
		}
	}
	return list, nil
}

// addProvider adds a provider, or extends the one of that name.
func addProvider(list []eventpipe.Provider, p eventpipe.Provider) []eventpipe.Provider {
	for i := range list {
		if have := &list[i]; have.Name == p.Name {
			have.Keywords |= p.Keywords
			have.Level = max(have.Level, p.Level)
			have.Arguments = cmp.Or(have.Arguments, p.Arguments)
			return list
		}
	}
	return append(list, p)
}

// record reads the events of a running process with the parts of the options. It asks for those of one
// part only, or of all if it is "".
func (l *live) record(p *run.Program, opt analysis.Options, part string) (*file, error) {
	some := slices.DeleteFunc(slices.Clone(opt.Parts), func(one analysis.Part) bool { return part != "" && one.Name() != part })
	var asked recording
	config := func(a *attach.Process) (_ eventpipe.SessionConfig, err error) {
		asked.major = a.Major()
		asked.providers, err = providersOf(some, asked.major, a.CounterSession())
		return eventpipe.SessionConfig{Providers: asked.providers}, err
	}
	live := attach.Live{Options: l.Options, Limit: l.limit, Config: config}
	var f *file
	err := live.Read(p, func(title string, session *eventpipe.Session) (err error) {
		in := input.FromStream(title, session, nil)
		f = &file{name: in.Name, in: in}
		f.readFrom(context.Background(), in, opt)
		if f.err != nil {
			session.Close() // a malformed stream may never end
		}
		if err = f.end(in, opt.Parts, part); err != nil {
			f = nil
		}
		return err
	})
	if f != nil {
		tracedoc.NameCommands(f.reports, l.Flag())
		for i := range f.reports {
			asked.answer(&f.reports[i])
		}
	}
	return f, err
}

// recording is what a session asked for, and the major version of the runtime, 0 if it is
// not known.
type recording struct {
	providers []eventpipe.Provider
	major     int
}

// answer moves what the session recorded from NotRecorded to None. If a part has no events
// at all, one of its sources is enough.
func (s *recording) answer(r *analysis.Report) {
	missing := r.NotRecorded
	r.NotRecorded = []analysis.NotRecorded{}
	for _, n := range missing {
		if s.has(n) {
			r.None = append(r.None, n)
		} else {
			r.NotRecorded = append(r.NotRecorded, n)
		}
	}
	if !r.Recorded() && len(r.None) > 0 {
		r.NotRecorded = []analysis.NotRecorded{}
	}
}

// added are events that older runtimes do not have.
var added = []struct {
	keywords uint64 // of the runtime
	major    int    // the first version with them
}{
	{0x40000000000, 9},  // waits
	{0x80000000000, 10}, // sampled allocations
}

// has reports whether the session recorded these events and the runtime writes them.
func (s *recording) has(n analysis.NotRecorded) bool {
	keywords, err := strconv.ParseUint(n.Keywords, 0, 64)
	if err != nil {
		return false
	}
	for _, a := range added {
		if n.Provider == clr.RuntimeProvider && keywords == a.keywords && s.major < a.major {
			return false
		}
	}
	return slices.ContainsFunc(s.providers, func(p eventpipe.Provider) bool {
		return p.Name == n.Provider && p.Keywords&keywords == keywords && p.Level >= n.Level
	})
}
