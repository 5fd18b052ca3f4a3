// Package ps is the command ps, which lists the running .NET processes.
package ps

import (
	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
)

// options are the flags of ps.
type options struct {
	format  choice.Format
	display terminal.Flags
}

// Command returns the command ps.
func Command(p *run.Program) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "ps",
		Short: "List the .NET processes that can be recorded",
		Long: "ps lists the .NET processes of this machine, including those in containers, with the version and\n" +
			"the architecture that their runtimes report. For a process that cannot be reached it prints the\n" +
			"reason. The column PID has the number on this machine; for a process that is known only by its\n" +
			"diagnostics port, ps prints the port. Each process has half a second to answer. The exit code is 0\n" +
			"for any number of processes.",
		Example: "  nettrace ps\n  nettrace ps --json | jq -r 'select(.version) | \"\\(.pid) \\(.version)\"'",
		Args:    run.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := attach.Candidates(cmd.Context(), attach.Patience)
			if err != nil {
				return exit.With(exit.Usage, err)
			}
			return listProcesses(p, found, &o)
		},
	}
	o.format.AddTextFlags(cmd)
	o.display.AddFlags(cmd)
	return cmd
}

func listProcesses(p *run.Program, list []attach.Candidate, o *options) error {
	asJSON := o.format.IsJSON()
	var b []byte
	if asJSON {
		for i := range list {
			b = list[i].AppendJSON(b)
		}
	} else {
		b = processTable(list, o.display.Screen(p.Stdout))
	}
	if _, err := p.Stdout.Write(b); err != nil {
		return exit.WriteError(err)
	}
	if asJSON {
		return nil
	}
	for i := range list {
		if list[i].Err != nil {
			p.Complain("%s", display.Printable(exit.Text(list[i].Err)))
		}
	}
	if len(list) == 0 {
		p.Complain("no .NET process is visible")
	}
	return nil
}

func processTable(list []attach.Candidate, screen terminal.Screen) []byte {
	if len(list) == 0 {
		return nil
	}
	table := terminal.Table{Columns: []terminal.Column{
		{Title: "PID", Right: true}, {Title: "NAME", Overflow: terminal.Cut}, {Title: "RUNTIME"}, {Title: "ARCH"}, {Title: "USER"},
		{Title: "CONTAINER"}, {Title: "COMMAND", Overflow: terminal.Cut},
	}}
	for i := range list {
		s := &list[i]
		row := terminal.Cells(s.ID(), s.Program(), s.Info.Version, s.Info.Architecture, s.User(), s.ContainerText(), s.Command())
		for i := range row {
			if row[i].Text = display.Printable(row[i].Text); row[i].Text == "" {
				row[i].Text = "-"
			}
			if s.Err != nil {
				row[i].Color = terminal.Dim
			}
		}
		table.Add(row...)
	}
	return table.Append(nil, screen)
}
