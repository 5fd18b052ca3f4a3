package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestVerdict: values that are better and worse than the required value and the
// target.
func TestVerdict(t *testing.T) {
	minimum, maximum := target{required: 7, goal: 8}, target{required: 1.5, goal: 1.2, max: true}
	for _, c := range []struct {
		p     target
		value float64
		want  string
	}{
		{minimum, 8, "goal"}, {minimum, 7.99, "required"}, {minimum, 6.99, "missed"},
		{maximum, 1.2, "goal"}, {maximum, 1.21, "required"}, {maximum, 1.51, "missed"},
		{target{plain: true}, 0, ""},
	} {
		t.Run(fmt.Sprintf("%v of %+v", c.value, c.p), func(t *testing.T) {
			if got := c.p.result(c.value, true); got != c.want {
				t.Errorf("%+v of %v: %q, want %q", c.p, c.value, got, c.want)
			}
		})
	}
	if got := minimum.result(8, false); got != "not measured" {
		t.Error(got)
	}
}

// TestTable: a required value that is missed, or was not measured, is reported.
func TestTable(t *testing.T) {
	m := &measurements{values: map[string]float64{}}
	for _, p := range targets {
		m.values[p.value] = p.goal
	}
	if text, missed := table(m); len(missed) > 0 || strings.Count(text, "| goal |") < 13 {
		t.Errorf("%v missed in\n%s", missed, text)
	}
	delete(m.values, "rows C")
	m.values["order"] = 9.9
	if text, missed := table(m); len(missed) != 2 {
		t.Errorf("%v missed in\n%s", missed, text)
	}
}

// TestPatterns: logs of tests, and the values found in them.
func TestPatterns(t *testing.T) {
	for text, want := range map[string]string{
		"rows=real ours/walk=1.260":              "1.260",
		"rows=v6 ours/walk=1.103":                "1.103",
		"rows=real ours/C=1.226":                 "1.226",
		"11.3 times faster than slices.SortFunc": "11.3",
		"x.v4: reading takes 2ms, writing 3.1ms: 1.44 times as much; 0 allocations": "1.44",
		"reading takes 2ms, checking 6.20ms: 3.09 times as much":                    "3.09",
		"reading takes 2ms, with all fields 6.20ms: 3.09 times as much":             "3.09",
	} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			found := 0
			for _, p := range patterns {
				if f := p.re.FindStringSubmatch(text); f != nil {
					found++
					if got := strings.Join(f[1:], " "); got != want || len(f)-1 != len(p.names) {
						t.Errorf("%q, want %q", got, want)
					}
				}
			}
			if found != 1 {
				t.Errorf("%q is found %d times", text, found)
			}
		})
	}
}

// TestLinesOf finds the loops in whose lines bounds checks are counted.
func TestLinesOf(t *testing.T) {
	for _, c := range [][2]string{{"rows_v4.go", "rowsV4"}, {"rows_v6.go", "rowsV6"}} {
		t.Run(c[1], func(t *testing.T) {
			if first, last, err := linesOf("../../codec/"+c[0], c[1]); err != nil || last-first < 50 {
				t.Errorf("lines %d to %d, %v", first, last, err)
			}
		})
	}
}
