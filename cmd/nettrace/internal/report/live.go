package report

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/units"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
)

// live holds the flags about a running process.
type live struct {
	pid      int
	duration string
	limit    time.Duration // of duration
}

func (l *live) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVarP(&l.pid, "process-id", "p", 0, "record the process with this `PID`, until Ctrl-C or --duration, and report on it")
	f.StringVar(&l.duration, "duration", "", "with -p: end after this `TIME`: 30s, 1m30s, or dd:hh:mm:ss")
}

// check returns an error if the flags and the files do not go together.
func (l *live) check(files []string) (err error) {
	switch {
	case l.pid == 0 && len(files) == 0:
		return errors.New("report takes at least one file, or -p")
	case l.pid == 0 && l.duration != "":
		return errors.New("--duration needs -p")
	case l.pid != 0 && len(files) > 0:
		return fmt.Errorf("report takes files or -p, not both: %s", display.Counted(int64(len(files)), "file"))
	}
	l.limit, err = units.ParseDuration(l.duration)
	return err
}

// providersOf returns what records the events of some parts.
func providersOf(some []analysis.Part) ([]eventpipe.Provider, error) {
	var list []eventpipe.Provider
	at := map[string]int{}
	for _, part := range some {
		for _, text := range viewOf(part.Name()).records {
			p, err := provider.Parse(text)
			if err != nil {
				return nil, fmt.Errorf("part %s: %w", part.Name(), err)
			}
			i, known := at[p.Name]
			if !known {
				at[p.Name] = len(list)
				list = append(list, p)
				continue
			}
			list[i].Keywords |= p.Keywords
			list[i].Level = max(list[i].Level, p.Level)
		}
	}
	return list, nil
}

// record reads the events of a running process with some parts.
func (l *live) record(p *run.Program, some []analysis.Part) (*file, error) {
	providers, err := providersOf(some)
	if err != nil {
		return nil, err
	}
	live := attach.Live{PID: l.pid, Limit: l.limit, Config: eventpipe.SessionConfig{Providers: providers}}
	var f *file
	err = live.Read(p, func(title string, session *eventpipe.Session) (err error) {
		f, err = readFrom(context.Background(), input.FromStream(title, session, nil), some)
		if f == nil || f.err != nil {
			session.Close() // a malformed stream may never end
		}
		return err
	})
	if f != nil {
		f.nameCommands(fmt.Sprintf("-p %d", l.pid))
	}
	return f, err
}
