package programtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// OneWorker is in the note about a file that one goroutine reads although --workers asks for
// more.
const OneWorker = "note: one goroutine reads it"

// SameWithWorkers compares the result of a command with one goroutine and with several, but for
// that note. It reports whether several read the file. With 16 the chunks of a small file have
// 4 kB.
func SameWithWorkers(t *testing.T, workers int, args ...string) (divided bool) {
	t.Helper()
	want := Run(t, nil, append(slices.Clone(args), "--workers=1")...)
	got := Run(t, nil, append(slices.Clone(args), fmt.Sprint("--workers=", workers))...)
	divided = true
	var kept []string
	for line := range strings.Lines(got.Stderr) {
		if strings.Contains(line, OneWorker) {
			divided = false
			continue
		}
		kept = append(kept, line)
	}
	expect.Equal(t, "exit code", got.Code, want.Code)
	expect.Equal(t, "stderr", strings.Join(kept, ""), want.Stderr)
	if got.Out != want.Out {
		g, w := strings.Split(got.Out, "\n"), strings.Split(want.Out, "\n")
		at := 0
		for at < min(len(g), len(w))-1 && g[at] == w[at] {
			at++
		}
		t.Errorf("output: line %d of %d and %d:\n got %.300s\nwant %.300s", at, len(g), len(w), g[at], w[at])
	}
	return divided
}
