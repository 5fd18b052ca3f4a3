package program_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
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

// TestUnmatchedValues: each value of a list that matches no event is named, if others match.
func TestUnmatchedValues(t *testing.T) {
	path := testfile.New(t, "x.nettrace", testfile.Plain(t, "net10-mix-gc.v4"))
	const threads = "12573,12573-12578,99"
	for _, c := range []struct {
		name  string
		flags []string
		want  []string
	}{
		{"all match", []string{"--event", "GCStart,GC*,1-2", "--provider", "*Runtime,*RUNTIME", "--process", "0-99999"}, nil},
		{"event", []string{"--event", "GCStart, Nope,9999,1"}, []string{`--event: "9999"`, `--event: "Nope"`}},
		{"event of another provider", []string{"--provider", "*Runtime", "--event", "GCStart,ProcessInfo"}, []string{`--event: "ProcessInfo"`}},
		{"provider", []string{"--provider", "*Runtime,Nope"}, []string{`--provider: "Nope"`}},
		{"thread", []string{"--thread", threads}, []string{`--thread: "99"`}},
		{"process", []string{"--process", "1-99999,123456789"}, []string{`--process: "123456789"`}},
	} {
		want := ""
		for _, text := range c.want {
			want += "nettrace: " + path + ": warning: " + text + " matches no event\n"
		}
		for _, args := range [][]string{
			{"events", path},
			{"events", path, "--format", "ndjson", "--workers", "3"},
			{"slice", path, "-o", filepath.Join(t.TempDir(), "out.nettrace")},
			{"stacks", path},
		} {
			t.Run(c.name+"/"+args[0], func(t *testing.T) {
				r := programtest.Run(t, nil, append(args, c.flags...)...)
				if args[0] == "stacks" && r.Code == exit.Broken {
					t.Skip("no stacks")
				}
				r.Exits(t, exit.Done)
				expect.Equal(t, "stderr", r.Stderr, want)
			})
		}
	}
	t.Run("limit", func(t *testing.T) {
		r := programtest.Run(t, nil, "events", path, "--event", "GCStart,Nope", "--limit", "1")
		r.Exits(t, exit.Done)
		expect.Equal(t, "stderr", r.Stderr, "")
	})
}

// TestEmptyValueOfList: a comma without a value is an error.
func TestEmptyValueOfList(t *testing.T) {
	path := testfile.New(t, "x.nettrace", testfile.Plain(t, "net10-empty.v4"))
	for _, c := range []struct{ flag, list string }{{"--provider", "*Runtime,"}, {"--provider", "a, ,b"}, {"--event", "GCStart, "}, {"--thread", "1,,2"}} {
		t.Run(c.flag+" "+c.list, func(t *testing.T) {
			r := programtest.Run(t, nil, "events", path, c.flag, c.list)
			r.Exits(t, exit.Usage)
			expect.Contains(t, "stderr", r.Stderr, c.flag+": the value is empty")
		})
	}
}
