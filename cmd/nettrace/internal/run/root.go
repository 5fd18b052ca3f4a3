package run

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/progress"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/internal/shortwrite"
)

// garbage is the value of GOGC where the environment has none. A program uses little
// memory until its end: more frequent collections save 3 MB and take a few milliseconds.
const garbage = 30

// collectOften sets garbage after the first collection, which is that of a heap of 4 MB. A
// short command ends before: with garbage from its start, top of 1 MB had four collections,
// a fifth of its time, and no less memory.
func collectOften() {
	runtime.AddCleanup(&[64]byte{}, func(usual int) {
		if before := debug.SetGCPercent(garbage); before != usual { // memory.Relax was called
			debug.SetGCPercent(before)
		}
	}, 100)
}

// Main runs the command line of the process with the root command of a program, and ends
// the process with the exit code.
func Main(name string, root Root) {
	// Without the signal, a write to a closed pipe returns an error, after which the program
	// ends silently.
	signal.Ignore(syscall.SIGPIPE)
	if os.Getenv("GOGC") == "" {
		collectOften()
	}
	p := &Program{Name: name, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	messages := io.Writer(os.Stderr)
	if terminal.IsTerminal(os.Stderr) {
		p.Progress = &progress.Terminal{W: os.Stderr, Now: time.Now}
		messages = p.Progress
	}
	p.Interrupts = HearInterrupts(messages, os.Exit)
	args := os.Args[1:]
	os.Exit(p.Execute(context.Background(), root(p, args), args))
}

// Execute runs a command line with a root command, and returns the exit code.
func (p *Program) Execute(ctx context.Context, root *cobra.Command, args []string) int {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1)) // merge, agent and collect --ring lower it
	if _, file := p.Stdout.(*os.File); !file {           // which never writes less than it is given
		p.Stdout = shortwrite.Writer{To: p.Stdout}
	}
	root.SetArgs(args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	prepare(root)
	if err := unknownCommand(root, args); err != nil {
		group, _, _ := root.Find(args)
		p.Finish(group, err)
		return p.Code
	}
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && ctx.Err() != nil {
		p.Complain("interrupted")
		p.Raise(exit.Interrupted)
		return p.Code
	}
	p.Finish(cmd, err)
	return p.Code
}

// prepare sets what is common to the root commands of all programs.
func prepare(root *cobra.Command) {
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		trimLists(cmd.Flags())
		return cmp.Or(refuseEmpty(cmd.Flags()), refuseMissing(cmd.Flags()), refuseNumber(cmd, args))
	}
	root.SilenceUsage, root.SilenceErrors, root.DisableAutoGenTag = true, true, true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		text, _, _ := strings.Cut(err.Error(), ": strconv.")
		return errors.New(text + cmp.Or(otherSyntax(text), wrongNumber(err), similarFlag(cmd, text)))
	})
	wrapUsage(root)
	setHelp(root)
	root.InitDefaultCompletionCmd() // it keeps the standard output that root has now
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Args = unknownCommand
		}
	}
}

// unknownCommand returns an error if a command line below a command, or the arguments of the
// command help, name a command that a group of commands does not have. cobra reports it for the
// commands of the root only, and prints the help of the group otherwise.
func unknownCommand(cmd *cobra.Command, args []string) error {
	help := cmd.HasParent()
	group, rest, err := cmd.Root().Find(args)
	switch {
	case err != nil && help:
		return err
	case err != nil || group.Runnable():
		return nil // cobra reports the error
	case group.ParseFlags(rest) != nil || group.Flags().NArg() == 0 || group.Flags().Changed("help"):
		return nil
	}
	name := group.Flags().Arg(0)
	group.SuggestionsMinimumDistance = 2 // as cobra has it for the root
	text := fmt.Sprintf("unknown command %q for %q", name, group.CommandPath())
	if names := group.SuggestionsFor(name); len(names) > 0 {
		text += "\n\nDid you mean this?\n\t" + strings.Join(names, "\n\t") + "\n"
	}
	return errors.New(text)
}

// trimLists removes white space around the values of lists with commas: 'GCStart, GCEnd'. The
// values of other flags, whose type is not stringSlice, stay as they are.
func trimLists(flags *pflag.FlagSet) {
	flags.Visit(func(f *pflag.Flag) {
		if list, ok := f.Value.(pflag.SliceValue); ok && f.Value.Type() == "stringSlice" {
			texts := list.GetSlice()
			for i, text := range texts {
				texts[i] = strings.TrimSpace(text)
			}
			_ = list.Replace(texts) // which returns no error
		}
	})
}

// refuseEmpty returns an error when the value of a flag is empty, as it is when a shell
// expands a variable that is not set. No flag accepts an empty value.
func refuseEmpty(flags *pflag.FlagSet) error {
	var err error
	flags.Visit(func(f *pflag.Flag) {
		if err == nil && emptyValue(f.Value) {
			err = fmt.Errorf("--%s: the value is empty", f.Name)
		}
	})
	return err
}

// refuseMissing returns an error for a required flag that is not given.
func refuseMissing(flags *pflag.FlagSet) error {
	var err error
	flags.VisitAll(func(f *pflag.Flag) {
		if err == nil && !f.Changed && f.Annotations[cobra.BashCompOneRequiredFlag] != nil {
			value, _ := pflag.UnquoteUsage(f)
			err = fmt.Errorf("--%s is missing: -%s %s", f.Name, f.Shorthand, value)
		}
	})
	return err
}

// refuseNumber returns an error for a number that is no file, as an argument of a command that
// also takes the id of a process.
func refuseNumber(cmd *cobra.Command, args []string) error {
	f := cmd.Flags().Lookup("process-id")
	if f == nil || f.Changed || len(args) == 0 || cmd.ArgsLenAtDash() == 0 {
		return nil
	}
	if _, err := strconv.ParseUint(args[0], 10, 31); err != nil {
		return nil
	}
	if _, err := os.Stat(args[0]); err == nil {
		return nil
	}
	return fmt.Errorf("there is no file %s; for the process with this id: %s -p %s", args[0], cmd.CommandPath(), args[0])
}

func emptyValue(v pflag.Value) bool {
	if list, ok := v.(pflag.SliceValue); ok {
		texts := list.GetSlice()
		return len(texts) == 0 || slices.Contains(texts, "")
	}
	return v.String() == ""
}

// wrapUsage wraps the help of flags in the usage of a command and of those below it.
func wrapUsage(root *cobra.Command) {
	usage := root.UsageFunc()
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		dst := cmd.OutOrStderr()
		defer cmd.SetOut(dst)
		var text bytes.Buffer
		cmd.SetOut(&text)
		if err := usage(cmd); err != nil {
			return err
		}
		flags := cmd.LocalFlags()
		_, err := io.WriteString(dst, strings.Replace(text.String(), trimRight(flags.FlagUsages()), trimRight(flags.FlagUsagesWrapped(HelpWidth)), 1))
		return err
	})
}

// trimRight removes the space at the end, as cobra does.
func trimRight(s string) string { return strings.TrimRight(s, " \n") }

// The messages of package pflag about a flag that a command does not have begin with these
// texts.
const (
	unknownFlag      = "unknown flag: --"
	unknownShorthand = "unknown shorthand flag: '"
)

// similarFlag returns the end of the message about an unknown flag: the flag of the command
// that the name most resembles, or the command above it that has the flag.
func similarFlag(cmd *cobra.Command, text string) string {
	name, long := strings.CutPrefix(text, unknownFlag)
	if long {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		if nearest := Nearest(name, names); nearest != "" {
			return "; did you mean --" + nearest + "?"
		}
	}
	letter, short := strings.CutPrefix(text, unknownShorthand)
	if above := cmd.Parent(); above != nil && (long && above.Flags().Lookup(name) != nil ||
		short && above.Flags().ShorthandLookup(letter[:1]) != nil) {
		return "; " + above.CommandPath() + " has it"
	}
	return ""
}

// wrongNumber returns the end of the message about a value that is not a number: often it is
// the file after a flag without its value.
func wrongNumber(err error) string {
	var wrong *pflag.InvalidValueError
	if !errors.As(err, &wrong) {
		return ""
	}
	f, given := wrong.GetFlag(), wrong.GetValue()
	kind := strings.TrimRight(f.Value.Type(), "0123456789")
	want := map[string]string{"int": "a whole number", "uint": "a whole number, 0 or more", "float": "a number"}[kind]
	switch {
	case want == "":
		return ""
	case given != "" && (strings.Contains("+-.0123456789", given[:1]) || !strings.ContainsAny(given, `./\`)):
		return "; want " + want
	}
	value, _ := pflag.UnquoteUsage(f)
	return "; the number is missing: --" + f.Name + " " + value
}

// otherSyntax returns the end of the message about a name as the value of -p, or about an
// unknown flag that the tools of .NET accept: they have -? for help, and a colon before a
// value.
func otherSyntax(text string) string {
	if strings.HasSuffix(text, "unknown shorthand flag: '?' in -?") {
		return "; --help prints the help"
	}
	if strings.HasSuffix(text, `"-p, --process-id" flag`) {
		return "; -p takes a number; -n, if the command has it, takes a name"
	}
	flag, ok := strings.CutPrefix(text, unknownFlag)
	name, value, colon := strings.Cut(flag, ":")
	if !ok || !colon {
		return ""
	}
	return "; the value of a flag follows =: --" + name + "=" + value
}
