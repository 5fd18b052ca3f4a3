package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

func TestPeriodTicks(t *testing.T) {
	sync := time.Date(2026, 11, 21, 2, 24, 4, 500_000_000, time.UTC)
	clock := &codec.Trace{SyncTicks: 1000, TickFrequency: 3, SyncTime: sync}
	late := &codec.Trace{SyncTicks: math.MaxUint64 - 5, TickFrequency: 10}
	fast := &codec.Trace{SyncTicks: 1000, TickFrequency: 1 << 40}
	none := codec.TimeRange{From: math.MaxUint64, HasFrom: true, To: math.MaxUint64, HasTo: true}
	from := func(ticks uint64) codec.TimeRange { return codec.TimeRange{From: ticks, HasFrom: true} }
	to := func(ticks uint64) codec.TimeRange { return codec.TimeRange{To: ticks, HasTo: true} }
	for _, c := range []struct {
		name     string
		clock    *codec.Trace
		from, to string
		want     codec.TimeRange
	}{
		{"no bounds", clock, "", "", codec.TimeRange{}},
		{"2s", clock, "2s", "", from(1006)},
		{"1m", clock, "1m", "", from(1180)},
		{"0s", clock, "+0s", "", from(1000)},
		{"before a tick", clock, "333333333ns", "", from(1001)},
		{"after a tick", clock, "333333334ns", "", from(1002)},
		{"-1s", clock, "-1s", "", from(997)},
		{"-100ms", clock, "-100ms", "", from(1000)},
		{"-400ms", clock, "-400ms", "", from(999)},
		{"from before tick 0", clock, "-10m", "", from(0)},
		{"to before tick 0", clock, "", "-10m", to(0)},
		{"both before tick 0", clock, "-2h", "-1h", codec.TimeRange{HasFrom: true, HasTo: true}},
		{"calendar", clock, "2026-11-21T02:24:05.5Z", "", from(1003)},
		{"calendar with a zone", clock, "2026-11-21T03:24:05.5+01:00", "", from(1003)},
		{"calendar before tick 0", clock, "1800-01-01T00:00:00Z", "", from(0)},
		{"both", clock, "1s", "2s", codec.TimeRange{From: 1003, HasFrom: true, To: 1006, HasTo: true}},
		{"from after the last tick", late, "1s", "", none},
		{"from after the last tick, to later", late, "1s", "2s", none},
		{"to after the last tick", late, "", "1s", codec.TimeRange{}},
		{"the last tick", late, "500ms", "", from(math.MaxUint64)},
		{"product above 64 bits", fast, "2000h", "", from(1000 + 2000*3600<<40)},
		{"quotient above 64 bits", fast, "200000h", "", none},
		{"quotient above 64 bits, negative", fast, "-200000h", "", from(0)},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := periodOf(t, c.from, c.to)
			if got, err := p.ticks(c.clock); err != nil || got != c.want {
				t.Errorf("got %+v, %v; want %+v", got, err, c.want)
			}
		})
	}
}

func TestPeriodWithoutClock(t *testing.T) {
	for _, c := range []struct {
		name  string
		clock *codec.Trace
		from  string
	}{
		{"no frequency", &codec.Trace{SyncTime: time.Now()}, "1s"},
		{"no sync time", &codec.Trace{TickFrequency: 1}, "2026-11-21T02:24:05.5Z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := periodOf(t, c.from, "")
			if _, err := p.ticks(c.clock); err == nil || !strings.Contains(err.Error(), "--from: the trace has no clock") {
				t.Errorf("got error %v, want one about the clock", err)
			}
		})
	}
}

func periodOf(t *testing.T, from, to string) *period {
	t.Helper()
	var p period
	var err error
	if p.from, err = parseMoment("from", from); err != nil {
		t.Fatal(err)
	}
	if p.to, err = parseMoment("to", to); err != nil {
		t.Fatal(err)
	}
	return &p
}

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
	path := file(t, "plain", plain(t, "net10-mix-gc.v4"))
	for _, c := range []struct{ name, from, to string }{{"to", "", "-1000000h"}, {"both", "-2000000h", "-1000000h"}} {
		t.Run("events "+c.name, func(t *testing.T) {
			r := nettrace(t, nil, append(periodFlags(c.from, c.to), "events", path)...)
			if r.out != "" {
				t.Errorf("got %.200q, want no event", r.out)
			}
		})
		t.Run("slice "+c.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "part.nettrace")
			if r := nettrace(t, nil, append(periodFlags(c.from, c.to), "slice", path, "-o", out)...); r.code > exitBroken {
				t.Fatalf("exit status %d: %s", r.code, r.stderr)
			}
			data, err := os.ReadFile(out)
			if err != nil {
				return // slice may refuse to write a file without events
			}
			if got := between(t, data, "", ""); got != 0 {
				t.Errorf("got %d events, want 0", got)
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
			data := plain(t, c.trace)
			args := append([]string{"events", "--format=ndjson", "--stacks", "--payload"}, periodFlags(c.from, c.to)...)
			pipe := nettrace(t, data, append(args, "-")...)
			named := nettrace(t, nil, append(args, file(t, "plain", data))...)
			packed := nettrace(t, nil, append(args, archive(t, c.trace))...)
			if pipe.out != packed.out || pipe.out != named.out {
				t.Errorf("%d, %d and %d bytes", len(pipe.out), len(named.out), len(packed.out))
			}
			pipe.exits(t, named.code)
			pipe.exits(t, packed.code)
			expect.Lacks(t, "stderr", pipe.stderr, "lost")
			if got, want := strings.Count(pipe.out, `{"type":"event"`), between(t, data, c.from, c.to); got != want {
				t.Errorf("%d events, want %d", got, want)
			}
			timed := nettrace(t, nil, append(args, "--order=time", file(t, "plain", data))...)
			if !slices.Equal(sorted(timed.out), sorted(pipe.out)) {
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
		if testing.Short() && i%5 > 0 {
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
					pipe, part := nettrace(t, data, append(args, "-")...), nettrace(t, nil, append(args, path)...)
					told := strings.Contains(pipe.stderr, "bad block")
					expect.Equal(t, "stdout", pipe.out, part.out)
					if pipe.code != part.code && !told {
						t.Errorf("exit code of a part: got %d, want %d; stderr %q and %q", part.code, pipe.code, part.stderr, pipe.stderr)
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
	for from, r := range map[string]result{
		"file":       nettrace(t, nil, append(args, name)...),
		"large file": nettrace(t, nil, append(args, largeFileOf(t, data))...),
		"pipe":       nettrace(t, data, append(args, "-")...),
	} {
		t.Run(from, func(t *testing.T) {
			if got := strings.Count(r.out, `{"type":"event"`); got != 1 || r.code != exitDone {
				t.Errorf("%d events, exit %d, want 1 event and exit 0", got, r.code)
			}
			if !strings.Contains(r.stderr, "NT-EVB-008") {
				t.Errorf("stderr %q, want NT-EVB-008", r.stderr)
			}
		})
	}
}

// TestPeriodOfLargeFile: of a large file the blocks of the period are read, and the
// number of the others is printed.
func TestPeriodOfLargeFile(t *testing.T) {
	data := plain(t, "net10-mix-gc.v4")
	args := []string{"events", "--format=ndjson", "--from=500ms", "--to=1.25s"}
	pipe, large := nettrace(t, data, append(args, "-")...), nettrace(t, nil, append(args, largeFileOf(t, data))...)
	if large.out != pipe.out || large.code != pipe.code {
		t.Errorf("%d bytes, exit %d; from a pipe %d bytes, exit %d", len(large.out), large.code, len(pipe.out), pipe.code)
	}
	if !strings.Contains(large.stderr, " event blocks not read, because the times in their headers are outside") {
		t.Errorf("stderr %q, want the number of blocks that were not read", large.stderr)
	}
	if strings.Contains(pipe.stderr, "not read") {
		t.Errorf("stderr of the pipe: %q", pipe.stderr)
	}
}

// largeFileOf is a file with data at its start that is so large that its headers
// are used. Most of it takes no room on a disk.
func largeFileOf(t *testing.T, data []byte) string {
	t.Helper()
	path := file(t, "large", data)
	if err := os.Truncate(path, LargeFile+1); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestLateEvents: events that come after newer ones in the order of time are
// counted on stderr.
func TestLateEvents(t *testing.T) {
	r := nettrace(t, nil, "events", "--order=time", "testdata/writer-autopoint.nettrace")
	if want := "warning: 1 event printed after a newer one"; r.code != exitDone || !strings.Contains(r.stderr, want) {
		t.Errorf("exit %d, stderr %q, want %q", r.code, r.stderr, want)
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
	path := archive(t, "net10-mix-gc.v4")
	trace, err := codec.NewBytesReader(plain(t, "net10-mix-gc.v4"), codec.Options{}).Trace()
	if err != nil {
		t.Fatal(err)
	}
	at := trace.SyncTime.Add(600 * time.Millisecond).Format(time.RFC3339Nano)
	a, b := nettrace(t, nil, "events", "--from=600ms", path), nettrace(t, nil, "events", "--from", at, path)
	expect.Equal(t, "stdout", a.out, b.out)
	a.exits(t, exitDone)
	expect.AtLeast(t, "lines of stdout", strings.Count(a.out, "\n"), 100)
}

func TestPeriodMistakes(t *testing.T) {
	path := archive(t, "net10-mix-gc.v4")
	for _, c := range []struct {
		flags, stderr string
		data          []byte
		code          int
	}{
		{"--from=2", `--from: "2" is neither a duration`, nil, exitUsage},
		{"--to=yesterday", `--to: "yesterday" is neither`, nil, exitUsage},
		{"--from=2s --to=1s", "--to is a time before --from", nil, exitUsage},
		{"--order=size", `--order: "size" is neither file nor time`, nil, exitUsage},
		{"--order=time --rows --format=ndjson", "--rows needs --order file", nil, exitUsage},
	} {
		t.Run(c.flags, func(t *testing.T) {
			r := nettrace(t, c.data, append(append([]string{"events"}, strings.Fields(c.flags)...), path)...)
			r.exits(t, c.code)
			expect.Contains(t, "stderr", r.stderr, c.stderr)
			expect.Equal(t, "stdout", r.out, "")
		})
	}
}

// TestOrder: by time the same lines come, in the order of their times but for
// those of v3.
func TestOrder(t *testing.T) {
	for _, name := range []string{"net10-mix-gc.v4", "azmcp-net10-startup.v4", "onecollect-small.v6", "net10-killed.v4"} {
		t.Run(name, func(t *testing.T) {
			path := archive(t, name)
			inFile := nettrace(t, nil, "events", "--format=ndjson", "--fields", path)
			byTime := nettrace(t, nil, "events", "--format=ndjson", "--fields", "--order=time", path)
			if inFile.code != byTime.code || !slices.Equal(sorted(inFile.out), sorted(byTime.out)) {
				t.Errorf("other lines by time; exit %d and %d", inFile.code, byTime.code)
			}
			times := eventTimes(t, byTime.out)
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
