package nettrace_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// machinePath matches an absolute path that only one machine has: a home or
// working folder, or a temporary file with a number at the end.
var machinePath = regexp.MustCompile(`(^|[\s"'=(` + "`" + `])/(work|root|home|Users|mnt|build|(var/)?tmp/[\w.-]*\d{4,})(/|\b)`)

// TestNoMachinePaths looks for paths of a machine in every report and table of
// the repository, because tools write most of them.
func TestNoMachinePaths(t *testing.T) {
	out, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		t.Skipf("the files of the repository are unknown: git ls-files: %v", err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		switch filepath.Ext(name) {
		case ".md", ".tsv", ".txt", ".json", ".ndjson", ".yml":
		default:
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			continue // removed, and not yet committed
		}
		for n, line := range bytes.Split(data, []byte("\n")) {
			if found := machinePath.Find(line); found != nil {
				t.Errorf("%s:%d: %q is a path of a machine", name, n+1, found)
			}
		}
	}
}

// TestMachinePath checks the pattern.
func TestMachinePath(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"working folder", "`go run . -te /work/main/te`", true},
		{"home", "reads /home/someone/x", true},
		{"numbered temporary file", "-o /tmp/ratios2989494018", true},
		{"sockets of the runtime", "/tmp/dotnet-diagnostic-PID-TIME-socket", false},
		{"address", "https://example.org/work/item", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := machinePath.MatchString(c.text); got != c.want {
				t.Errorf("match of %q = %v, want %v", c.text, got, c.want)
			}
		})
	}
}
