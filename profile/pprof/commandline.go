package pprof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// longestCommandLine is the length in characters to which command lines are
// shortened.
const longestCommandLine = 500

// commandLines are comments with the command lines of the processes, shortened.
func commandLines(p *profile.Profile, types []profile.Type) []string {
	var list []string
	processes := calltree.Processes(p, types...)
	for _, process := range processes {
		switch text := shorten(process.CommandLine, longestCommandLine); {
		case text == "":
		case len(processes) == 1:
			list = append(list, "command line: "+text)
		default:
			list = append(list, fmt.Sprintf("command line of process %d: %s", process.ID, text))
		}
	}
	return list
}

// ellipsis replaces the removed part of an argument.
const ellipsis = "..."

// shorten returns a command line of at most longest characters: it removes the
// middle of the longest arguments, so that these have the same length. If there
// are too many arguments even then, it replaces the last ones by their number.
func shorten(line string, longest int) string {
	if len([]rune(line)) <= longest {
		return line
	}
	const shortest = 2*4 + len(ellipsis) // four characters of each end are kept
	words := strings.Fields(line)
	arguments := make([][]rune, len(words))
	for i, word := range words {
		arguments[i] = []rune(word)
	}
	rest := ""
	if fits := longest / (shortest + 1); len(arguments) > fits {
		fits -= 2 // for the text that counts the others
		rest = fmt.Sprintf(" (%d more arguments)", len(arguments)-fits)
		arguments = arguments[:fits]
	}
	length := common(arguments, longest-len(rest))
	var b strings.Builder
	for i, a := range arguments {
		if i > 0 {
			b.WriteByte(' ')
		}
		if len(a) > length {
			head := (length - len(ellipsis) + 1) / 2
			a = slices.Concat(a[:head], []rune(ellipsis), a[len(a)-(length-len(ellipsis)-head):])
		}
		b.WriteString(string(a))
	}
	return b.String() + rest
}

// common returns the greatest length of arguments such that they and the spaces
// between them have at most longest characters.
func common(arguments [][]rune, longest int) int {
	longest -= len(arguments) - 1
	lengths := make([]int, len(arguments))
	for i, a := range arguments {
		lengths[i] = len(a)
	}
	slices.Sort(lengths)
	for i, length := range lengths {
		if each := longest / (len(lengths) - i); length > each {
			return each
		}
		longest -= length
	}
	return lengths[len(lengths)-1]
}
