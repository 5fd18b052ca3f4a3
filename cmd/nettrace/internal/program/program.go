// Package program assembles the commands of nettrace and runs them.
package program

import (
	"context"
	"io"
	"slices"

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
	return p.Execute(ctx, Root(p, args), args)
}

// Root returns the root command with the commands that a command line needs: making the
// flags of all takes as long as reading a small trace. Help, completions and the message about
// an unknown command need all.
func Root(p *run.Program, args []string) *cobra.Command {
	if len(args) == 0 {
		return rootWith(p, func(string) bool { return false })
	}
	switch first := args[0]; first {
	case "--version", "-v", "completion":
		return rootWith(p, func(string) bool { return false })
	case "man": // writes the pages of all
	default:
		if isCommand(first) {
			return rootWith(p, func(name string) bool { return name == first })
		}
	}
	root := rootWith(p, func(string) bool { return true })
	complete.Register(root)
	return root
}

// group is a group of commands in the help of the root command.
type group struct {
	title    string
	commands []command
}

// command makes the command with a name.
type command struct {
	name string
	make func(*run.Program) *cobra.Command
}

// develop is the group of the commands that cobra adds, and of two that are made for every
// command line: cobra adds the command completion only where there is another one.
const develop = "Develop"

// groups returns the commands in the order of the help.
func groups() []group {
	return []group{
		{"Record", []command{
			{"collect", collect.Command}, {"agent", agent.Command}, {"list-profiles", collect.ListProfilesCommand},
			{"ps", ps.Command}, {"stack", stack.Command}, {"dump", dump.Command}, {"env", env.Command}, {"perfmap", perfmap.Command},
		}},
		{"Look", []command{
			{"info", info.Command}, {"events", events.Command}, {"blocks", blocks.Command}, {"stacks", stacks.Command},
			{"top", top.Command}, {"threadtime", threadtime.Command}, {"report", report.Command}, {"view", view.Command},
			{"heap", heap.Command}, {"counters", counters.Command}, {"query", query.Command},
		}},
		{"Change", []command{
			{"convert", change.ConvertCommand}, {"slice", change.SliceCommand}, {"merge", change.MergeCommand},
			{"repair", change.RepairCommand}, {"symbolize", change.SymbolizeCommand}, {"diff", change.DiffCommand}, {"summarize", summarize.Command},
		}},
		{"Check", []command{{"check", check.Command}, {"conformance", conformance.Command}}},
		{develop, []command{{"bench", bench.Command}}},
	}
}

// isCommand reports whether groups has a command with a name.
func isCommand(name string) bool {
	return slices.ContainsFunc(groups(), func(g group) bool {
		return slices.ContainsFunc(g.commands, func(c command) bool { return c.name == name })
	})
}

// rootWith returns the root command with some of the commands of groups.
func rootWith(p *run.Program, some func(name string) bool) *cobra.Command {
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
	for _, g := range groups() {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, c := range g.commands {
			if some(c.name) {
				add(root, g.title, c.make(p))
			}
		}
	}
	add(root, develop, manCommand(p), versionCommand(p))
	root.SetHelpCommandGroupID(develop)
	root.SetCompletionCommandGroupID(develop)
	return root
}

// add adds commands of a group to the root command.
func add(root *cobra.Command, group string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.GroupID = group
	}
	root.AddCommand(commands...)
}
