package view

import (
	"bytes"
	"context"
	"errors"
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

// playedRecording is a recording of a trace that has arrived.
type playedRecording struct {
	trace   []byte
	err     error // of Snapshot
	changes int64
}

func (r *playedRecording) Run(context.Context) string { return "" }
func (r *playedRecording) Changes() int64             { return r.changes }
func (r *playedRecording) NamesExpected() bool        { return false }
func (r *playedRecording) Problem() string            { return "" }

func (r *playedRecording) Snapshot() ([]byte, record.Part, error) {
	return r.trace, record.Part{}, r.err
}

// recorded returns the document of a process whose trace has arrived.
func recorded() (*liveDocument, *playedRecording) {
	r := &playedRecording{trace: profiletrace.Trace(), changes: 1}
	p := &run.Program{Stdout: io.Discard, Stderr: io.Discard}
	return &liveDocument{p: p, a: &attach.Process{Title: "shop"}, recorded: r}, r
}

// TestSaveFails: Save returns the error of a trace that cannot be made, and the document keeps
// its own trace.
func TestSaveFails(t *testing.T) {
	t.Chdir(t.TempDir())
	l, r := recorded()
	_, err := l.Data(t.Context(), nil)
	expect.NoError(t, err)
	trace := bytes.Clone(l.trace)
	r.changes++
	r.err = errors.New("no stream")
	if name, err := l.Save(t.Context()); err == nil {
		t.Errorf("saved %s without an error", name)
	}
	expect.Equal(t, "trace is the same", bytes.Equal(l.trace, trace), true)
	closed, end := context.WithCancel(t.Context())
	end()
	r.changes++
	if name, err := l.Save(closed); err == nil {
		t.Errorf("saved %s without an error after the page was closed", name)
	}
}

// TestNoFirstDocument: a request does not wait for a first document that cannot be made.
func TestNoFirstDocument(t *testing.T) {
	l, r := recorded()
	r.err = errors.New("no stream")
	ctx, end := context.WithTimeout(t.Context(), 5*time.Second)
	defer end()
	_, err := l.Data(ctx, nil)
	if err == nil || l.state.Note == "" || !strings.Contains(err.Error(), l.state.Note) {
		t.Errorf("error %v, want %q", err, l.state.Note)
	}
}
