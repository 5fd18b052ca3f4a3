//go:build linux

package counters

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// watchResult is how a watch ended, and the bytes of its sessions.
type watchResult struct {
	code        int
	out, stderr string
	recording   bytes.Buffer
}

// watch runs counters on a process with options that are checked, until it has printed
// the texts, and records what its sessions send.
func watch(t *testing.T, o *options, until ...string) *watchResult {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), proctest.Patience)
	defer cancel()
	var stderr bytes.Buffer
	out := expected{missing: until, found: cancel}
	p := &run.Program{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &stderr}
	if err := o.check(nil); err != nil {
		t.Fatal(err)
	}
	got := &watchResult{}
	a, err := o.Attach(ctx, nil, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Release()
	w := newWatcher(o, a.CounterSession())
	w.out = newSink(p, w, o)
	l := &liveCounters{p: p, w: w, a: a, tee: func(src io.Reader) io.Reader {
		got.recording.Reset()
		return io.TeeReader(src, &got.recording)
	}}
	p.Finish(&cobra.Command{Use: "nettrace"}, l.watch(ctx, o))
	got.code, got.out, got.stderr = p.Code, out.text.String(), stderr.String()
	for _, text := range out.missing {
		t.Errorf("%q is not printed in %v:\n%s%s", text, proctest.Patience, got.out, got.stderr)
	}
	return got
}

// expected keeps what is written, and calls found when it has all texts.
type expected struct {
	text    strings.Builder
	missing []string
	found   func()
}

func (e *expected) Write(b []byte) (int, error) {
	e.text.Write(b)
	if len(e.missing) == 0 {
		return len(b), nil
	}
	e.missing = slices.DeleteFunc(e.missing, func(text string) bool { return strings.Contains(e.text.String(), text) })
	if len(e.missing) == 0 {
		e.found()
	}
	return len(b), nil
}

// live are the options of a watch of a process.
func live(pid int, selection string) *options {
	return &options{
		Options: attach.Options{PID: pid}, formats: choice.Of(choice.JSON), selection: selection, interval: time.Second, maxTimeSeries: 1000, maxHistograms: 20,
	}
}

// TestLiveCounters watches a real process, and finds the same in a recording of
// the same session.
func TestLiveCounters(t *testing.T) {
	const selection = "System.Runtime,Corners-Counters,Corners.Meter"
	got := watch(t, live(proctest.StartCorners(t, "counters"), selection),
		`"source":"Meter","provider":"Corners.Meter","version":"1.2.3","name":"corners.latency","kind":"Histogram"`, `"quantiles":{"0.5":`,
		`"source":"EventCounters","provider":"Corners-Counters","name":"request-time"`,
		`"source":"Meter","provider":"System.Runtime","name":"dotnet.exceptions"`, `"interval":1`)
	if got.code != exit.Done || strings.Contains(got.stderr, "warning") {
		t.Fatalf("exit %d: %s", got.code, got.stderr)
	}
	again := countersOfStream(t, got.recording.Bytes(), live(0, selection))
	if again.code != exit.Done || again.out != got.out {
		t.Errorf("watched and recorded differ: exit %d, %s\n%s\n%s", again.code, again.stderr, got.out, again.out)
	}
	if twice := `"source":"EventCounters","provider":"System.Runtime"`; strings.Contains(got.out, twice) {
		t.Errorf("%s is printed, though .NET 10 has System.Runtime as a Meter", twice)
	}
}

// countersOfStream runs counters on a recording.
func countersOfStream(t *testing.T, data []byte, o *options) *watchResult {
	t.Helper()
	files := []string{"-"}
	if err := o.check(files); err != nil {
		t.Fatal(err)
	}
	var out, stderr bytes.Buffer
	p := &run.Program{Stdin: bytes.NewReader(data), Stdout: &out, Stderr: &stderr}
	p.Finish(&cobra.Command{Use: "nettrace"}, watchCounters(p, files, o))
	return &watchResult{code: p.Code, out: out.String(), stderr: stderr.String()}
}

// TestForeignSession: when a session of Meters runs that is not shared, the
// program says which, unless its values are good enough.
func TestForeignSession(t *testing.T) {
	pid := proctest.StartCorners(t, "loop", "120", "wait")
	o := live(pid, "System.Runtime")
	a, err := o.Attach(t.Context(), nil, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	const other = "the-other-one"
	occupy(t, a, counters.MetersSession{ID: other, ClientID: other}, counters.Settings{Interval: time.Second})
	refused := watch(t, o)
	if refused.code != exit.Version || !strings.Contains(refused.stderr, "session "+other+" listens") {
		t.Errorf("exit %d: %s", refused.code, refused.stderr)
	}
	o.anySession = true
	taken := watch(t, o, `"source":"Meter","provider":"System.Runtime"`)
	if taken.code != exit.Done {
		t.Errorf("exit %d: %s", taken.code, taken.stderr)
	}
}

// TestSharedSession: a session that is shared runs as the first client wanted,
// and the second one takes it so.
func TestSharedSession(t *testing.T) {
	pid := proctest.StartCorners(t, "loop", "120", "wait")
	o := live(pid, "System.Runtime")
	a, err := o.Attach(t.Context(), nil, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	occupy(t, a, counters.NewMetersSession("the-first-client", a.Major()), counters.Settings{Interval: 2 * time.Second, MaxTimeSeries: 900, MaxHistograms: 10})
	got := watch(t, o, `"name":"dotnet.timer.count","kind":"UpDownCounter","unit":"{timer}","interval":2`)
	if got.code != exit.Done || !strings.Contains(got.stderr, "runs with a refresh interval of 2 s, 900 time series and 10 histograms, not with 1 s, 1000 and 20") {
		t.Errorf("exit %d: %s", got.code, got.stderr)
	}
	if !strings.Contains(got.stderr, "Meter of System.Runtime come every 2s, not every 1s") {
		t.Errorf("nothing of the interval in force: %s", got.stderr)
	}
}

// occupy opens a session as another client does, until the test ends.
func occupy(t *testing.T, a *attach.Process, s counters.MetersSession, set counters.Settings) {
	t.Helper()
	if a.Major() < 8 {
		t.Fatalf("runtime %d has no shared sessions", a.Major())
	}
	session, err := a.Client.StartSession(t.Context(), eventpipe.SessionConfig{NoRundown: true, BufferMB: 10, Providers: []eventpipe.Provider{{
		Name: counters.MetersProvider, Keywords: counters.MetersKeywords, Level: counters.Level, Arguments: s.Arguments(counters.Selection{{Provider: "System.Runtime"}}, set),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	begun := make(chan bool)
	var first sync.Once
	go func() {
		_, _ = io.Copy(writerFunc(func(b []byte) (int, error) {
			if bytes.Contains(b, []byte("B\x00e\x00g\x00i\x00n\x00I\x00n\x00s\x00t")) {
				first.Do(func() { close(begun) })
			}
			return len(b), nil
		}), session)
	}()
	t.Cleanup(func() { session.Close() })
	select {
	case <-begun:
	case <-time.After(proctest.Patience):
		t.Fatal("no session of Meters begins")
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }
