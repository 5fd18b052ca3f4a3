package program

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
)

// writeMan writes the manual pages of a command and of those below it to a folder.
func writeMan(cmd *cobra.Command, folder string) error {
	cmd.InitDefaultHelpCmd()
	cmd.InitDefaultHelpFlag()
	if err := os.WriteFile(filepath.Join(folder, manName(cmd)+".1"), manPage(cmd), 0o666); err != nil {
		return exit.With(exit.Usage, err)
	}
	for _, c := range cmd.Commands() {
		if !c.IsAvailableCommand() {
			continue
		}
		if err := writeMan(c, folder); err != nil {
			return err
		}
	}
	return nil
}

// manName returns the title of the page of a command: "nettrace-report-gc".
func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manPage returns the page of a command for the program man: its help with the macros of
// man(7). The lines of the help stay as they are, because they have tables.
func manPage(cmd *cobra.Command) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %q 1 \"\" nettrace nettrace\n", strings.ToUpper(manName(cmd)))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(manName(cmd)), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(cmd.UseLine()))
	long := cmd.Long
	if long == "" {
		long = cmd.Short
	}
	fmt.Fprintf(&b, ".SH DESCRIPTION\n.nf\n%s\n.fi\n", roff(long))
	manFlags(&b, "OPTIONS", cmd.NonInheritedFlags())
	manFlags(&b, "OPTIONS OF ALL COMMANDS", cmd.InheritedFlags())
	if cmd.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(cmd.Example))
	}
	var others []string
	if cmd.HasParent() {
		others = append(others, manName(cmd.Parent()))
	}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			others = append(others, manName(c))
		}
	}
	for i, name := range others {
		others[i] = "\\fB" + roff(name) + "\\fP(1)"
	}
	if len(others) > 0 {
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", strings.Join(others, ", "))
	}
	return []byte(b.String())
}

// manFlags adds a section with flags.
func manFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Deprecated != "" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		b.WriteString(".TP\n")
		if f.Shorthand != "" {
			fmt.Fprintf(b, "\\fB\\-%s\\fP, ", f.Shorthand)
		}
		fmt.Fprintf(b, "\\fB\\-\\-%s\\fP", roff(f.Name))
		if value != "" {
			fmt.Fprintf(b, " \\fI%s\\fP", roff(value))
		}
		fmt.Fprintf(b, "\n%s\n", roff(usage))
	})
}

// roff returns text without characters that have a meaning for man.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
