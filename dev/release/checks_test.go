package main

import (
	"bytes"
	"testing"
)

// TestAtMost checks that only a figure above its limit is an error.
func TestAtMost(t *testing.T) {
	for _, c := range []struct {
		name string
		got  int64
		fine bool
	}{
		{"below", 99, true}, {"equal", 100, true}, {"above", 101, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			check := &checker{out: &out}
			if err := check.atMost("figure", c.got, 100); (err == nil) != c.fine {
				t.Errorf("got error %v, want none: %t", err, c.fine)
			}
			if out.Len() == 0 {
				t.Error("the figure is not printed")
			}
		})
	}
}

// TestWithoutDirect checks that only a last entry "direct" with another before it is
// removed.
func TestWithoutDirect(t *testing.T) {
	for from, want := range map[string]string{
		"https://a.example,direct": "https://a.example", "https://a.example|direct": "https://a.example",
		"https://a.example": "https://a.example", "direct": "direct", "off": "off",
	} {
		t.Run(from, func(t *testing.T) {
			if got := withoutDirect(from); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
