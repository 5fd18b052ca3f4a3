// Package ps is the command ps, which lists the running .NET processes.
package ps

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/user"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/jsontext"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// psPatience is how long a process may take to answer.
const psPatience = 500 * time.Millisecond

// Command returns the command ps.
func Command(p *run.Program) *cobra.Command {
	var format choice.Format
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
			list, err := survey(cmd.Context())
			if err != nil {
				return exit.With(exit.Usage, err)
			}
			return listProcesses(p, list, format.IsJSON())
		},
	}
	format.AddTextFlags(cmd)
	return cmd
}

// surveyed is a process and what its runtime says, or why it does not.
type surveyed struct {
	eventpipe.Process
	info *eventpipe.ProcessInfo
	err  error
}

// survey asks all processes at once.
func survey(ctx context.Context) ([]surveyed, error) {
	found, err := eventpipe.Processes()
	if err != nil {
		return nil, err
	}
	list := make([]surveyed, len(found))
	var asking sync.WaitGroup
	for i := range found {
		asking.Go(func() { list[i] = ask(ctx, found[i], psPatience) })
	}
	asking.Wait()
	return list, nil
}

// ask asks a process, which may take that long to answer.
func ask(ctx context.Context, process eventpipe.Process, patience time.Duration) surveyed {
	s := surveyed{Process: process, info: &eventpipe.ProcessInfo{}, err: process.Err}
	if s.err != nil {
		return s
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	info, err := process.Client().ProcessInfo(ctx)
	var old *eventpipe.UnsupportedError
	switch {
	case errors.As(err, &old): // sessions came with 3.0, telling of oneself with 5
		s.info.Version = "3.x"
	case err != nil:
		s.err = err
	default:
		s.info = info
	}
	return s
}

func listProcesses(p *run.Program, list []surveyed, asJSON bool) error {
	var b []byte
	if asJSON {
		for i := range list {
			b = list[i].appendJSON(b)
		}
	} else {
		b = processTable(list)
	}
	if _, err := p.Stdout.Write(b); err != nil {
		return exit.WriteError(err)
	}
	if asJSON {
		return nil
	}
	for i := range list {
		if list[i].err != nil {
			p.Complain("%s", display.Printable(list[i].err.Error()))
		}
	}
	if len(list) == 0 {
		p.Complain("no .NET process is in sight")
	}
	return nil
}

func processTable(list []surveyed) []byte {
	if len(list) == 0 {
		return nil
	}
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "PID\tNAME\tRUNTIME\tARCH\tUSER\tCONTAINER\tCOMMAND")
	for i := range list {
		s := &list[i]
		cells := []string{s.pid(), s.name(), s.info.Version, s.info.Architecture, s.user(), s.container(), s.command()}
		for i, cell := range cells {
			cells[i] = display.Printable(cell)
			if cell == "" {
				cells[i] = "-"
			}
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	t.Flush()
	return b.Bytes()
}

func (s *surveyed) pid() string {
	if s.PID == 0 {
		return ""
	}
	return strconv.Itoa(s.PID)
}

// name is the program's own rather than that of the host that runs it.
func (s *surveyed) name() string {
	if s.info.EntryAssembly != "" {
		return s.info.EntryAssembly
	}
	return s.Name
}

func (s *surveyed) user() string {
	if s.UID < 0 {
		return ""
	}
	id := strconv.Itoa(s.UID)
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return id
}

// container is as much of the id as people use, or that the process is
// somewhere else.
func (s *surveyed) container() string {
	switch {
	case s.Container != "":
		return s.Container[:12]
	case s.PID != s.NSPID:
		return fmt.Sprintf("other (%d there)", s.NSPID)
	}
	return ""
}

// command is the command line; of a process that shows none, the runtime's
// word for it, or where its port is.
func (s *surveyed) command() string {
	switch {
	case len(s.CommandLine) > 0:
		return strings.Join(s.CommandLine, " ")
	case s.info.CommandLine != "":
		return s.info.CommandLine
	}
	return s.Address
}

func (s *surveyed) appendJSON(b []byte) []byte {
	j := &jsontext.Builder{Bytes: b}
	j.Bytes = append(j.Bytes, '{')
	if s.PID != 0 {
		j.Key("pid").Number(int64(s.PID))
	}
	j.Key("nspid").Number(int64(s.NSPID))
	for _, pair := range [][2]string{
		{"name", s.name()}, {"version", s.info.Version}, {"os", s.info.OS}, {"architecture", s.info.Architecture},
		{"rid", s.info.PortableRID}, {"commandLine", s.command()}, {"user", s.user()}, {"container", s.Container}, {"port", s.Address},
	} {
		if pair[1] != "" {
			j.Key(pair[0]).Text(pair[1])
		}
	}
	if s.err != nil {
		j.Key("error").Text(s.err.Error())
		var why *eventpipe.UnreachableError
		if errors.As(s.err, &why) {
			j.Key("reason").Text(why.Reason.String())
		}
	}
	return append(j.Bytes, '}', '\n')
}
