// Package program assembles the commands of nettrace and runs them.
package program

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/agent"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/bench"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/blocks"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/change"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/check"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/collect"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/complete"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/conformance"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/counters"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/dump"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/env"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/events"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/heap"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/info"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/perfmap"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/ps"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/query"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/report"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/stack"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/stacks"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/summarize"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/threadtime"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/top"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/view"
)

// Run runs a command line and returns the exit code. It never ends the process and listens
// for no signals.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return RunContext(context.Background(), args, stdin, stdout, stderr)
}

// RunContext is Run with a context. When it is done, the commands that read traces to the
// end stop, leave no output and return the exit code of an interrupted program.
func RunContext(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return execute(ctx, &run.Program{Stdin: stdin, Stdout: stdout, Stderr: stderr}, args)
}

// execute runs a command line and returns the exit code.
func execute(ctx context.Context, p *run.Program, args []string) int {
	return p.Execute(ctx, Root(p), args)
}

// Root returns the root command with all commands.
func Root(p *run.Program) *cobra.Command {
	p.Root = Root
	root := &cobra.Command{
		Use:   "nettrace",
		Short: "Record, print, check and change NetTrace files",
		Long:  rootHelp,
	}
	version := addVersionFlag(root)
	root.RunE = func(*cobra.Command, []string) error {
		text := firstSteps
		if *version {
			text = versionText() + "\n"
		}
		_, err := io.WriteString(p.Stdout, text)
		return exit.WriteError(err)
	}
	addGroup(root, "Record", collect.Command(p), agent.Command(p), collect.ListProfilesCommand(p), ps.Command(p), stack.Command(p), dump.Command(p), env.Command(p), perfmap.Command(p))
	addGroup(root, "Look", info.Command(p), events.Command(p), blocks.Command(p), stacks.Command(p), top.Command(p), threadtime.Command(p), report.Command(p), view.Command(p), heap.Command(p), counters.Command(p), query.Command(p))
	addGroup(root, "Change", change.ConvertCommand(p), change.SliceCommand(p), change.MergeCommand(p), change.RepairCommand(p), change.DiffCommand(p), summarize.Command(p))
	addGroup(root, "Check", check.Command(p), conformance.Command(p))
	addGroup(root, develop, bench.Command(p), manCommand(p), versionCommand(p))
	root.SetHelpCommandGroupID(develop)
	root.SetCompletionCommandGroupID(develop)
	complete.Register(root)
	return root
}

// develop is the group of the commands that cobra adds.
const develop = "Develop"

// addGroup adds commands to the root command, which lists them under a title in its help.
func addGroup(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title + ":"})
	for _, c := range commands {
		c.GroupID = title
	}
	root.AddCommand(commands...)
}
