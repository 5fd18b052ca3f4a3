package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed renames.tsv
var renamesTable string

// rename is a flag or a command that has another spelling in newer versions of
// the program.
type rename struct {
	command  string // "-" if it is a command that was renamed
	old, new []string
}

// readRenames reads a table of the form of renames.tsv.
func readRenames(table string) ([]rename, error) {
	var all []rename
	for line := range strings.Lines(table) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(line, "\t")
		if len(columns) != 3 || slices.Contains(columns, "") {
			return nil, fmt.Errorf("renames: %q has not three columns", line)
		}
		all = append(all, rename{columns[0], strings.Fields(columns[1]), strings.Fields(columns[2])})
	}
	return all, nil
}

// spelling changes command lines from the old spelling to that of a program.
type spelling struct{ renames []rename }

// newSpelling chooses the renames that apply to the program whose help texts
// the function returns, by command; "" is the program's own help.
func newSpelling(all []rename, help func(command string) (string, error)) (spelling, error) {
	var s spelling
	for _, r := range all {
		command := r.command
		if command == "-" {
			command = ""
		}
		text, err := help(command)
		if err != nil {
			return spelling{}, err
		}
		if knows(text, command == "", r.new) {
			s.renames = append(s.renames, r)
		}
	}
	return s, nil
}

// knows reports whether a help text has all the words that are flags, or names of
// commands.
func knows(help string, commands bool, words []string) bool {
	known := strings.FieldsFunc(help, func(r rune) bool { return strings.ContainsRune(" \t\n,.;:()[]='\"", r) })
	if commands {
		known = commandNames(help)
	}
	return !slices.ContainsFunc(words, func(w string) bool {
		return (commands || strings.HasPrefix(w, "-")) && !slices.Contains(known, w)
	})
}

// notCommands are the headings of a help text that have no commands below them.
var notCommands = []string{"Usage:", "Examples:", "Flags:", "Exit codes:"}

// commandNames returns the commands that a help text lists, below one heading or below
// the headings of groups.
func commandNames(help string) []string {
	var names []string
	for section := range strings.SplitSeq(help, "\n\n") {
		heading, list, _ := strings.Cut(section, "\n")
		if !strings.HasSuffix(heading, ":") || slices.Contains(notCommands, heading) {
			continue
		}
		for line := range strings.Lines(list) {
			if fields := strings.Fields(line); len(fields) > 0 {
				names = append(names, fields[0])
			}
		}
	}
	return names
}

// words returns the words of a command line in the program's spelling.
func (s spelling) words(line string) []string {
	words := strings.Fields(line)
	for _, r := range s.renames {
		switch {
		case r.command == "-" && slices.Equal(words[:min(len(r.old), len(words))], r.old):
			words = slices.Concat(r.new, words[len(r.old):])
		case r.command == words[0]:
			words = replace(words, r.old, r.new)
		}
	}
	return words
}

// replace replaces each occurrence of old in words, also of a flag that is
// followed by an equals sign and its value.
func replace(words, old, new []string) []string {
	var out []string
	for len(words) > 0 {
		if len(words) >= len(old) && slices.Equal(words[:len(old)], old) {
			out, words = append(out, new...), words[len(old):]
			continue
		}
		word := words[0]
		if flag, value, ok := strings.Cut(word, "="); ok && slices.Equal(old, []string{flag}) {
			word = strings.Join(new, "=") + "=" + value
		}
		out, words = append(out, word), words[1:]
	}
	return out
}
