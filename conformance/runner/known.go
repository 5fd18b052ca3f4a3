package runner

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/conformance/cases"
)

// Known has the reasons of known failures by the name of the case.
type Known map[string]string

// ParseKnown reads a file of known failures. A line that begins with # has the
// reason for the names of cases in the lines after it. A line that begins with
// ## is a comment.
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
			return nil, fmt.Errorf("line %d: %s is listed twice", n, text)
		case !slices.ContainsFunc(all, func(c cases.Case) bool { return c.Name == text }):
			return nil, fmt.Errorf("line %d: no case is called %s", n, text)
		default:
			known[text] = reason
		}
	}
	return known, scan.Err()
}
