package events

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/units"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
)

// liveOptions are the flags of events for a running process.
type liveOptions struct {
	attach.Options
	profiles []string
	duration string
	limit    time.Duration // of duration
}

// liveProfile is the default profile: a few well-known events, and no samples.
const liveProfile = "dotnet-common"

func (o *liveOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	o.Options.AddFlags(cmd)
	f.Lookup("process-id").Usage = "list the events of the process with this `PID` as they arrive, until Ctrl-C"
	f.StringSliceVar(&o.profiles, "profile", nil, "of a process, record the providers of these `PROFILES`: see list-profiles (default without --provider: "+liveProfile+")")
	f.StringVar(&o.duration, "duration", "", "of a process, end after this `TIME`: 30s, 1m30s, or dd:hh:mm:ss")
}

// checkSource returns an error for flags that exclude each other.
func (o *options) checkSource(files []string) (err error) {
	switch {
	case o.live.Given() == 0 && len(files) != 1:
		return fmt.Errorf("events takes one file, or one of -p, -n and --port, not %s", display.Counted(int64(len(files)), "file"))
	case o.live.Given() > 1:
		return errors.New("events takes one of -p, -n and --port")
	case o.live.Given() == 0 && (len(o.live.profiles) > 0 || o.live.duration != ""):
		return errors.New("--profile and --duration need a process (-p, -n or --port)")
	case o.live.Given() > 0 && len(files) > 0:
		return errors.New("events takes one file or one process")
	case o.live.Given() > 0 && o.follow:
		return errors.New("--follow is for a file")
	}
	o.live.limit, err = units.ParseDuration(o.live.duration)
	return err
}

// session returns the configuration of the session. With -p, --provider is no
// filter but a provider in the form of collect.
func (o *options) session() (eventpipe.SessionConfig, error) {
	s := provider.Selection{Profiles: o.live.profiles}
	for _, text := range o.Providers {
		parsed, err := provider.Parse(text)
		if err != nil {
			return eventpipe.SessionConfig{}, exit.Named("--provider", err)
		}
		s.Providers = append(s.Providers, parsed)
	}
	if len(s.Providers)+len(s.Profiles) == 0 {
		s.Profiles = []string{liveProfile}
	}
	r, err := s.Resolve()
	if err != nil {
		return eventpipe.SessionConfig{}, err
	}
	for _, p := range s.Providers {
		o.asked = append(o.asked, p.Name)
	}
	o.Providers = nil
	return eventpipe.SessionConfig{Providers: r.Providers, NoRundown: true}, nil
}

// eventsOfProcess lists the events of a process as they arrive.
func eventsOfProcess(p *run.Program, o *options) error {
	cfg, err := o.session()
	if err != nil {
		return err
	}
	l, err := o.listing(p.Stdout)
	if err != nil {
		return err
	}
	l.asked, l.session = o.asked, cfg.Providers
	config := func(*attach.Process) (eventpipe.SessionConfig, error) { return cfg, nil }
	live := attach.Live{Options: o.live.Options, Limit: o.live.limit, Config: config}
	return live.Read(p, func(title string, session *eventpipe.Session) error {
		in := input.FromStream(title, session, func() { _ = l.out.Flush() })
		err := list(p, context.Background(), in, l, o)
		if p.Code != exit.Done {
			session.Close() // a malformed stream may never end
		}
		return err
	})
}
