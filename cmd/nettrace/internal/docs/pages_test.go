package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// root is the folder of the clone.
const root = "../../../.."

// pages returns the paths of the Markdown files of the clone, within the root.
func pages(t *testing.T) []string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("the files of the repository are unknown: git ls-files: %v", err)
	}
	paths := strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
	return slices.DeleteFunc(paths, func(path string) bool {
		_, err := os.Stat(filepath.Join(root, path))
		return err != nil // removed, and not yet committed
	})
}

// read returns the lines of a page.
func read(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}
