package report_test

import (
	"os"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/analysis/parts"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestReadme: README has output of each part, and the program prints these lines.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../../../README.md")
	expect.NoError(t, err)
	examples := map[string]int{}
	for block := range strings.SplitSeq(string(text), "\n\n") {
		command, lines, ok := strings.Cut(block, "\n")
		words := strings.Fields(command)
		if !ok || len(words) != 5 || words[0] != "$" || words[2] != "report" {
			continue
		}
		examples[words[3]]++
		t.Run(words[3], func(t *testing.T) {
			name := strings.TrimSuffix(strings.TrimPrefix(words[4], "corpora/"), ".nettrace.zst")
			r := programtest.Run(t, testfile.Plain(t, name), "report", words[3], "-")
			for line := range strings.Lines(lines) {
				expect.Contains(t, "output", r.Out, strings.TrimSpace(line)+"\n")
			}
		})
	}
	for _, part := range parts.Names() {
		expect.Equal(t, "examples of "+part, examples[part], 1)
	}
}
