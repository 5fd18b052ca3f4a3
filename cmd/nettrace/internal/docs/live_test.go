//go:build check || nightly

package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// firstPage is the heading of the quick start whose first block records a process.
const firstPage = "## Performance engineers"

// TestLiveQuickStart executes the commands of the quick start against a running .NET
// process. The first one installs the program from the network: make release-check
// executes it, and here the program of this test is installed already.
func TestLiveQuickStart(t *testing.T) {
	t.Parallel()
	commands := quickStart(t)
	app := proctest.RunCorners(t, nil, "loop", "600", "cpu")
	expect.Equal(t, "the first command", commands[0], "go install github.com/nettrace-go/nettrace/cmd/nettrace@latest")
	p := page{}
	p.folders(t)
	for _, text := range []string{strings.ReplaceAll(commands[1], "4711", app.PID()), commands[2]} {
		if out, err := p.command(t, text).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", text, err, out)
		}
	}
	html, err := os.ReadFile(filepath.Join(p.folder, "app.html"))
	expect.NoError(t, err)
	expect.Contains(t, "the start of app.html", strings.ToLower(string(html[:min(100, len(html))])), "<!doctype html>")
	out, err := p.command(t, "nettrace top --limit 0 app.nettrace").Output()
	expect.NoError(t, err)
	expect.Contains(t, "the methods of app.nettrace", string(out), "Mix.Fib(int)")
}

// quickStart returns the three commands.
func quickStart(t *testing.T) []string {
	t.Helper()
	lines := read(t, "docs/quickstart.md")
	for i, line := range lines {
		if line != firstPage {
			continue
		}
		found, _ := blocks(lines[i:])
		var commands []string
		for _, c := range found[0].commands {
			commands = append(commands, c.text)
		}
		if len(commands) != 3 || !strings.Contains(commands[1], "4711") {
			t.Fatalf("the first block has the commands %q, want three, the second one with the process id 4711", commands)
		}
		return commands
	}
	t.Fatalf("the quick start has no heading %q", firstPage)
	return nil
}
