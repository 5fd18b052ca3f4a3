package docs

import (
	"regexp"
	"strings"
)

// block is a fenced block "console".
type block struct {
	line     int    // of its first line of text; the first line of the file is 0
	reason   string // why it is not checked; "" if it is
	commands []command
}

// command is a command with its output.
type command struct {
	line  int // of the first line of its output
	text  string
	lines []string // its output
}

// fault is a violation of the form of blocks.
type fault struct {
	line int
	text string
}

// fence begins or ends a fenced block.
var fence = regexp.MustCompile("^ *```+(.*)$")

// blocks returns the console blocks of a Markdown file.
func blocks(lines []string) (found []block, faults []fault) {
	for i := 0; i < len(lines); i++ {
		opening := fence.FindStringSubmatch(lines[i])
		if opening == nil {
			if strings.HasPrefix(lines[i], "    $ ") {
				faults = append(faults, fault{i, "a command with its output belongs into a fenced block console"})
			}
			continue
		}
		begin, end := i+1, i+1
		for end < len(lines) && !fence.MatchString(lines[end]) {
			end++
		}
		i = end
		language, options, _ := strings.Cut(strings.TrimSpace(opening[1]), " ")
		if language != "console" {
			faults = append(faults, prompts(lines[:end], begin)...)
			continue
		}
		b, wrong := console(lines[:end], begin, options)
		found = append(found, b)
		faults = append(faults, wrong...)
	}
	return found, faults
}

// prompts returns a fault for each line that looks like a command of a console.
func prompts(lines []string, begin int) (faults []fault) {
	for i := begin; i < len(lines); i++ {
		if strings.HasPrefix(lines[i], "$ ") {
			faults = append(faults, fault{i, "a command with its output belongs into a block console"})
		}
	}
	return faults
}

// console returns the block that begins at a line and ends with the last one.
func console(lines []string, begin int, options string) (b block, faults []fault) {
	b.line = begin
	if options != "" {
		word, reason, _ := strings.Cut(options, " ")
		b.reason = reason
		if word != "nocheck" || reason == "" {
			faults = append(faults, fault{begin - 1, "the options of console are: nocheck REASON"})
		}
	}
	for i := begin; i < len(lines); i++ {
		text, ok := strings.CutPrefix(lines[i], "$ ")
		if !ok {
			faults = append(faults, fault{i, "a block console begins with a command after \"$ \""})
			return b, faults
		}
		for strings.HasSuffix(text, `\`) && i+1 < len(lines) {
			i++
			text += "\n" + lines[i]
		}
		c := command{line: i + 1, text: text}
		for i+1 < len(lines) && !strings.HasPrefix(lines[i+1], "$ ") {
			i++
			c.lines = append(c.lines, lines[i])
		}
		if len(c.lines) == 1 && c.lines[0] == anyLines {
			faults = append(faults, fault{c.line, "an output of ... alone compares nothing"})
		}
		b.commands = append(b.commands, c)
	}
	if len(b.commands) == 0 {
		faults = append(faults, fault{begin, "an empty block"})
	}
	return b, faults
}
