package program_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
)

// TestStdin: the commands that read a trace several times, or into a file, have the same result for
// standard input.
func TestStdin(t *testing.T) {
	data := testfile.Zstd(t, testfile.Plain(t, "onecollect-small.v6"))
	file := testfile.New(t, "-", data) // a page names its file
	for _, c := range []struct{ name, args string }{
		{"report.txt", "report"},
		{"report-part.json", "report trace --json"},
		{"report.html", "report --format html -o"},
		{"query.csv", "query --format csv"},
		{"summary.nts", "summarize -o"},
	} {
		t.Run(c.name, func(t *testing.T) {
			result := func(stdin []byte, path string) string {
				args := strings.Fields(c.args)
				out := filepath.Join(t.TempDir(), c.name)
				if args[len(args)-1] == "-o" {
					args = append(args, out)
				}
				args = append(args, path)
				if args[0] == "query" {
					args = append(args, "SELECT * FROM samples")
				}
				r := programtest.Run(t, stdin, args...)
				r.Exits(t, exit.Done)
				written, _ := os.ReadFile(out)
				return strings.ReplaceAll(r.Out, path, "-") + string(written)
			}
			if want, got := result(nil, file), result(data, "-"); got != want || want == "" {
				t.Errorf("of the file %d bytes, of standard input %d others", len(want), len(got))
			}
		})
	}
}

// TestStdinView: view serves what standard input had.
func TestStdinView(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out := &untilLine{cancel: cancel}
	data := testfile.Plain(t, "onecollect-small.v6")
	if code := programtest.RunContext(ctx, []string{"view", "-", "--no-browser"}, bytes.NewReader(data), out, out); code != exit.Done {
		t.Errorf("exit status %d", code)
	}
	if !strings.Contains(out.String(), "http://127.0.0.1:") {
		t.Errorf("no address in %q", out)
	}
}

// untilLine cancels a context at the end of a line.
type untilLine struct {
	bytes.Buffer
	cancel func()
}

func (u *untilLine) Write(p []byte) (int, error) {
	if bytes.HasSuffix(p, []byte("\n")) {
		u.cancel()
	}
	return u.Buffer.Write(p)
}
