package agent

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestNamespace: the namespace comes from a regular file of the container only.
func TestNamespace(t *testing.T) {
	const file = "secrets/kubernetes.io/serviceaccount/namespace"
	outside := filepath.Join(t.TempDir(), "outside")
	expect.NoError(t, os.WriteFile(outside, []byte("outside"), 0o600))
	write := func(text string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) { expect.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
	}
	for _, c := range []struct {
		name, parent string
		make         func(t *testing.T, path string)
		want         string
	}{
		{"run", "run", write("shop\n"), "shop"},
		{"var/run", "var/run", write("shop\n"), "shop"},
		{"long", "run", write(strings.Repeat("a", 1000)), strings.Repeat("a", 256)},
		{"link outside", "run", func(t *testing.T, path string) { expect.NoError(t, os.Symlink(outside, path)) }, ""},
		{"relative link outside", "run", func(t *testing.T, path string) {
			relative, err := filepath.Rel(filepath.Dir(path), outside)
			expect.NoError(t, err)
			expect.NoError(t, os.Symlink(relative, path))
		}, ""},
		{"link inside", "run", func(t *testing.T, path string) {
			write("shop")(t, filepath.Join(filepath.Dir(path), "data"))
			expect.NoError(t, os.Symlink("data", path))
		}, "shop"},
		{"FIFO", "run", func(t *testing.T, path string) {
			if err := exec.Command("mkfifo", path).Run(); err != nil {
				t.Skip(err)
			}
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			path := filepath.Join(root, c.parent, file)
			expect.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			if c.parent == "run" { // as images of Debian have it
				expect.NoError(t, os.Mkdir(filepath.Join(root, "var"), 0o700))
				expect.NoError(t, os.Symlink("/run", filepath.Join(root, "var/run")))
			}
			c.make(t, path)
			expect.Equal(t, "namespace", namespaceIn(root), c.want)
		})
	}
}
