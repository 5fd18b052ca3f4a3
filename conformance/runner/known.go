package runner

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/conformance/cases"
)

// Known are the cases that a reader is known not to pass, with the reasons.
type Known map[string]string

// ParseKnown reads a file of known failures: a line that begins with # gives the
// reason of the cases that stand below it, one a line. A line of two # is a
// comment.
func ParseKnown(src io.Reader) (Known, error) {
	known := Known{}
	reason := ""
	all := cases.All()
	scan := bufio.NewScanner(src)
	for n := 1; scan.Scan(); n++ {
		text := strings.TrimSpace(scan.Text())
		switch {
		case text == "", strings.HasPrefix(text, "##"):
		case strings.HasPrefix(text, "#"):
			reason = strings.TrimSpace(text[1:])
		case reason == "":
			return nil, fmt.Errorf("line %d: %s has no reason above it", n, text)
		case known[text] != "":
			return nil, fmt.Errorf("line %d: %s stands there already", n, text)
		case !slices.ContainsFunc(all, func(c cases.Case) bool { return c.Name == text }):
			return nil, fmt.Errorf("line %d: no case is called %s", n, text)
		default:
			known[text] = reason
		}
	}
	return known, scan.Err()
}
