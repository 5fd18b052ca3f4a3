package program

import (
	"bytes"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// helpWidth is the number of columns of the help.
const helpWidth = 100

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
		_, err := io.WriteString(dst, strings.Replace(text.String(), trimRight(flags.FlagUsages()), trimRight(flags.FlagUsagesWrapped(helpWidth)), 1))
		return err
	})
}

// trimRight removes the space at the end, as cobra does.
func trimRight(s string) string { return strings.TrimRight(s, " \n") }

// otherSyntax returns the end of the message about an unknown flag that the tools of .NET
// accept: they have -? for help, and a colon before a value.
func otherSyntax(text string) string {
	if strings.HasSuffix(text, "unknown shorthand flag: '?' in -?") {
		return "; --help prints the help"
	}
	flag, ok := strings.CutPrefix(text, "unknown flag: ")
	name, value, colon := strings.Cut(flag, ":")
	if !ok || !colon {
		return ""
	}
	return "; the value of a flag follows =: " + name + "=" + value
}
