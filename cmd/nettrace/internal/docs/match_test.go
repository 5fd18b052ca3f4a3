package docs

import (
	"slices"
	"strings"
)

// anyLines is a line that is for any number of lines; within a line, for any text.
const anyLines = "..."

// matches reports whether the output of a command is that of the page.
func matches(want, got []string) bool {
	for i, line := range want {
		if line == anyLines {
			for skip := range len(got) - i + 1 {
				if matches(want[i+1:], got[i+skip:]) {
					return true
				}
			}
			return false
		}
		if i == len(got) || !lineMatches(line, got[i]) {
			return false
		}
	}
	return len(want) == len(got)
}

// lineMatches reports whether a line of output is that of the page. White space at
// the end does not matter.
func lineMatches(want, got string) bool {
	want, got = strings.TrimRight(want, " "), strings.TrimRight(got, " ")
	parts := strings.Split(want, anyLines)
	if len(parts) == 1 {
		return want == got
	}
	first, last := parts[0], parts[len(parts)-1]
	if !strings.HasPrefix(got, first) {
		return false
	}
	got = got[len(first):]
	for _, part := range parts[1 : len(parts)-1] {
		_, rest, ok := strings.Cut(got, part)
		if !ok {
			return false
		}
		got = rest
	}
	return strings.HasSuffix(got, last)
}

// rewrite returns new lines for the output of a page. Before the first line "..." and
// after the last one it has as many lines as before. Of those between two lines "..."
// it keeps each one that occurs; for one that does not it takes the next line that begins
// with the same text before the first digit. It ignores white space at the start.
func rewrite(old, got []string) []string {
	first := slices.Index(old, anyLines)
	if first < 0 {
		return got
	}
	last := len(old) - 1
	for old[last] != anyLines {
		last--
	}
	head, tail := min(first, len(got)), min(len(old)-1-last, len(got))
	result := slices.Concat(got[:head], []string{anyLines})
	rest := got[head:max(head, len(got)-tail)]
	for _, line := range old[first+1 : max(last, first+1)] {
		if line == anyLines {
			result = append(result, anyLines)
			continue
		}
		if k := slices.IndexFunc(rest, likeLine(rest, line)); k >= 0 {
			result, rest = append(result, rest[k]), rest[k+1:]
		}
	}
	if last > first {
		result = append(result, anyLines)
	}
	return append(result, got[max(head, len(got)-tail):]...)
}

// likeLine returns a function that finds the line for an old one in the rest of an output.
func likeLine(rest []string, line string) func(string) bool {
	line = strings.TrimSpace(line)
	equal := func(s string) bool { return strings.TrimSpace(s) == line }
	if slices.ContainsFunc(rest, equal) {
		return equal
	}
	start, _, _ := strings.Cut(line, "?")
	if k := strings.IndexAny(start, "0123456789"); k >= 0 {
		start = start[:k]
	}
	return func(s string) bool { return strings.HasPrefix(strings.TrimSpace(s), start) }
}
