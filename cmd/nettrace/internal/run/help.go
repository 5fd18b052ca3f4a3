package run

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// HelpWidth is the number of columns of the help.
const HelpWidth = 100

// HelpLines is the number of lines of the help of a command. A longer one is shortened:
// "nettrace help --all COMMAND" and the manual page have all of it.
const HelpLines = 80

// common has the flags of a command that are used most. A shortened help describes them first.
var common = map[string][]string{
	"collect": {"process-id", "name", "output", "duration", "profile", "providers", "format", "ring", "stop-on", "rotate"},
	"convert": {"output", "format", "type", "from", "to", "force", "just-my-code", "tables", "compact", "no-tags"},
	"report":  {"output", "process-id", "duration", "format", "json", "from", "to", "page", "diff", "workers"},
	"stacks":  {"type", "event", "provider", "limit", "depth", "from", "to", "thread", "just-my-code", "format"},
	"top":     {"type", "by", "limit", "tree", "state", "thread", "just-my-code", "from", "to", "diff"},
	"view":    {"process-id", "page", "diff", "type", "state", "thread", "just-my-code", "from", "to", "listen"},
}

// flagGroups has the flags of a shortened help that are not in common by what they choose.
var flagGroups = []struct {
	title string
	names []string
}{
	{"Flags for processes", []string{
		"process-id", "name", "port", "port-mode", "port-group", "duration", "ring", "refresh-interval", "timeout", "listen", "profile", "rundown", "no-lines", "buffersize", "children",
		"kill", "drain", "resume-runtime", "show-child-io", "exit-code", "stop-on", "write-on", "cooldown", "keep", "rotate", "max-disk", "max-files", "max-size",
		"names", "no-thread-times", "sampling-interval", "no-stacks", "config", "buffering-mode", "stopping-event-event-name", "stopping-event-payload-filter", "stopping-event-provider-name",
	}},
	{"Flags that choose events and samples", []string{
		"type", "from", "to", "provider", "providers", "event", "process", "thread", "state", "class", "route", "trace", "span", "request", "focus", "ignore", "level", "keyword",
		"clrevents", "clreventlevel", "event-filter",
	}},
	{"Flags for frames and stacks", []string{
		"hide", "only", "just-my-code", "group", "fold-recursion", "raw-names", "runtime-helpers", "no-repair", "async", "physical", "addresses", "depth",
	}},
	{"Flags of the output", nil}, // all others
}

// setHelp shortens the help of commands with a long one. The command help has a flag that does
// not.
func setHelp(root *cobra.Command) {
	all := false
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		text := fullHelp(cmd)
		if !all && strings.Count(text, "\n") > HelpLines {
			text = shortHelp(cmd)
		}
		_, _ = io.WriteString(cmd.OutOrStdout(), text)
	})
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Flags().BoolVar(&all, "all", false, "print all of a help that is shortened otherwise")
		}
	}
}

// fullHelp returns the help of a command with all explanations.
func fullHelp(cmd *cobra.Command) string {
	about := cmd.Long
	if about == "" {
		about = cmd.Short
	}
	return trimRight(about) + "\n\n" + cmd.UsageString()
}

// shortHelp returns the help of a command in HelpLines lines: its usage, its flags, and the
// beginning of the explanations.
func shortHelp(cmd *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n\nUsage:\n", cmd.Short)
	if cmd.Runnable() {
		fmt.Fprintf(&b, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s [command]\n\nAvailable Commands:\n", cmd.CommandPath())
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				fmt.Fprintf(&b, "  %-11s %s\n", c.Name(), c.Short)
			}
		}
	}
	first, rest := pflag.NewFlagSet("", pflag.ContinueOnError), []*pflag.Flag(nil)
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden || f.Deprecated != "":
		case slices.Contains(common[cmd.Name()], f.Name):
			first.AddFlag(f)
		default:
			rest = append(rest, f)
		}
	})
	fmt.Fprintf(&b, "\nFlags:\n%s\n", trimRight(first.FlagUsagesWrapped(HelpWidth)))
	for _, group := range flagGroups {
		of := rest
		if group.names != nil {
			of = nil
			for _, f := range rest {
				if slices.Contains(group.names, f.Name) {
					of = append(of, f)
				}
			}
			rest = slices.DeleteFunc(rest, func(f *pflag.Flag) bool { return slices.Contains(group.names, f.Name) })
		}
		if len(of) > 0 {
			fmt.Fprintf(&b, "\n%s:\n", group.title)
		}
		for _, f := range of {
			b.WriteString(flagLine(f))
		}
	}
	end := fmt.Sprintf("\n\"%s help --all %s\" prints all of this help.\n", cmd.Root().Name(), strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" "))
	left := HelpLines - strings.Count(b.String()+end, "\n")
	examples := strings.Split(cmd.Example, "\n")
	if n := min(len(examples), left-2); n > 0 && cmd.Example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", strings.Join(examples[:n], "\n"))
		left -= n + 2
	}
	for paragraph := range strings.SplitSeq(cmd.Long, "\n\n") {
		if left -= strings.Count(paragraph, "\n") + 2; left < 0 {
			break
		}
		fmt.Fprintf(&b, "\n%s\n", trimRight(paragraph))
	}
	return b.String() + end
}

// flagLine returns the line of a flag in a shortened help: the beginning of its description.
func flagLine(f *pflag.Flag) string {
	value, about := pflag.UnquoteUsage(f)
	name := "      --" + f.Name
	if f.Shorthand != "" {
		name = "  -" + f.Shorthand + ", --" + f.Name
	}
	line := fmt.Sprintf("%-29s ", strings.TrimRight(name+" "+value, " "))
	room := HelpWidth - utf8.RuneCountInString(line)
	if utf8.RuneCountInString(about) > room {
		runes := []rune(about)[:room-4]
		short := string(runes)
		for _, end := range []string{"; ", ": ", " (", ", ", " "} {
			if i := strings.LastIndex(short, end); i > len(short)/3 {
				short = short[:i]
				break
			}
		}
		about = short + " ..."
	}
	return line + about + "\n"
}
