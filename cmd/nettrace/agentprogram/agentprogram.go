// Package agentprogram makes programs that do what nettrace agent does, and send
// profiles to further types of targets: to receivers whose libraries are too large for
// nettrace. The program nettrace-otlp (integrations/otlp) is one.
package agentprogram

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/agent/delivery"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/agent"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
)

// Program is an agent with further types of targets.
type Program struct {
	// Name is the name of the program.
	Name string
	// Targets has the further types by their names in the configuration: each makes
	// a target of a client. In the configuration such a target has the keys of
	// requests, such as url and headers.
	Targets map[string]func(*delivery.Client) delivery.Target
	// Push is the type of the target of the flag --push.
	Push string
	// Server is an address of such a target, for the help: http://collector:4318.
	Server string
}

// Main runs the command line of the process, and ends the process with the exit code.
func (p *Program) Main() { run.Main(p.Name, p.root) }

// Run runs a command line and returns the exit code.
func (p *Program) Run(args []string, stdout, stderr io.Writer) int {
	r := &run.Program{Name: p.Name, Stdin: strings.NewReader(""), Stdout: stdout, Stderr: stderr}
	return r.Execute(context.Background(), p.root(r, args), args)
}

// root returns the root command.
func (p *Program) root(r *run.Program, _ []string) *cobra.Command {
	v := agent.Variant{Name: p.Name, Push: p.Push, Server: p.Server, Types: "those of nettrace agent", Targets: p.Targets}
	return v.Command(r)
}
