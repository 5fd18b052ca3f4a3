package collect

import (
	"context"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/eventpipe/record"
)

// methodRundown are the keywords of a rundown with names of methods: JIT and
// NGen.
const methodRundown = 0x30

// chooseNames sets from --names whether names are read early, and whether the
// session has a rundown at its end.
func (o *options) chooseNames() error {
	cfg := &o.session
	named := !cfg.NoRundown && (cfg.RundownKeyword == 0 || cfg.RundownKeyword&methodRundown != 0)
	if o.rotate != "" && (o.names == "early" || o.names == "both") {
		return fmt.Errorf("--names %s: each file of --rotate has the rundown of a session of its own", o.names)
	}
	switch o.names {
	case "":
		o.early = named && !o.unchanged && o.rotate == "" && (o.ring != "" || len(o.Command) > 0)
	case "late", "both":
		if !named {
			return fmt.Errorf("--names %s needs a rundown with the names of methods, which --rundown or the profiles leave out", o.names)
		}
		o.early = o.names == "both"
	case "early":
		if o.rundown != "" && named {
			return fmt.Errorf("--names early has no rundown at the end: leave out --rundown %s, or use --names both", o.rundown)
		}
		o.early, cfg.NoRundown = true, true
	default:
		return fmt.Errorf("--names: %q is none of early, late and both", o.names)
	}
	return nil
}

// naming reads the names of methods early: a session that stays open, and a
// rundown before the recording.
type naming struct {
	names   *record.Names
	session *eventpipe.Session
	ended   chan struct{} // closed when the session has been read
	early   bool          // the early rundown is complete, or nothing was loaded before
	used    bool          // names were written
	err     error         // of reading the session; good after ended
}

// startNames opens the session for names and reads the early rundown. Without
// --names early the recording goes on if they fail: its own rundown has the
// names.
func (r *recording) startNames() error {
	if !r.o.early {
		return nil
	}
	session, err := r.a.Client.StartFirst(r.stop, provider.Names())
	if err != nil {
		return r.withoutNames("the session for names", err)
	}
	n := &naming{names: record.NewNames(0), session: session, ended: make(chan struct{})}
	r.naming = n
	go func() {
		defer close(n.ended)
		_, n.err = n.names.Read(session)
		_, _ = io.Copy(io.Discard, session) // after a malformed place
	}()
	if r.a.Starting() {
		n.early = true
		return nil // nothing is loaded yet, and a session that is stopped now would mix with the next one
	}
	if err := r.earlyRundown(n); err != nil {
		return r.withoutNames("the early rundown", err)
	}
	n.early = true
	return nil
}

// withoutNames returns the error of reading names early, or prints it.
func (r *recording) withoutNames(what string, err error) error {
	err = fmt.Errorf("%s: %s: %w", r.a.Title, what, err)
	if r.o.session.NoRundown || r.stop.Err() != nil {
		r.closeNames()
		return exit.With(attach.SessionExitCode(err), err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.p.Complain("warning: %v; if the process is killed, methods have no names", err)
	return nil
}

// earlyRundown reads the rundown of a session of its own into names, and prints
// how long that took: the process cannot collect garbage meanwhile. A process
// that is suspended at its start sends nothing.
func (r *recording) earlyRundown(n *naming) error {
	begun := time.Now()
	var report record.NamesReport
	err := r.a.Client.Rundown(r.giveUp, provider.EarlyRundown(), func(stream io.Reader) (err error) {
		report, err = n.names.Read(stream)
		return err
	})
	if err != nil || report.Bytes == 0 {
		return err
	}
	r.early = fmt.Sprintf("early rundown: %s, %s, %s; %s", time.Since(begun).Round(time.Millisecond), display.Bytes(report.Bytes),
		display.Counted(report.Events, "name"), "names of later methods are read until the end")
	return nil
}

// additions returns the events for the end of a recording: names, if it has not
// got a rundown of its own, and the processor time of threads.
func (r *recording) additions(report *record.Report) iter.Seq[record.Addition] {
	named := r.needsNames(report)
	if named {
		r.closeNames()
	}
	r.stopThreadTimes()
	return r.gathered(named)
}

// gathered returns the names that were read so far, if they are wanted, and the
// processor times of threads.
func (r *recording) gathered(named bool) iter.Seq[record.Addition] {
	var names, times iter.Seq[record.Addition]
	if named {
		r.naming.used = true
		names = r.naming.names.All()
	}
	if r.times != nil {
		times = r.times.All()
	}
	return record.Concat(names, times)
}

// namedEarly reports whether the names that were read so far are all names.
func (r *recording) namedEarly() bool { return r.naming != nil && r.naming.early }

// needsNames reports whether names were read early and the recording has no
// rundown of its own.
func (r *recording) needsNames(report *record.Report) bool {
	return r.naming != nil && (!report.Ended || r.o.session.NoRundown)
}

// namesPatience bounds the end of the session for names.
const namesPatience = 5 * time.Second

// closeNames ends the session for names, and waits until what the process has
// sent is read.
func (r *recording) closeNames() {
	n := r.naming
	if n == nil {
		return
	}
	select {
	case <-n.ended:
	default:
		ctx, cancel := context.WithTimeout(r.giveUp, min(namesPatience, r.o.drain))
		_ = n.session.Finish(ctx) // Close ends it if the process does not answer
		cancel()
	}
	n.session.Close()
	<-n.ended
}

// printNames prints what was written of the names, and what is missing.
func (r *recording) printNames(report outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if report.NotAdded != nil {
		r.p.Complain("warning: %s: names of methods and times of threads are missing: %v", r.a.Title, report.NotAdded)
	}
	n := r.naming
	if n == nil {
		return
	}
	stats := n.names.Stats()
	if n.used {
		r.p.Complain("%s: %s from the early rundown and the session for names, written at the end", r.a.Title, display.Counted(stats.Events, "name"))
	}
	if n.used && n.err != nil && report.Ended { // a process that was killed ends both sessions early
		r.p.Complain("warning: %s: the session for names: %v; names of later methods are missing", r.a.Title, n.err)
	}
	if n.used && stats.Dropped > 0 {
		r.p.Complain("warning: %s: %s left out: more than %s of names were read", r.a.Title, display.Counted(stats.Dropped, "name"), display.Bytes(stats.Bytes))
	}
	if n.used && stats.Replaced > 0 {
		r.p.Complain("warning: %s: the memory of %s was used again: older samples have the name of the newer method", r.a.Title, display.Counted(stats.Replaced, "method"))
	}
}
