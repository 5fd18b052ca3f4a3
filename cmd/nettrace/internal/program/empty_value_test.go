package program_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
)

// TestEmptyValues gives flags an empty text, as a shell does for a variable that
// is not set. Each must be an error: otherwise --redact= would redact nothing, and
// --provider "" would select all events, with exit code 0.
func TestEmptyValues(t *testing.T) {
	src := testfile.New(t, "a.nettrace", testfile.Plain(t, "net10-counters.v4"))
	dst := filepath.Join(t.TempDir(), "out.nettrace")
	for _, c := range []struct{ command, flag string }{
		{"slice", "--redact="},
		{"slice", "--provider="},
		{"slice", "--event="},
		{"slice", "--thread="},
		{"slice", "--process="},
		{"slice", "--from="},
		{"slice", "--to="},
		{"slice", "--split="},
		{"slice", "--format="},
		{"slice", "--redact-text="},
		{"slice", "--output="},
		{"merge", "--redact="},
		{"convert", "--to="},
		{"convert", "--format="},
		{"events", "--level="},
		{"events", "--keyword="},
		{"diff", "--ignore="},
		{"top", "--type="},
		{"stacks", "--provider="},
		{"check", "--suppress="},
	} {
		t.Run(c.command+" "+c.flag, func(t *testing.T) {
			args := []string{c.command, src}
			switch c.command {
			case "slice", "merge", "convert":
				args = append(args, "-o", dst)
			case "diff":
				args = append(args, src)
			}
			r := programtest.Run(t, nil, append(args, c.flag)...)
			if name := strings.TrimSuffix(c.flag, "="); r.Code != exit.Usage || !strings.Contains(r.Stderr, name+": the value is empty") {
				t.Errorf("exit %d, %q, want %d and the flag", r.Code, r.Stderr, exit.Usage)
			}
			if _, err := os.Stat(dst); err == nil {
				t.Error("an output was written")
			}
		})
	}
}
