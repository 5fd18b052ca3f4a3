// Package ps is the command ps, which lists the running .NET processes.
package ps

import (
	"errors"
	"fmt"
	"os/user"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/jsontext"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// psPatience is the time in which a process must answer.
const psPatience = 500 * time.Millisecond

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
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := attach.Candidates(cmd.Context(), psPatience)
			if err != nil {
				return exit.With(exit.Usage, err)
			}
			list := make([]listed, len(found))
			for i := range found {
				list[i].Candidate = found[i]
			}
			return listProcesses(p, list, &o)
		},
	}
	o.format.AddTextFlags(cmd)
	o.display.AddFlags(cmd)
	return cmd
}

// listed is a process as ps prints it.
type listed struct{ attach.Candidate }

func listProcesses(p *run.Program, list []listed, o *options) error {
	asJSON := o.format.IsJSON()
	var b []byte
	if asJSON {
		for i := range list {
			b = list[i].appendJSON(b)
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

func processTable(list []listed, screen terminal.Screen) []byte {
	if len(list) == 0 {
		return nil
	}
	table := terminal.Table{Columns: []terminal.Column{
		{Title: "PID", Right: true}, {Title: "NAME", Overflow: terminal.Cut}, {Title: "RUNTIME"}, {Title: "ARCH"}, {Title: "USER"},
		{Title: "CONTAINER"}, {Title: "COMMAND", Overflow: terminal.Cut},
	}}
	for i := range list {
		s := &list[i]
		row := terminal.Cells(s.pid(), s.Program(), s.Info.Version, s.Info.Architecture, s.user(), s.container(), s.Command())
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

func (s *listed) pid() string {
	if s.PID == 0 {
		return ""
	}
	return strconv.Itoa(s.PID)
}

func (s *listed) user() string {
	if s.UID < 0 {
		return ""
	}
	id := strconv.Itoa(s.UID)
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return id
}

// container returns the start of the container's id, as Docker shows it, or a
// text for a process in another PID namespace.
func (s *listed) container() string {
	switch {
	case s.Container != "":
		return s.Container[:12]
	case s.PID != s.NSPID:
		return fmt.Sprintf("other (%d there)", s.NSPID)
	}
	return ""
}

func (s *listed) appendJSON(b []byte) []byte {
	j := &jsontext.Builder{Bytes: b}
	j.Bytes = append(j.Bytes, '{')
	if s.PID != 0 {
		j.Key("pid").Number(int64(s.PID))
	}
	j.Key("nspid").Number(int64(s.NSPID))
	for _, pair := range [][2]string{
		{"name", s.Program()}, {"version", s.Info.Version}, {"os", s.Info.OS}, {"architecture", s.Info.Architecture},
		{"rid", s.Info.PortableRID}, {"commandLine", s.Command()}, {"user", s.user()}, {"container", s.Container}, {"port", s.Address},
	} {
		if pair[1] != "" {
			j.Key(pair[0]).Text(pair[1])
		}
	}
	if s.Err != nil {
		j.Key("error").Text(exit.Text(s.Err))
		var why *eventpipe.UnreachableError
		if errors.As(s.Err, &why) {
			j.Key("reason").Text(why.Reason.String())
		}
	}
	return append(j.Bytes, '}', '\n')
}
