package complete

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/analysis/trigger"
	"github.com/nettrace-go/nettrace/codec/rule"
	suite "github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/conformance/check"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
)

// levels returns the names of the levels of events.
func levels(*cobra.Command, []string) []word {
	return []word{{"critical", "1"}, {"error", "2"}, {"warning", "3"}, {"informational", "4"}, {"verbose", "5"}}
}

// profiles returns the profiles of collect.
func profiles(*cobra.Command, []string) (words []word) {
	for _, p := range provider.Profiles {
		words = append(words, word{p.Name, p.Description})
	}
	return words
}

// knownProviders returns the providers of the profiles.
func knownProviders(*cobra.Command, []string) (words []word) {
	for _, profile := range provider.Profiles {
		for _, p := range profile.Providers {
			if w := (word{text: p.Name}); !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	return words
}

// runtimeKeywords returns the names of the keywords of the runtime.
func runtimeKeywords(*cobra.Command, []string) (words []word) {
	for _, k := range provider.RuntimeKeywords {
		words = append(words, word{k.Name, fmt.Sprintf("%#x", k.Mask)})
	}
	return words
}

// measures returns the beginnings of rules that need no name of a process.
func measures(*cobra.Command, []string) (words []word) {
	for _, name := range trigger.Measures() {
		words = append(words, word{text: name + " > "})
	}
	return words
}

// ruleSets returns the rule sets of check.
func ruleSets(*cobra.Command, []string) (words []word) {
	for _, p := range check.Profiles {
		words = append(words, word{text: string(p)})
	}
	return words
}

// severities returns the values of --fail-on.
func severities(*cobra.Command, []string) []word {
	return []word{{text: "error"}, {text: "warning"}, {text: "information"}, {text: "never"}}
}

// rules returns the names of the rules.
func rules(*cobra.Command, []string) (words []word) {
	for r := range rule.All() {
		words = append(words, word{r.Name, r.Sentence})
	}
	return words
}

// ignored returns what --ignore accepts: the fields that diff compares, or rules.
func ignored(cmd *cobra.Command, args []string) (words []word) {
	if cmd.Name() != "diff" {
		return rules(cmd, args)
	}
	for _, field := range edit.DiffFields() {
		words = append(words, word{text: field})
	}
	return words
}

// fault returns the rule that a case breaks, or nothing.
func fault(c *suite.Case) string {
	if c.Fault.Rule == rule.None {
		return ""
	}
	return c.Fault.Rule.String()
}

// cases completes the name of a conformance case up to its next slash: the grade, the
// block, then the case.
func cases(_ *cobra.Command, _ []string, start string) ([]cobra.Completion, cobra.ShellCompDirective) {
	comma := strings.LastIndexByte(start, ',') + 1
	before, start := start[:comma], start[comma:]
	counts := map[string]int{}
	var words []word
	for _, c := range suite.All() {
		rest, ok := strings.CutPrefix(c.Name, start)
		slash := strings.IndexByte(rest, '/') + 1
		switch part := c.Name[:len(c.Name)-len(rest)+slash]; {
		case !ok:
		case slash == 0:
			words = append(words, word{c.Name, fault(&c)})
		case counts[part] == 0:
			words = append(words, word{text: part})
			fallthrough
		default:
			counts[part]++
		}
	}
	directive := cobra.ShellCompDirectiveNoFileComp
	for i := range words {
		if n := counts[words[i].text]; n > 0 {
			words[i].about = fmt.Sprintf("%d cases", n)
			directive |= cobra.ShellCompDirectiveNoSpace
		}
	}
	return matching(words, before, start), directive
}
