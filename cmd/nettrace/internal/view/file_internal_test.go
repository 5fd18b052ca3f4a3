package view

import (
	"bytes"
	"io"
	"net/url"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestLarge: a trace with too many samples has a document for each range.
func TestLarge(t *testing.T) {
	f := &file{p: &run.Program{Stdout: io.Discard, Stderr: io.Discard}, name: testfile.Archive(t, "net10-mix-cpu.v4"), most: 100}
	expect.NoError(t, f.load(t.Context()))
	busiest, err := f.Data(t.Context(), nil)
	expect.NoError(t, err)
	part, err := f.Data(t.Context(), url.Values{"from": {"0"}, "to": {"4000000000"}})
	expect.NoError(t, err)
	if bytes.Equal(busiest, part) {
		t.Error("the range has no effect")
	}
	if _, err := f.Data(t.Context(), url.Values{"from": {"soon"}, "to": {"1"}}); err == nil {
		t.Error("no error for a range that is not in ns")
	}
}
