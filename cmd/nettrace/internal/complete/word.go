package complete

import (
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
)

// word is one possible value and its description.
type word struct{ text, about string }

// source returns the possible values of a flag. args are the arguments of the command
// before the word to complete.
type source func(cmd *cobra.Command, args []string) []word

// fixed returns the completion of one value.
func fixed(from source) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, start string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return matching(from(cmd, args), "", start), cobra.ShellCompDirectiveNoFileComp
	}
}

// elements returns the completion of the last value of a list with a separator.
func elements(separator byte, from source) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, start string) ([]cobra.Completion, cobra.ShellCompDirective) {
		last := strings.LastIndexByte(start, separator) + 1
		return matching(from(cmd, args), start[:last], start[last:]), cobra.ShellCompDirectiveNoFileComp
	}
}

// matching returns the words that begin with start, each after the text before. It leaves
// out words that would not be one value on the command line.
func matching(words []word, before, start string) []cobra.Completion {
	var list []cobra.Completion
	for _, w := range words {
		if w.text == "" || !hasStart(w.text, start) || strings.ContainsFunc(w.text, splits) {
			continue
		}
		c := before + w.text
		if w.about != "" {
			c = cobra.CompletionWithDesc(c, display.Printable(w.about))
		}
		list = append(list, c)
	}
	return list
}

// hasStart reports whether text begins with start, in any letter case.
func hasStart(text, start string) bool {
	return len(text) >= len(start) && strings.EqualFold(text[:len(start)], start)
}

// splits reports whether a character ends a value of a list or is not printable.
func splits(c rune) bool { return c == ',' || !unicode.IsPrint(c) }
