package shared

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/tier"
)

func TestTraces(t *testing.T) {
	for _, name := range Traces(t) {
		data := Trace(t, name)
		if !bytes.Contains(data[:32], []byte("!FastSerialization.1")) && !bytes.HasPrefix(data, []byte("Nettrace")) {
			t.Errorf("%s does not begin like a trace: % x", name, data[:32])
		}
	}
}

// TestSameTraces compares the traces of the repository with those of the same
// name in the folder "shared".
func TestSameTraces(t *testing.T) {
	dir := Dir(t) + "/traces/"
	for _, e := range Corpora(t) {
		if !e.Recorded() {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			sum := sha256.Sum256(read(t, dir+e.File()))
			if got := hex.EncodeToString(sum[:]); got != e.SHA256 {
				t.Errorf("SHA-256 %s, in MANIFEST %s", got, e.SHA256)
			}
		})
	}
}

func TestTruth(t *testing.T) {
	for _, name := range []string{"net10-deep", "net10-tpl-activities", "net10-types"} {
		t.Run(name, func(t *testing.T) {
			if s := string(Truth(t, name)); !strings.HasPrefix(s, "{") {
				t.Errorf("%s begins with %.20q", name, s)
			}
		})
	}
}

func TestOracle(t *testing.T) {
	if s := string(Oracle(t, "summary.ndjson")); !strings.HasPrefix(s, "{") {
		t.Errorf("summary.ndjson begins with %.20q", s)
	}
	if s := string(Oracle(t, "net10-empty.v4.events.tsv.zst")); strings.Count(s, "\n") != 1 {
		t.Errorf("net10-empty.v4 has one event, the answer is %q", s)
	}
}

// TestAbsent: the functions without the folder "shared", with and without a list of what the
// machine has.
func TestAbsent(t *testing.T) {
	for _, c := range []struct {
		name  string
		call  func(testing.TB)
		skips bool // without a list of what the machine has
	}{
		{"dir", func(tb testing.TB) { Dir(tb) }, true},
		{"oracle", func(tb testing.TB) { Oracle(tb, "summary.ndjson") }, true},
		{"other reader", func(tb testing.TB) { OtherReader(tb) }, true},
		{"trace of the folder", func(tb testing.TB) { Trace(tb, "roslyn-net10-cpu.v4") }, true},
		{"stream of the folder", func(tb testing.TB) { Stream(tb, "pv-parse-minimal-trace-v6") }, true},
		{"present", func(tb testing.TB) { Present(tb) }, false},
		{"traces", func(tb testing.TB) { Traces(tb) }, false},
		{"streams", func(tb testing.TB) { Streams(tb) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("NETTRACE_SHARED", "/no/such/folder")
			t.Setenv("NETTRACE_HAS", "")
			if skipped, failed := ends(t, c.call); (skipped != "") != c.skips || failed != "" {
				t.Errorf("skipped %q, failed %q", skipped, failed)
			} else if c.skips && !strings.Contains(skipped, "/no/such/folder") {
				t.Errorf("the reason is %q", skipped)
			}
			t.Setenv("NETTRACE_HAS", ".ci/has")
			if skipped, failed := ends(t, c.call); skipped != "" || !strings.Contains(failed, "/no/such/folder") {
				t.Errorf("listed: skipped %q, failed %q", skipped, failed)
			}
		})
	}
}

// TestWithoutFolder reads the material of the repository.
func TestWithoutFolder(t *testing.T) {
	t.Setenv("NETTRACE_SHARED", "/no/such/folder")
	t.Setenv("NETTRACE_HAS", "")
	without := struct{ testing.TB }{t} // which cannot have subtests, so none is skipped
	wantTraces, wantStreams := 27, 235
	if Race && !tier.Nightly {
		wantTraces, wantStreams = 20, 29 // without the large ones; every eighth
	}
	if traces := Traces(without); len(traces) < wantTraces {
		t.Errorf("%d traces, want %d: %q", len(traces), wantTraces, traces)
	}
	if streams := Streams(without); len(streams) < wantStreams {
		t.Errorf("%d streams, want %d", len(streams), wantStreams)
	}
	if n := len(Trace(t, "net10-empty.v4")); n != 746 {
		t.Errorf("net10-empty.v4 has %d bytes", n)
	}
}

// ends returns the reason for which call skips or fails a test.
func ends(t *testing.T, call func(testing.TB)) (skipped, failed string) {
	tb := &ended{TB: t}
	defer func() {
		if r := recover(); r != nil && r != tb {
			panic(r)
		}
		skipped, failed = tb.skipped, tb.failed
	}()
	call(tb)
	return "", ""
}

// ended records why a test ends, and panics with itself to end it.
type ended struct {
	testing.TB
	skipped, failed string
}

func (e *ended) Skip(args ...any) {
	e.skipped = fmt.Sprint(args...)
	panic(e)
}

func (e *ended) Fatal(args ...any) {
	e.failed = fmt.Sprint(args...)
	panic(e)
}
