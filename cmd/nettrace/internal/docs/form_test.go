package docs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestBlocks reads small files.
func TestBlocks(t *testing.T) {
	const fences = "```"
	for _, c := range []struct{ name, text, commands, faults string }{
		{"command without output", "console\n$ a", "a[]", ""},
		{"output", "console\n$ a\nb\nc", "a[b c]", ""},
		{"two commands", "console\n$ a\nb\n$ c\nd", "a[b] c[d]", ""},
		{"continued command", "console\n$ a \\\n  b\nc", "a \\\n  b[c]", ""},
		{"not checked", "console nocheck needs a process\n$ a", "nocheck needs a process: a[]", ""},
		{"no reason", "console nocheck\n$ a", "a[]", "0: the options of console are: nocheck REASON"},
		{"unknown option", "console twice x\n$ a", "nocheck x: a[]", "0: the options of console are: nocheck REASON"},
		{"no command", "console\na", "", `1: a block console begins with a command after "$ "`},
		{"empty", "console", "", "1: an empty block"},
		{"nothing compared", "console\n$ a\n...", "a[...]", "2: an output of ... alone compares nothing"},
		{"other language", "go\nx := 1", "", ""},
		{"command in another language", "sh\n$ a", "", "1: a command with its output belongs into a block console"},
		{"indented command", "go\n" + fences + "\n\n    $ a\n" + fences + "go", "", "3: a command with its output belongs into a fenced block console"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, faults := blocks(strings.Split(fences+c.text+"\n"+fences, "\n"))
			var commands, wrong []string
			for _, b := range found {
				for _, one := range b.commands {
					text := fmt.Sprintf("%s%v", one.text, one.lines)
					if b.reason != "" {
						text = "nocheck " + b.reason + ": " + text
					}
					commands = append(commands, text)
				}
			}
			for _, f := range faults {
				wrong = append(wrong, fmt.Sprintf("%d: %s", f.line, f.text))
			}
			expect.Equal(t, "commands", strings.Join(commands, " "), c.commands)
			expect.Equal(t, "faults", strings.Join(wrong, "; "), c.faults)
		})
	}
}

// TestMatches compares outputs.
func TestMatches(t *testing.T) {
	for _, c := range []struct {
		name, want, got string
		equal           bool
	}{
		{"equal", "a|b", "a|b", true},
		{"space at the end", "a|b", "a  |b", true},
		{"other line", "a|b", "a|c", false},
		{"missing line", "a", "a|b", false},
		{"additional line", "a|b", "a", false},
		{"lines left out at the end", "a|...", "a|b|c", true},
		{"lines left out in the middle", "a|...|c", "a|b|b|c", true},
		{"no line left out", "a|...|c", "a|c", true},
		{"last line differs", "a|...|c", "a|b", false},
		{"two lines left out", "...|b|...|d", "a|b|c|d", true},
		{"other order", "...|d|...|b|...", "a|b|c|d", false},
		{"text left out", "a...c", "abbc", true},
		{"text left out at the end", "a...", "abc", true},
		{"other start", "b...", "abc", false},
		{"other end", "a...d", "abc", false},
		{"part in the middle", "a...c...e", "abcde", true},
		{"part that is missing", "a...x...e", "abcde", false},
		{"ends overlap", "ab...bc", "abc", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect.Equal(t, "equal", matches(strings.Split(c.want, "|"), strings.Split(c.got, "|")), c.equal)
		})
	}
}

// TestRewrite rewrites outputs.
func TestRewrite(t *testing.T) {
	for _, c := range []struct{ name, old, got, want string }{
		{"all lines", "a|b", "c|d|e", "c|d|e"},
		{"two lines at the start", "?|?|...", "a|b|c", "a|b|..."},
		{"a line at the end", "...|?", "a|b|c", "...|c"},
		{"start and end", "?|...|?", "a|b|c", "a|...|c"},
		{"line with another number", "...|gc 1 ms|...", "a|gc 2 ms|c", "...|gc 2 ms|..."},
		{"line by its start", "...|gc?|...", "a|gc 2 ms|c", "...|gc 2 ms|..."},
		{"line that is the same", "...|gc 2|...", "gc 1|gc 2|c", "...|gc 2|..."},
		{"line that is gone", "...|x|...", "a|b", "...|..."},
		{"no output", "a|...|b", "", "|..."},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := rewrite(strings.Split(c.old, "|"), strings.Split(c.got, "|"))
			expect.Equal(t, "lines", strings.Join(got, "|"), c.want)
		})
	}
}
