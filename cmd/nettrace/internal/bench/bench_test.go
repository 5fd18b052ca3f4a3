package bench_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// benchLine is what benchstat wants of a line: a name, a number of iterations,
// values with units.
var benchLine = regexp.MustCompile(`(?m)^BenchmarkRead/file=(\S+) \t1\t(\S+) ns/event\t(\S+) MB/s\t(\S+) events/s$`)

func TestBench(t *testing.T) {
	gc, cut := testfile.Archive(t, "net10-mix-gc.v4"), testfile.Archive(t, "net10-killed-cut.v4")
	r := programtest.Run(t, nil, "bench", gc, cut, "--count", "3")
	r.Exits(t, exit.Broken)
	if !strings.Contains(r.Stderr, "NT4-") && !strings.Contains(r.Stderr, "NT-") {
		t.Errorf("stderr: got %q, want a rule", r.Stderr)
	}
	if !strings.HasPrefix(r.Out, "goos: ") || !strings.Contains(r.Out, "\nUnit events/s better=higher\n") {
		t.Errorf("no head in\n%s", r.Out)
	}
	lines := benchLine.FindAllStringSubmatch(r.Out, -1)
	if len(lines) != 6 {
		t.Fatalf("%d lines, want 6\n%s", len(lines), r.Out)
	}
	for i, l := range lines {
		if want := []string{"net10-mix-gc.v4", "net10-killed-cut.v4"}[i%2]; !strings.HasPrefix(l[1], want) {
			t.Errorf("line %d is of %s, want %s", i, l[1], want)
		}
		ns, _ := strconv.ParseFloat(l[2], 64)
		perSecond, _ := strconv.ParseFloat(l[4], 64)
		if product := ns * perSecond; product < 0.99e9 || product > 1.01e9 {
			t.Errorf("%s ns an event and %s events a second", l[2], l[4])
		}
	}
}

// TestBenchJSON checks the keys of each object and that its rates are those of its numbers.
func TestBenchJSON(t *testing.T) {
	gc := testfile.Archive(t, "net10-mix-gc.v4")
	size := int64(len(testfile.Plain(t, "net10-mix-gc.v4")))
	r := programtest.Run(t, nil, "bench", gc, "--count", "2", "--json")
	r.Exits(t, exit.Done)
	lines := slices.Collect(strings.Lines(r.Out))
	if expect.Len(t, "lines", lines, 2); t.Failed() {
		return
	}
	for i, line := range lines {
		t.Run(fmt.Sprintf("pass %d", i+1), func(t *testing.T) {
			var o struct {
				File                            string
				Pass, Events, Bytes             int64
				Nanoseconds                     float64
				EventsPerSecond, BytesPerSecond float64
			}
			d := json.NewDecoder(strings.NewReader(line))
			d.DisallowUnknownFields()
			expect.NoError(t, d.Decode(&o))
			expect.Equal(t, "file", o.File, gc)
			expect.Equal(t, "pass", o.Pass, int64(i+1))
			expect.Equal(t, "bytes", o.Bytes, size)
			expect.AtLeast(t, "events", o.Events, 1000)
			expect.AtLeast(t, "nanoseconds", o.Nanoseconds, 1)
			for name, rate := range map[string]float64{
				"events in the time at eventsPerSecond": o.EventsPerSecond * o.Nanoseconds / 1e9 / float64(o.Events),
				"bytes in the time at bytesPerSecond":   o.BytesPerSecond * o.Nanoseconds / 1e9 / float64(o.Bytes),
			} {
				expect.AtLeast(t, name, rate, 0.999)
				expect.AtMost(t, name, rate, 1.001)
			}
		})
	}
}

// TestBenchRefuses: what cannot be measured.
func TestBenchRefuses(t *testing.T) {
	gc := testfile.Archive(t, "net10-mix-gc.v4")
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"bench"}, exit.Usage},
		{[]string{"bench", gc, "--count", "0"}, exit.Usage},
		{[]string{"bench", "/nowhere/x"}, exit.Usage},
		{[]string{"bench", testfile.New(t, "bad", []byte("no trace at all"))}, exit.Broken},
		{[]string{"bench", "/nowhere/x", gc, "--count", "1"}, exit.Usage},
		{[]string{"bench", testfile.New(t, "a b=c", testfile.Plain(t, "net10-mix-gc.v4")), "--count", "1"}, exit.Done},
	} {
		t.Run(testfile.CaseName(c.args...), func(t *testing.T) {
			r := programtest.Run(t, nil, c.args...)
			if r.Code != c.code {
				t.Errorf("code %d, want %d: %s", r.Code, c.code, r.Stderr)
			}
			if readable := strings.Contains(strings.Join(c.args, " "), gc) && c.args[len(c.args)-1] == "1" || c.code == exit.Done; readable != (len(benchLine.FindAllString(r.Out, -1)) == 1) {
				t.Errorf("%v printed\n%s", c.args, r.Out)
			}
		})
	}
}
