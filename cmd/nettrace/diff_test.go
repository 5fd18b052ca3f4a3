package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestDiff: files that say the same, and files that do not.
func TestDiff(t *testing.T) {
	gc, types := archive(t, "net10-mix-gc.v4"), archive(t, "net10-types.v4")
	v6 := filepath.Join(t.TempDir(), "v6.nettrace")
	v3, converted := archive(t, "net10-netperf.v3"), filepath.Join(t.TempDir(), "v4.nettrace")
	if r := nettrace(t, nil, "convert", v3, "-o", converted, "--to", "v4"); r.code != exitDone {
		t.Fatal(r.stderr)
	}
	part := filepath.Join(t.TempDir(), "part.nettrace")
	if r := nettrace(t, nil, "slice", gc, "-o", v6, "--format", "v6"); r.code != exitDone {
		t.Fatal(r.stderr)
	}
	if r := nettrace(t, nil, "slice", gc, "-o", part, "--drop-rundown"); r.code != exitDone {
		t.Fatal(r.stderr)
	}
	for _, c := range []struct {
		args   string
		code   int
		output string
	}{
		{gc + " " + v6, exitDone, "equal: 4,657 events\n"},
		{gc + " " + v6 + " --order time", exitDone, "equal: 4,657 events\n"},
		{v3 + " " + converted, exitDone, "not compared: sequence of events (v3 has no place for it): 1,573\n"},
		{"testdata/diff-a.nettrace testdata/diff-b.nettrace", exitBroken, "event 0 differs: guid, fields, message, threadName\n"},
		{"testdata/diff-a.nettrace testdata/diff-b.nettrace", exitBroken, "  fields: - (\"Width\" UInt32)\n  fields: + (\"Height\" Single)\n"},
		{"testdata/diff-a.nettrace testdata/diff-b.nettrace --ignore guid,fields,message,threadName", exitDone, "equal: 1 event\n"},
		{gc + " " + part, exitBroken, "Microsoft-Windows-DotNETRuntimeRundown  (differs)"},
		{gc + " " + part + " --order time", exitBroken, "no event: the file ends here"},
		{gc + " " + types, exitBroken, "event 0 differs: provider, "},
		{gc + " " + types, exitBroken, "clock: "},
		{gc + " " + types + " -q", exitBroken, ""},
		{gc, exitUsage, ""},
		{gc + " " + v6 + " --order up", exitUsage, ""},
		{gc + " " + v6 + " --ignore nothing", exitUsage, ""},
		{gc + " /nowhere/x", exitUsage, ""},
		{gc + " " + file(t, "bad", []byte("no trace at all")), exitBroken, ""},
		{archive(t, "net10-killed-cut.v4") + " " + archive(t, "net10-killed-cut.v4"), exitBroken, "equal: 9,665 events\n"},
	} {
		t.Run(c.args, func(t *testing.T) {
			r := nettrace(t, nil, append([]string{"diff"}, strings.Fields(c.args)...)...)
			r.exits(t, c.code)
			wantText(t, "stdout", r.out, c.output)
		})
	}
}
