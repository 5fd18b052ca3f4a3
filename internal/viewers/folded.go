package viewers

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseFolded reads lines in the form that flamegraph.pl takes, and adds up
// their numbers: frames root first between semicolons, none of them empty, a
// space, a positive number. No stack comes twice.
func ParseFolded(text string) (stacks map[string]int64, sum int64, err error) {
	stacks = map[string]int64{}
	for line := range strings.Lines(text) {
		line, whole := strings.CutSuffix(line, "\n")
		space := strings.LastIndexByte(line, ' ')
		if !whole || space < 1 {
			return nil, 0, fmt.Errorf("line %q", line)
		}
		stack := line[:space]
		n, err := strconv.ParseInt(line[space+1:], 10, 64)
		switch {
		case err != nil || n <= 0:
			return nil, 0, fmt.Errorf("line %q: no positive number", line)
		case strings.Contains(";"+stack+";", ";;"):
			return nil, 0, fmt.Errorf("line %q: an empty frame", line)
		case stacks[stack] != 0:
			return nil, 0, fmt.Errorf("twice: %q", stack)
		}
		stacks[stack] = n
		sum += n
	}
	return stacks, sum, nil
}
