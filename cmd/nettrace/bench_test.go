package main

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// benchLine is what benchstat wants of a line: a name, a number of iterations,
// values with units.
var benchLine = regexp.MustCompile(`(?m)^BenchmarkRead/file=(\S+) \t1\t(\S+) ns/event\t(\S+) MB/s\t(\S+) events/s$`)

func TestBench(t *testing.T) {
	gc, cut := archive(t, "net10-mix-gc.v4"), archive(t, "net10-killed-cut.v4")
	r := nettrace(t, nil, "bench", gc, cut, "--count", "3")
	r.exits(t, exitBroken)
	if !strings.Contains(r.stderr, "NT4-") && !strings.Contains(r.stderr, "NT-") {
		t.Errorf("stderr: got %q, want a rule", r.stderr)
	}
	if !strings.HasPrefix(r.out, "goos: ") || !strings.Contains(r.out, "\nUnit events/s better=higher\n") {
		t.Errorf("no head in\n%s", r.out)
	}
	lines := benchLine.FindAllStringSubmatch(r.out, -1)
	if len(lines) != 6 {
		t.Fatalf("%d lines, want 6\n%s", len(lines), r.out)
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

// TestBenchRefuses: what cannot be measured.
func TestBenchRefuses(t *testing.T) {
	gc := archive(t, "net10-mix-gc.v4")
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"bench"}, exitUsage},
		{[]string{"bench", gc, "--count", "0"}, exitUsage},
		{[]string{"bench", "/nowhere/x"}, exitUsage},
		{[]string{"bench", file(t, "bad", []byte("no trace at all"))}, exitBroken},
		{[]string{"bench", "/nowhere/x", gc, "--count", "1"}, exitUsage},
		{[]string{"bench", file(t, "a b=c", plain(t, "net10-mix-gc.v4")), "--count", "1"}, exitDone},
	} {
		t.Run(caseName(c.args...), func(t *testing.T) {
			r := nettrace(t, nil, c.args...)
			if r.code != c.code {
				t.Errorf("code %d, want %d: %s", r.code, c.code, r.stderr)
			}
			if readable := strings.Contains(strings.Join(c.args, " "), gc) && c.args[len(c.args)-1] == "1" || c.code == exitDone; readable != (len(benchLine.FindAllString(r.out, -1)) == 1) {
				t.Errorf("%v printed\n%s", c.args, r.out)
			}
		})
	}
}
