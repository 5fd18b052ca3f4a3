package main

import (
	"regexp"
	"slices"
	"strings"
)

var flagLine = regexp.MustCompile(`(?m)^ +(?:(-\w), )?(--[a-z-]+)`)

// uncovered returns a line for each command and flag of the program that is
// neither in a table of commands nor in leftOut.
func (p program) uncovered() ([]string, error) {
	known := p.known()
	help, err := p.help("")
	if err != nil {
		return nil, err
	}
	var lines []string
	add := func(names ...string) {
		if !slices.ContainsFunc(names, func(name string) bool { return known[name] }) {
			lines = append(lines, names[0]+"\t"+noInput+"\tin no table of commands")
		}
	}
	for _, command := range commandNames(help) {
		if known["left out "+command] {
			continue
		}
		add(command)
		help, err := p.help(command)
		if err != nil {
			return nil, err
		}
		for _, m := range flagLine.FindAllStringSubmatch(help, -1) {
			if m[2] != "--help" {
				add(command+" "+m[2], command+" "+m[1])
			}
		}
	}
	return lines, nil
}

// known returns the names of the commands, and of flags after the command, that
// are in the tables, in the program's spelling.
func (p program) known() map[string]bool {
	known := map[string]bool{}
	lines := slices.Clone(lone)
	for _, c := range commands() {
		lines = append(lines, c.line)
	}
	for _, line := range lines {
		words := p.spelling.words(line)
		known[words[0]] = true
		for _, word := range words[1:] {
			flag, _, _ := strings.Cut(word, "=")
			known[words[0]+" "+flag] = true
		}
	}
	for _, l := range leftOut {
		words := p.spelling.words(l.name)
		known[strings.Join(words, " ")] = true
		if len(words) == 1 {
			known["left out "+words[0]] = true
		}
	}
	return known
}
