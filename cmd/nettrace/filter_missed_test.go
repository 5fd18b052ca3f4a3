package main

import (
	"strings"
	"testing"
)

// TestEventsNothingMatches: filters that let no event through are named, and the
// exit code is 1, of files and pipes, in text and ndjson.
func TestEventsNothingMatches(t *testing.T) {
	data := plain(t, "net10-mix-gc.v4")
	for _, c := range []struct {
		name  string
		flags []string
		want  string
	}{
		{"provider", []string{"--provider", "Microsoft"}, "4,657 left out by --provider; other providers in the trace: Microsoft-DotNETCore-EventPipe"},
		{"name and id", []string{"--name", "Foo*", "--id", "9999"}, "4,657 left out by --name, --id"},
		{"from after the end", []string{"--from", "1h"}, "left out by --from; those outside of the time range are from 0.005 s to 1.128 s"},
		{"to before the start", []string{"--to", "-1h"}, "left out by --to"},
		{"process", []string{"--process", "99999999"}, "left out by --process"},
		{"thread", []string{"--thread", "99999999"}, "left out by --thread"},
		{"keyword", []string{"--keyword", "0x8000000000000000"}, "left out by --keyword"},
		{"ndjson", []string{"--format", "ndjson", "--id", "9999"}, "left out by --id"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := nettrace(t, data, append([]string{"events", "-"}, c.flags...)...)
			if r.code != exitBroken {
				t.Errorf("exit %d, want %d", r.code, exitBroken)
			}
			if !strings.Contains(r.stderr, c.want) {
				t.Errorf("stderr %q, want %q in it", r.stderr, c.want)
			}
		})
	}
	t.Run("file that is read by its index", func(t *testing.T) {
		r := nettrace(t, nil, "events", file(t, "x.nettrace", data), "--from", "1h")
		if r.code != exitBroken {
			t.Errorf("exit %d, want %d", r.code, exitBroken)
		}
		if want := "no event matches"; !strings.Contains(r.stderr, want) {
			t.Errorf("stderr %q, want %q in it", r.stderr, want)
		}
	})
	t.Run("no filter and no event", func(t *testing.T) {
		r := nettrace(t, plain(t, "net10-empty.v4"), "events", "-", "--format", "ndjson")
		if r.code != exitDone {
			t.Errorf("exit %d, stderr %q, want %d", r.code, r.stderr, exitDone)
		}
	})
	t.Run("stacks", func(t *testing.T) {
		r := nettrace(t, data, "stacks", "-", "--id", "9999")
		if want := "left out by --id"; r.code != exitBroken || !strings.Contains(r.stderr, want) {
			t.Errorf("exit %d, stderr %q, want 1 and %q", r.code, r.stderr, want)
		}
	})
}
