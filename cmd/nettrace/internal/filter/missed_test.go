package filter_test

import (
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
)

// TestEventsNothingMatches: filters that let no event through are named, and the
// exit code is 1, of files and pipes, in text and ndjson.
func TestEventsNothingMatches(t *testing.T) {
	data := testfile.Plain(t, "net10-mix-gc.v4")
	for _, c := range []struct {
		name  string
		flags []string
		want  string
	}{
		{"provider", []string{"--provider", "Microsoft"}, "4,657 left out by --provider; other providers in the trace: Microsoft-DotNETCore-EventPipe"},
		{"name and id", []string{"--event", "Foo*", "--event", "9999"}, "4,657 left out by --event"},
		{"from after the end", []string{"--from", "1h"}, "left out by --from; those outside of the time range are from 0.005 s to 1.128 s"},
		{"to before the start", []string{"--to", "-1h"}, "left out by --to"},
		{"process", []string{"--process", "99999999"}, "left out by --process"},
		{"thread", []string{"--thread", "99999999"}, "left out by --thread"},
		{"keyword", []string{"--keyword", "0x8000000000000000"}, "left out by --keyword"},
		{"ndjson", []string{"--format", "ndjson", "--event", "9999"}, "left out by --event"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, data, append([]string{"events", "-"}, c.flags...)...)
			if r.Code != exit.Broken {
				t.Errorf("exit %d, want %d", r.Code, exit.Broken)
			}
			if !strings.Contains(r.Stderr, c.want) {
				t.Errorf("stderr %q, want %q in it", r.Stderr, c.want)
			}
		})
	}
	t.Run("file that is read by its index", func(t *testing.T) {
		r := programtest.Run(t, nil, "events", testfile.New(t, "x.nettrace", data), "--from", "1h")
		if r.Code != exit.Broken {
			t.Errorf("exit %d, want %d", r.Code, exit.Broken)
		}
		if want := "no event matches"; !strings.Contains(r.Stderr, want) {
			t.Errorf("stderr %q, want %q in it", r.Stderr, want)
		}
	})
	t.Run("no filter and no event", func(t *testing.T) {
		r := programtest.Run(t, testfile.Plain(t, "net10-empty.v4"), "events", "-", "--format", "ndjson")
		if r.Code != exit.Done {
			t.Errorf("exit %d, stderr %q, want %d", r.Code, r.Stderr, exit.Done)
		}
	})
	t.Run("stacks", func(t *testing.T) {
		r := programtest.Run(t, data, "stacks", "-", "--event", "9999")
		if want := "left out by --event"; r.Code != exit.Broken || !strings.Contains(r.Stderr, want) {
			t.Errorf("exit %d, stderr %q, want 1 and %q", r.Code, r.Stderr, want)
		}
	})
}
