// Package choice has the flags that choose the output format of a command: --format, and
// --json, which is short for its JSON form.
package choice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Names of formats that several commands have.
const (
	Text   = "text"
	JSON   = "json"   // one object, or one on each line
	NDJSON = "ndjson" // the lines of the contract for readers
)

// Format is the value of --format and --json.
type Format struct {
	names []string
	value string
	json  bool
}

// Of returns the format with a name, for a test that has no command line.
func Of(name string) Format { return Format{value: name} }

// AddFlags adds --format to a command, with the names of its formats, and --json if one
// of them is JSON or NDJSON. value is the default; about is added to the help of --format.
// The command then refuses other values before it runs.
func (f *Format) AddFlags(cmd *cobra.Command, names []string, value, about string) {
	f.names, f.value = names, value
	cmd.Flags().StringVarP(&f.value, "format", "f", value, "output `FORMAT`: "+list(names)+about)
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	if name := f.jsonName(); name != "" {
		cmd.Flags().BoolVar(&f.json, "json", false, "the same as --format "+name)
	}
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return f.parse(cmd.Flags().Changed("format")) }
}

// AddTextFlags adds --format text or json, and --json.
func (f *Format) AddTextFlags(cmd *cobra.Command) { f.AddFlags(cmd, []string{Text, JSON}, Text, "") }

// Name returns the name of the chosen format.
func (f *Format) Name() string { return f.value }

// IsJSON reports whether the JSON form is chosen.
func (f *Format) IsJSON() bool { return f.value == JSON || f.value == NDJSON }

// jsonName returns the name that --json chooses, or an empty text.
func (f *Format) jsonName() string {
	i := slices.IndexFunc(f.names, func(n string) bool { return n == JSON || n == NDJSON })
	if i < 0 {
		return ""
	}
	return f.names[i]
}

// parse checks the values; given reports whether --format was given.
func (f *Format) parse(given bool) error {
	name := f.jsonName()
	i := slices.IndexFunc(f.names, func(n string) bool { return strings.EqualFold(n, f.value) })
	if i >= 0 {
		f.value = f.names[i]
	}
	switch {
	case given && i < 0:
		return fmt.Errorf("--format: %q is not %s", f.value, list(f.names))
	case given && f.json && f.value != name:
		return fmt.Errorf("--json is the same as --format %s: it excludes --format %s", name, f.value)
	case f.json:
		f.value = name
	}
	return nil
}

// list returns names as a text: a, b or c.
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
