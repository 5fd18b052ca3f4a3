package ci

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestTidy: .ci/tidy --diff reports a module that is not tidy, and says so if it cannot
// check a module because go mod tidy finds neither the modules nor a network.
func TestTidy(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("not run: make lint is a command for Linux")
	}
	script, err := os.ReadFile("../../.ci/tidy")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, sum, source, want string }{
		{"tidy", "", "package m\n", ""},
		{"not tidy", "example.com/unused v1.0.0/go.mod h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n", "package m\n", "not tidy: .: run make tidy"},
		{"without a network", "", "package m\n\nimport _ \"example.com/absent\"\n", ".: go mod tidy failed: it needs the modules in the module cache, or a network"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{".ci/tidy": string(script), "go.mod": "module m\n\ngo 1.25.0\n", "go.sum": c.sum, "m.go": c.source} {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			for _, args := range [][]string{{"init", "-q"}, {"add", "go.mod"}} {
				git := exec.Command("git", args...)
				git.Dir = dir
				if out, err := git.CombinedOutput(); err != nil {
					t.Skipf("not run: git: %v\n%s", err, out)
				}
			}
			cmd := exec.Command("bash", filepath.Join(dir, ".ci", "tidy"), "--diff")
			cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=")
			var stderr strings.Builder
			cmd.Stderr = &stderr
			err := cmd.Run()
			lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
			if got := lines[len(lines)-1]; got != c.want || (err == nil) != (c.want == "") {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
}
