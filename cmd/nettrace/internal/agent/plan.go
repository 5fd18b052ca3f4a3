package agent

import (
	"fmt"
	"strings"

	"github.com/nettrace-go/nettrace/agent/config"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// printPlan prints which of the running processes would be profiled.
func (o *options) printPlan(p *run.Program, c *config.Config) error {
	ctx, stop := p.UntilSignal()
	defer stop()
	list, err := attach.Candidates(ctx, attach.Patience)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	table := terminal.Table{Columns: []terminal.Column{
		{Title: "PID", Right: true}, {Title: "NAME", Overflow: terminal.Cut}, {Title: "RUNTIME"}, {Title: "PROFILED"}, {Title: "SERVICE", Overflow: terminal.Cut}, {Title: "REASON"},
	}}
	chosen := 0
	for i := range list {
		d := decide(c.Processes, &list[i])
		answer := "no"
		if d.profiled {
			answer = "yes"
			chosen++
		}
		row := terminal.Cells(list[i].ID(), list[i].Program(), list[i].Info.Version, answer, d.service, d.reason)
		for i := range row {
			if row[i].Text = display.Printable(row[i].Text); row[i].Text == "" {
				row[i].Text = "-"
			}
		}
		table.Add(row...)
	}
	if len(list) > 0 {
		if _, err := p.Stdout.Write(table.Append(nil, o.display.Screen(p.Stdout))); err != nil {
			return exit.WriteError(err)
		}
	}
	p.Complain("%d of %s would be profiled", chosen, processes(len(list)))
	return nil
}

func processes(n int) string {
	if n == 1 {
		return "1 .NET process"
	}
	return fmt.Sprintf("%d .NET processes", n)
}

// decision says whether a process is profiled, and why.
type decision struct {
	profiled bool
	service  string // label service_name
	reason   string
}

// decide compares a process with the entries of a configuration.
func decide(entries []config.Process, c *attach.Candidate) decision {
	var reasons []string
	for i := range entries {
		mismatch := mismatch(&entries[i], &c.Process)
		if mismatch != "" {
			if len(entries) > 1 {
				mismatch = fmt.Sprintf("entry %d: %s", i+1, mismatch)
			}
			reasons = append(reasons, mismatch)
			continue
		}
		d := decision{service: serviceName(entries, &c.Process, c.Program()), reason: fmt.Sprintf("entry %d matches", i+1)}
		if d.profiled = c.Err == nil; !d.profiled {
			d.reason += ", but " + exit.Text(c.Err)
		}
		return d
	}
	return decision{reason: strings.Join(reasons, "; ")}
}

// mismatch returns which key of an entry does not match a process; "" if all do.
func mismatch(entry *config.Process, p *eventpipe.Process) string {
	s := entry.Selector()
	for _, part := range []struct {
		set  bool
		only eventpipe.Selector
		text string
	}{
		{s.Name != "", eventpipe.Selector{Name: s.Name}, "the name is not " + s.Name},
		{s.CommandLine != nil, eventpipe.Selector{CommandLine: s.CommandLine}, "the command line does not match " + entry.CommandLine},
		{s.Container != "", eventpipe.Selector{Container: s.Container}, "the container is " + orNone(p.Container)},
		{s.Pod != "", eventpipe.Selector{Pod: s.Pod}, "the pod is " + orNone(p.Pod)},
	} {
		if part.set && !part.only.Matches(p) {
			return part.text
		}
	}
	for name, value := range s.Environment {
		only := eventpipe.Selector{Environment: map[string]string{name: value}}
		if !only.Matches(p) {
			return fmt.Sprintf("the variable %s is not %s, or cannot be read", name, value)
		}
	}
	return ""
}

func orNone(text string) string {
	if text == "" {
		return "none or unknown"
	}
	return text
}

// serviceName returns the label service_name of a process.
func serviceName(entries []config.Process, p *eventpipe.Process, program string) string {
	for i := range entries {
		if s := entries[i].Selector(); entries[i].ServiceName != "" && s.Matches(p) {
			return entries[i].ServiceName
		}
	}
	return program
}
