package view

import (
	"bytes"
	"io"
	"net/url"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/profiletrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestLarge: a trace with too many samples has a document for each range.
func TestLarge(t *testing.T) {
	f := &file{p: &run.Program{Stdout: io.Discard, Stderr: io.Discard}, name: testfile.New(t, "a.nettrace", profiletrace.Trace()), most: 1}
	expect.NoError(t, f.load(t.Context()))
	busiest, err := f.Data(t.Context(), nil)
	expect.NoError(t, err)
	part, err := f.Data(t.Context(), url.Values{"from": {"0"}, "to": {"1000000"}})
	expect.NoError(t, err)
	if bytes.Equal(busiest, part) {
		t.Error("the range has no effect")
	}
	if _, err := f.Data(t.Context(), url.Values{"from": {"soon"}, "to": {"1"}}); err == nil {
		t.Error("no error for a range that is not in ns")
	}
}
