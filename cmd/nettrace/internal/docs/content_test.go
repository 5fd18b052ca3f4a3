package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/analysis/parts"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestReportParts: docs/reports.md has one example of each part of report.
func TestReportParts(t *testing.T) {
	found, _ := blocks(read(t, "docs/reports.md"))
	examples := map[string]int{}
	for _, b := range found {
		for _, c := range b.commands {
			if rest, ok := strings.CutPrefix(c.text, "nettrace report "); ok && b.reason == "" {
				part, _, _ := strings.Cut(rest, " ")
				examples[part]++
			}
		}
	}
	for _, part := range parts.Names() {
		expect.Equal(t, "examples of "+part, examples[part], 1)
	}
}

// TestGoCode: the lines of each Go block of docs are lines of an example of a package,
// which go test runs. A line "..." is for any number of lines.
func TestGoCode(t *testing.T) {
	var examples []string
	for _, folder := range []string{"", "*", "*/*", "*/*/*"} {
		paths, err := filepath.Glob(filepath.Join(root, folder, "example*_test.go"))
		expect.NoError(t, err)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			expect.NoError(t, err)
			examples = append(examples, unindented(strings.Split(string(text), "\n")))
		}
	}
	expect.AtLeast(t, "files with examples", len(examples), 5)
	for _, path := range pages(t) {
		if !strings.HasPrefix(path, "docs/") {
			continue
		}
		lines := read(t, path)
		for i := 0; i < len(lines); i++ {
			opening := fence.FindStringSubmatch(lines[i])
			if opening == nil {
				continue
			}
			begin := i + 1
			for i++; !fence.MatchString(lines[i]); i++ {
			}
			if opening[1] == "go" && !within(examples, lines[begin:i]) {
				t.Errorf("%s:%d: no example has these lines", path, begin+1)
			}
		}
	}
}

// within reports whether one of the examples has the lines in this order.
func within(examples []string, lines []string) bool {
	parts := strings.Split(unindented(lines), "\n"+anyLines+"\n")
	for _, text := range examples {
		all := true
		for _, part := range parts {
			_, rest, ok := strings.Cut(text, "\n"+strings.Trim(part, "\n")+"\n")
			all, text = all && ok, "\n"+rest
		}
		if all {
			return true
		}
	}
	return false
}

// unindented returns the lines that are not empty, without white space around them.
func unindented(lines []string) string {
	var text strings.Builder
	text.WriteString("\n")
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" {
			text.WriteString(line + "\n")
		}
	}
	return text.String()
}

// TestWithin looks for lines in an example.
func TestWithin(t *testing.T) {
	for _, c := range []struct {
		name, lines string
		found       bool
	}{
		{"one line", "b()", true},
		{"indented lines", "\ta()\n\n\tb()", true},
		{"lines left out", "a()\n...\nc()", true},
		{"other line", "d()", false},
		{"part of a line", "b(", false},
		{"lines that do not follow each other", "a()\nc()", false},
		{"other order", "c()\n...\na()", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			examples := []string{unindented([]string{"x()"}), unindented([]string{"a()", "", "\tb()", "c()"})}
			expect.Equal(t, "found", within(examples, strings.Split(c.lines, "\n")), c.found)
		})
	}
}
