package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
)

// clone is the folder of the clone.
const clone = "../.."

// outline has what links of and to a page need.
type outline struct {
	targets []string        // of its links and pictures
	names   map[string]bool // of its headings
}

func outlineOf(t *testing.T, path string) outline {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(clone, path))
	if err != nil {
		t.Fatal(err)
	}
	o := outline{names: map[string]bool{}}
	visit(parse(text), func(n ast.Node) {
		if link := destination(n); link != nil {
			o.targets = append(o.targets, string(*link))
		}
		if n.Kind() == ast.KindHeading {
			name, _ := n.AttributeString("id")
			o.names[string(name.([]byte))] = true
		}
	})
	return o
}

// TestLinks checks that each link of a Markdown file to a file of the repository has a
// file, and each link to a heading has a heading. It does not check addresses of other sites.
func TestLinks(t *testing.T) {
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md")
	cmd.Dir = clone
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("the files of the repository are unknown: git ls-files: %v", err)
	}
	files, others := 0, 0
	for path := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		if _, err := os.Stat(filepath.Join(clone, path)); err != nil {
			continue // removed, and not yet committed
		}
		for _, target := range outlineOf(t, path).targets {
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				others++
				continue
			}
			files++
			if why := broken(t, path, target); why != "" {
				t.Errorf("%s: %s: %s", path, target, why)
			}
		}
	}
	t.Logf("%d links within the repository checked, %d to other sites not checked", files, others)
	if files < 50 {
		t.Errorf("got %d links within the repository, want at least 50", files)
	}
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
	if _, err := os.Stat(filepath.Join(clone, path)); err != nil {
		return "there is no such file"
	}
	if anchor != "" && !outlineOf(t, path).names[anchor] {
		return "there is no such heading"
	}
	return ""
}

// TestBroken checks what TestLinks reports.
func TestBroken(t *testing.T) {
	for _, c := range []struct{ name, target, want string }{
		{"file", "../SECURITY.md", ""},
		{"folder", "pictures", ""},
		{"heading", "../SECURITY.md#verify-a-release", ""},
		{"heading of this page", "#before-you-start", ""},
		{"missing file", "none.md", "there is no such file"},
		{"missing heading", "../SECURITY.md#none", "there is no such heading"},
		{"above the clone", "../../x.md", "the file is outside of the repository"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := broken(t, "docs/README.md", c.target); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
