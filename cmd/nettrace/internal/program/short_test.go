package program_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
)

// shortWriter writes the first bytes of each write, and returns no error.
type shortWriter struct{}

func (shortWriter) Write(b []byte) (int, error) { return min(len(b), 7), nil }

// TestShortWrites: an output that takes less than it is given, without an error, is an error.
func TestShortWrites(t *testing.T) {
	cpu, dump := testfile.Archive(t, "net10-mix-cpu.v4"), testfile.Archive(t, "net10-mix-gcheap.v4")
	for _, args := range []string{
		"convert CPU -o - --format v6", "convert CPU -o - --format v4", "convert CPU -o - --format pprof", "convert CPU -o - --format speedscope",
		"convert CPU -o - --format chromium", "convert CPU -o - --format firefox", "convert CPU -o - --format folded",
		"convert CPU -o - --format cpuprofile", "convert CPU -o - --format callgrind", "convert CPU -o - --format perfscript",
		"convert DUMP -o - --format heapsnapshot", "convert DUMP -o - --format gcdump", "heap DUMP", "heap DUMP --format csv", "heap DUMP --format folded",
		"events CPU --format ndjson", "events CPU", "stacks CPU --format ndjson", "stacks CPU", "blocks CPU", "info CPU", "check CPU --format json",
		"top CPU", "top CPU --format json", "report CPU", "report CPU --format json", "report CPU --format html", "threadtime CPU --json",
		"query CPU states", "query CPU states --format csv", "query CPU states --json", "slice CPU -o - --to 1s",
	} {
		var stderr bytes.Buffer
		words := strings.Fields(strings.NewReplacer("CPU", cpu, "DUMP", dump).Replace(args))
		if code := programtest.RunContext(t.Context(), words, nil, shortWriter{}, &stderr); code == exit.Done {
			t.Errorf("%s: exit code 0, stderr %q", args, stderr.String())
		}
	}
}
