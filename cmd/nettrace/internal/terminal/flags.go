package terminal

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Flags holds the values of --wide and --color.
type Flags struct {
	wide  bool
	color when
}

// AddFlags adds --wide and --color to a command.
func (f *Flags) AddFlags(cmd *cobra.Command) {
	f.AddWideFlag(cmd)
	f.AddColorFlag(cmd)
}

// Wide reports whether --wide is given.
func (f *Flags) Wide() bool { return f.wide }

// AddWideFlag adds --wide to a command that prints no colours.
func (f *Flags) AddWideFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.wide, "wide", false, "do not shorten lines to the width of the terminal")
}

// AddColorFlag adds --color to a command whose lines are not shortened.
func (f *Flags) AddColorFlag(cmd *cobra.Command) {
	f.color = auto
	cmd.Flags().Var(&f.color, "color", "print colours `WHEN`: "+strings.Join(whens, ", ")+"; auto: on a terminal, unless NO_COLOR is set")
	_ = cmd.RegisterFlagCompletionFunc("color", cobra.FixedCompletions(whens, cobra.ShellCompDirectiveNoFileComp))
}

// Screen returns what the flags and the environment say about standard output.
func (f *Flags) Screen(stdout io.Writer) Screen {
	s := Screen{Terminal: IsTerminal(stdout)}
	if !f.wide {
		s.Width = Width(stdout)
	}
	switch f.color {
	case always:
		s.Colors = true
	case auto:
		s.Colors = s.Terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	if s.Colors && s.Terminal {
		s.Colors = enableEscapes(stdout)
	}
	return s
}

// when is the value of --color.
type when string

const (
	auto   when = "auto"
	always when = "always"
	never  when = "never"
)

var whens = []string{string(auto), string(always), string(never)}

// String returns the value.
func (w *when) String() string { return string(*w) }

// Type returns the type of the value.
func (w *when) Type() string { return "string" }

// Set sets the value. The program refuses empty values of all flags.
func (w *when) Set(value string) error {
	if value != "" && !slices.Contains(whens, value) {
		return fmt.Errorf("%q is not auto, always or never", value)
	}
	*w = when(value)
	return nil
}
