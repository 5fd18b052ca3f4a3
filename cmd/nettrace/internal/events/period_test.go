package events_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/events"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// periodFlags are the flags for a part of the time; no text is no bound.
func periodFlags(from, to string) (flags []string) {
	if from != "" {
		flags = append(flags, "--from="+from)
	}
	if to != "" {
		flags = append(flags, "--to="+to)
	}
	return flags
}

// TestPeriodBeforeTickZero: a bound before the first tick selects no event.
func TestPeriodBeforeTickZero(t *testing.T) {
	path := testfile.New(t, "plain", testfile.Plain(t, "net10-mix-gc.v4"))
	for _, c := range []struct{ name, from, to string }{{"to", "", "-1000000h"}, {"both", "-2000000h", "-1000000h"}} {
		t.Run("events "+c.name, func(t *testing.T) {
			r := programtest.Run(t, nil, append(periodFlags(c.from, c.to), "events", path)...)
			if r.Out != "" {
				t.Errorf("got %.200q, want no event", r.Out)
			}
		})
	}
}

// sorted is the event lines in the order of text.
func sorted(text string) []string {
	return slices.Sorted(strings.Lines(text))
}

// TestPeriod: a plain file, of which a part is read, a compressed one and a
// pipe give the same events, which are those that a look at all events gives.
func TestPeriod(t *testing.T) {
	for _, c := range []struct{ trace, from, to string }{
		{"net10-mix-gc.v4", "500ms", "1.25s"},
		{"net10-mix-gc.v4", "", "1s"},
		{"net10-mix-gc.v4", "1s", ""},
		{"net10-mix-gc.v4", "", "0s"},
		{"net10-mix-gc.v4", "1s", "1s"},
		{"net10-netperf.v3", "100ms", "400ms"},
		{"net10-killed-cut.v4", "2s", "3s"},
		{"onecollect-small.v6", "200us", "600us"},
		{"net10-burst-dropped.v4", "300ms", "310ms"},
	} {
		t.Run(c.trace+" "+c.from+" to "+c.to, func(t *testing.T) {
			data := testfile.Plain(t, c.trace)
			args := append([]string{"events", "--format=ndjson", "--stacks", "--payload"}, periodFlags(c.from, c.to)...)
			pipe := programtest.Run(t, data, append(args, "-")...)
			named := programtest.Run(t, nil, append(args, testfile.New(t, "plain", data))...)
			packed := programtest.Run(t, nil, append(args, testfile.Archive(t, c.trace))...)
			if pipe.Out != packed.Out || pipe.Out != named.Out {
				t.Errorf("%d, %d and %d bytes", len(pipe.Out), len(named.Out), len(packed.Out))
			}
			pipe.Exits(t, named.Code)
			pipe.Exits(t, packed.Code)
			expect.Lacks(t, "stderr", pipe.Stderr, "lost")
			if got, want := strings.Count(pipe.Out, `{"type":"event"`), between(t, data, c.from, c.to); got != want {
				t.Errorf("%d events, want %d", got, want)
			}
			timed := programtest.Run(t, nil, append(args, "--order=time", testfile.New(t, "plain", data))...)
			if !slices.Equal(sorted(timed.Out), sorted(pipe.Out)) {
				t.Error("other events by time")
			}
		})
	}
}

// TestPeriodOfStreams: whatever is in a small stream, the part that is read of
// a file gives what reading all of it gives. Only bad blocks that are not read
// are not told of.
func TestPeriodOfStreams(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stream")
	for i, name := range shared.Streams(t) {
		if !tier.Check && i%5 > 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			data := shared.Stream(t, name)
			if err := os.WriteFile(path, data, 0o666); err != nil {
				t.Fatal(err)
			}
			for _, flags := range []string{"--from=-1000h", "--from=0s --to=1s"} {
				t.Run(flags, func(t *testing.T) {
					args := append([]string{"events", "--format=ndjson", "--stacks", "--payload"}, strings.Fields(flags)...)
					pipe, part := programtest.Run(t, data, append(args, "-")...), programtest.Run(t, nil, append(args, path)...)
					told := strings.Contains(pipe.Stderr, "bad block")
					expect.Equal(t, "stdout", pipe.Out, part.Out)
					if pipe.Code != part.Code && !told {
						t.Errorf("exit code of a part: got %d, want %d; stderr %q and %q", part.Code, pipe.Code, part.Stderr, pipe.Stderr)
					}
				})
			}
		})
	}
}

// TestPeriodOfLyingHeaders: an event whose block header does not cover it is
// printed, and the defect is reported, from a file, a large file and a pipe.
func TestPeriodOfLyingHeaders(t *testing.T) {
	const name = "testdata/block-header-lies.nettrace"
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"events", "--format=ndjson", "--from=-1s", "--to=1s"}
	for from, r := range map[string]programtest.Result{
		"file":       programtest.Run(t, nil, append(args, name)...),
		"large file": programtest.Run(t, nil, append(args, largeFileOf(t, data))...),
		"pipe":       programtest.Run(t, data, append(args, "-")...),
	} {
		t.Run(from, func(t *testing.T) {
			if got := strings.Count(r.Out, `{"type":"event"`); got != 1 || r.Code != exit.Done {
				t.Errorf("%d events, exit %d, want 1 event and exit 0", got, r.Code)
			}
			if !strings.Contains(r.Stderr, "NT-EVB-008") {
				t.Errorf("stderr %q, want NT-EVB-008", r.Stderr)
			}
		})
	}
}

// TestPeriodOfLargeFile: of a large file the blocks of the period are read, and the
// number of the others is printed.
func TestPeriodOfLargeFile(t *testing.T) {
	data := testfile.Plain(t, "net10-mix-gc.v4")
	args := []string{"events", "--format=ndjson", "--from=500ms", "--to=1.25s"}
	pipe, large := programtest.Run(t, data, append(args, "-")...), programtest.Run(t, nil, append(args, largeFileOf(t, data))...)
	if large.Out != pipe.Out || large.Code != pipe.Code {
		t.Errorf("%d bytes, exit %d; from a pipe %d bytes, exit %d", len(large.Out), large.Code, len(pipe.Out), pipe.Code)
	}
	if !strings.Contains(large.Stderr, " event blocks not read, because the times in their headers are outside") {
		t.Errorf("stderr %q, want the number of blocks that were not read", large.Stderr)
	}
	if strings.Contains(pipe.Stderr, "not read") {
		t.Errorf("stderr of the pipe: %q", pipe.Stderr)
	}
}

// largeFileOf is a file with data at its start that is so large that its headers
// are used. Most of it takes no space on a disk.
func largeFileOf(t *testing.T, data []byte) string {
	t.Helper()
	path := testfile.New(t, "large", data)
	if err := os.Truncate(path, events.LargeFile+1); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestLateEvents: events that come after newer ones in the order of time are
// counted on stderr.
func TestLateEvents(t *testing.T) {
	r := programtest.Run(t, nil, "events", "--order=time", "testdata/writer-autopoint.nettrace")
	if want := "warning: 1 event printed after a newer one"; r.Code != exit.Done || !strings.Contains(r.Stderr, want) {
		t.Errorf("exit %d, stderr %q, want %q", r.Code, r.Stderr, want)
	}
}

// between counts events by their exact times.
func between(t *testing.T, data []byte, from, to string) int {
	t.Helper()
	limit := func(text string, otherwise time.Duration) time.Duration {
		if d, err := time.ParseDuration(text); err == nil {
			return d
		}
		return otherwise
	}
	low, high := limit(from, math.MinInt64), limit(to, math.MaxInt64)
	r := codec.NewBytesReader(data, codec.Options{})
	trace, err := r.Trace()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for e := range r.Events() {
		if e != nil && trace.Since(e.Timestamp) >= low && trace.Since(e.Timestamp) < high {
			n++
		}
	}
	return n
}

// TestPeriodByCalendar: RFC 3339 means the same as a duration.
func TestPeriodByCalendar(t *testing.T) {
	path := testfile.Archive(t, "net10-mix-gc.v4")
	trace, err := codec.NewBytesReader(testfile.Plain(t, "net10-mix-gc.v4"), codec.Options{}).Trace()
	if err != nil {
		t.Fatal(err)
	}
	at := trace.SyncTime.Add(600 * time.Millisecond).Format(time.RFC3339Nano)
	a, b := programtest.Run(t, nil, "events", "--from=600ms", path), programtest.Run(t, nil, "events", "--from", at, path)
	expect.Equal(t, "stdout", a.Out, b.Out)
	a.Exits(t, exit.Done)
	expect.AtLeast(t, "lines of stdout", strings.Count(a.Out, "\n"), 100)
}

func TestPeriodMistakes(t *testing.T) {
	path := testfile.Archive(t, "net10-mix-gc.v4")
	for _, c := range []struct {
		flags, stderr string
		data          []byte
		code          int
	}{
		{"--from=2", `--from: "2" is neither a duration`, nil, exit.Usage},
		{"--to=yesterday", `--to: "yesterday" is neither`, nil, exit.Usage},
		{"--from=2s --to=1s", "--to is a time before --from", nil, exit.Usage},
		{"--order=size", `--order: "size" is neither file nor time`, nil, exit.Usage},
		{"--order=time --rows --format=ndjson", "--rows needs --order file", nil, exit.Usage},
	} {
		t.Run(c.flags, func(t *testing.T) {
			r := programtest.Run(t, c.data, append(append([]string{"events"}, strings.Fields(c.flags)...), path)...)
			r.Exits(t, c.code)
			expect.Contains(t, "stderr", r.Stderr, c.stderr)
			expect.Equal(t, "stdout", r.Out, "")
		})
	}
}

// TestOrder: by time the same lines come, in the order of their times but for
// those of v3.
func TestOrder(t *testing.T) {
	for _, name := range []string{"net10-mix-gc.v4", "azmcp-net10-startup.v4", "onecollect-small.v6", "net10-killed.v4"} {
		t.Run(name, func(t *testing.T) {
			path := testfile.Archive(t, name)
			inFile := programtest.Run(t, nil, "events", "--format=ndjson", "--fields", path)
			byTime := programtest.Run(t, nil, "events", "--format=ndjson", "--fields", "--order=time", path)
			if inFile.Code != byTime.Code || !slices.Equal(sorted(inFile.Out), sorted(byTime.Out)) {
				t.Errorf("other lines by time; exit %d and %d", inFile.Code, byTime.Code)
			}
			times := eventTimes(t, byTime.Out)
			if len(times) == 0 || !slices.IsSorted(times) {
				t.Errorf("%d events, not in the order of their times", len(times))
			}
		})
	}
}

func eventTimes(t *testing.T, text string) []uint64 {
	t.Helper()
	var times []uint64
	for line := range strings.Lines(text) {
		_, after, ok := strings.Cut(line, `,"time":"`)
		if !ok || !strings.HasPrefix(line, `{"type":"event"`) {
			continue
		}
		var ticks uint64
		if _, err := fmt.Sscanf(after, "%d", &ticks); err != nil {
			t.Fatal(err)
		}
		times = append(times, ticks)
	}
	return times
}
