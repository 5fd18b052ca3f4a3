package view

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/profiletrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/eventpipe"
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

// TestUntilUnused: each request of a page begins the time anew.
func TestUntilUnused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := recorded()
		begun := time.Now()
		l.use()
		go func() {
			time.Sleep(unusedEnd - time.Second)
			_, err := l.Data(t.Context(), nil)
			expect.NoError(t, err)
		}()
		l.untilUnused(t.Context(), unusedEnd)
		expect.Equal(t, "time until no page asks", time.Since(begun), 2*unusedEnd-time.Second)
	})
}

// untilDone is a recording that its context ends.
type untilDone struct{ playedRecording }

func (*untilDone) Run(ctx context.Context) string {
	<-ctx.Done()
	return "interrupted"
}

// TestUnused: a recording that no page asks for ends, and its document has the reason.
func TestUnused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := recorded()
		l.recorded = &untilDone{}
		l.use()
		l.runWhileUsed(t.Context())
		expect.Equal(t, "reason", l.ended(), "no page has asked for it for 2 minutes")
	})
}

// TestUntilUnusedEnds: the end of the program ends the waiting.
func TestUntilUnusedEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := recorded()
		begun := time.Now()
		l.use()
		ctx, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		l.untilUnused(ctx, unusedEnd)
		expect.Equal(t, "time until the end", time.Since(begun), time.Second)
	})
}

// TestProfiles: the profiles choose the providers, and those of the counters are added.
func TestProfiles(t *testing.T) {
	for _, c := range []struct {
		name     string
		profiles []string
		sampled  bool
	}{
		{"default", nil, true},
		{"gc-verbose", []string{"gc-verbose"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			config, err := liveFlags{profiles: c.profiles}.config(&attach.Process{Client: &eventpipe.Client{}})
			expect.NoError(t, err)
			names := map[string]bool{}
			for _, p := range config.Providers {
				names[p.Name] = true
			}
			expect.Equal(t, "sampled", names["Microsoft-DotNETCore-SampleProfiler"], c.sampled)
			expect.Equal(t, "counters", names["System.Diagnostics.Metrics"] || names["System.Runtime"], true)
		})
	}
}
