// Package complete has the completions of the shell: the values of flags and the arguments
// of commands.
package complete

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// values has the completions of flags by name. A flag has the same meaning in all commands.
// A command can add other completions itself, and they precede these.
var values = map[string]cobra.CompletionFunc{
	"process-id":    fixed(processIDs),
	"name":          fixed(programs),
	"provider":      elements(',', providers),
	"providers":     elements(',', knownProviders),
	"event":         elements(',', events),
	"level":         fixed(levels),
	"clreventlevel": fixed(levels),
	"clrevents":     elements('+', runtimeKeywords),
	"profile":       elements(',', profiles),
	"rules":         fixed(ruleSets),
	"fail-on":       fixed(severities),
	"explain":       fixed(rules),
	"ignore":        elements(',', ignored),
	"only":          cases,
	"write-on":      fixed(measures),
	"config":        extensions("toml", "json"),
	"diff":          extensions(traces...),
}

// traces are the extensions of files that the commands read. Their contents decide: a file
// with another name is read too.
var traces = []string{"nettrace", "netperf", "zst", "gz"}

// files are the names of values that are paths. The shell completes them.
var files = []string{"FILE", "OUT"}

// arguments has the completions of arguments by their names in the usage of a command. The
// first name in the usage counts.
var arguments = []struct {
	name     string
	max      int // number of arguments; 0: any
	complete cobra.CompletionFunc
}{
	{"FILE...", 0, extensions(traces...)},
	{"FILE", 1, extensions(traces...)},
	{"A B", 2, extensions(traces...)},
	{"DIR", 1, folders},
	{"PATTERN...", 0, cases},
	{"COMMAND", 0, command},
}

// Register adds completions to a command and to all commands below it.
func Register(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { registerFlag(cmd, f) })
	if !cmd.HasSubCommands() && cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = argument(cmd.Use)
	}
	for _, c := range cmd.Commands() {
		Register(c)
	}
}

// registerFlag adds the completion of a flag. Values that are neither known nor files have
// no completions.
func registerFlag(cmd *cobra.Command, f *pflag.Flag) {
	if _, exists := cmd.GetFlagCompletionFunc(f.Name); exists {
		return
	}
	value, _ := pflag.UnquoteUsage(f)
	complete, known := values[f.Name]
	switch {
	case known:
	case slices.Contains(files, value):
		return
	default:
		complete = cobra.NoFileCompletions
	}
	_ = cmd.RegisterFlagCompletionFunc(f.Name, complete)
}

// argument returns the completion of the arguments of a command with a usage.
func argument(usage string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if cmd.ArgsLenAtDash() < len(args) { // cobra appends -- to the arguments: an earlier one is of the user
			return command(cmd, args, word)
		}
		for _, a := range arguments {
			if !strings.Contains(usage, a.name) {
				continue
			}
			if a.max > 0 && len(args) >= a.max {
				break
			}
			return a.complete(cmd, args, word)
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// extensions returns the completion of files with these extensions, and of folders.
func extensions(names ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(names, cobra.ShellCompDirectiveFilterFileExt)
}

// command leaves the completion to the shell.
func command(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// folders completes folders.
func folders(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}
