package view

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/profiletrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/eventpipe/record"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// recorded returns the document of a process whose trace has arrived.
func recorded(t *testing.T) *live {
	t.Helper()
	l := &live{
		p: &run.Program{Stdout: io.Discard, Stderr: io.Discard}, a: &attach.Process{Title: "shop"}, ring: record.NewRing(record.RingOptions{Size: 1 << 20}),
		names: &names{},
	}
	_, err := record.New(record.Options{}).Run(t.Context(), bytes.NewReader(profiletrace.Trace()), l.ring)
	expect.NoError(t, err)
	l.blocks.Add(1)
	return l
}

// TestSaveFails: Save returns the error of a trace that cannot be made, and the document keeps
// its own trace.
func TestSaveFails(t *testing.T) {
	t.Chdir(t.TempDir())
	l := recorded(t)
	_, err := l.Data(t.Context(), nil)
	expect.NoError(t, err)
	trace := bytes.Clone(l.trace)
	l.blocks.Add(1)
	l.names.data = []byte("no stream")
	if name, err := l.Save(t.Context()); err == nil {
		t.Errorf("saved %s without an error", name)
	}
	expect.Equal(t, "trace is the same", bytes.Equal(l.trace, trace), true)
	closed, end := context.WithCancel(t.Context())
	end()
	l.blocks.Add(1)
	if name, err := l.Save(closed); err == nil {
		t.Errorf("saved %s without an error after the page was closed", name)
	}
}

// TestNoFirstDocument: a request does not wait for a first document that cannot be made.
func TestNoFirstDocument(t *testing.T) {
	l := recorded(t)
	l.names.data = []byte("no stream")
	ctx, end := context.WithTimeout(t.Context(), 5*time.Second)
	defer end()
	_, err := l.Data(ctx, nil)
	if err == nil || l.state.Note == "" || !strings.Contains(err.Error(), l.state.Note) {
		t.Errorf("error %v, want %q", err, l.state.Note)
	}
}
