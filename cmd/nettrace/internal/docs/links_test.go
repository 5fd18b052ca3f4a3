package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/nettrace-go/nettrace/internal/expect"
)

var (
	// link is a link or a picture of Markdown; its target is the first group.
	link = regexp.MustCompile(`\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)`)
	// code is text of a line that is no Markdown.
	code = regexp.MustCompile("`[^`]*`")
	// heading is the text of a heading.
	heading = regexp.MustCompile(`^#{1,6} +(.*?)[ #]*$`)
	// linkText is a link within a heading.
	linkText = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// TestLinks checks that each link to a file of the repository has a file, and each
// link to a heading has a heading. It does not check addresses of other sites.
func TestLinks(t *testing.T) {
	files, others := 0, 0
	for _, path := range pages(t) {
		for n, line := range prose(read(t, path)) {
			for _, found := range link.FindAllStringSubmatch(code.ReplaceAllString(line, "``"), -1) {
				if strings.Contains(found[1], "://") || strings.HasPrefix(found[1], "mailto:") {
					others++
					continue
				}
				files++
				if why := broken(t, path, found[1]); why != "" {
					t.Errorf("%s:%d: %s: %s", path, n+1, found[1], why)
				}
			}
		}
	}
	t.Logf("%d links within the repository checked, %d to other sites not checked", files, others)
	expect.AtLeast(t, "links within the repository", files, 50)
}

// broken returns what is wrong with a link of a page, or "".
func broken(t *testing.T, path, target string) string {
	file, anchor, _ := strings.Cut(target, "#")
	if file != "" {
		path = filepath.ToSlash(filepath.Join(filepath.Dir(path), file))
	}
	if strings.HasPrefix(path, "..") {
		return "the file is outside of the repository"
	}
	if _, err := os.Stat(filepath.Join(root, path)); err != nil {
		return "there is no such file"
	}
	if anchor == "" {
		return ""
	}
	if !anchors(read(t, path))[anchor] {
		return "there is no such heading"
	}
	return ""
}

// prose returns the lines of a page; those of fenced blocks are empty.
func prose(lines []string) []string {
	result, inside := make([]string, len(lines)), false
	for i, line := range lines {
		if fence.MatchString(line) {
			inside = !inside
		} else if !inside {
			result[i] = line
		}
	}
	return result
}

// anchors returns the names of the headings of a page, as GitHub makes them.
func anchors(lines []string) map[string]bool {
	names := map[string]bool{}
	for _, line := range prose(lines) {
		found := heading.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		name := slug(linkText.ReplaceAllString(found[1], "$1"))
		for k, first := 1, name; names[name]; k++ {
			name = first + "-" + strconv.Itoa(k)
		}
		names[name] = true
	}
	return names
}

// slug is the name of a heading in a link: lower case, without punctuation, and with
// a dash for each space.
func slug(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// TestAnchors makes the names of headings.
func TestAnchors(t *testing.T) {
	for _, c := range []struct{ name, text, anchor string }{
		{"words", "## Find a hot path", "find-a-hot-path"},
		{"punctuation", "# Wall, running, CPU?", "wall-running-cpu"},
		{"code", "### `blocks --fields`", "blocks---fields"},
		{"link", "## [The codec](../codec/doc.go)", "the-codec"},
		{"second heading with this text", "# A\n## A", "a-1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if names := anchors(strings.Split(c.text, "\n")); !names[c.anchor] {
				t.Errorf("got %v, want %s", names, c.anchor)
			}
		})
	}
	t.Run("within a fenced block", func(t *testing.T) {
		expect.Equal(t, "headings", len(anchors([]string{"```", "# a", "```"})), 0)
	})
}

// TestReachable: each page of docs is linked from its table of contents.
func TestReachable(t *testing.T) {
	contents := strings.Join(read(t, "docs/README.md"), "\n")
	for _, path := range pages(t) {
		if name, ok := strings.CutPrefix(path, "docs/"); ok && name != "README.md" {
			t.Run(name, func(t *testing.T) { expect.Contains(t, "docs/README.md", contents, "]("+name) })
		}
	}
}
