package change_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
)

// TestDiff: files that say the same, and files that do not.
func TestDiff(t *testing.T) {
	gc, types := testfile.Archive(t, "net10-mix-gc.v4"), testfile.Archive(t, "net10-types.v4")
	v6 := filepath.Join(t.TempDir(), "v6.nettrace")
	v3, converted := testfile.Archive(t, "net10-netperf.v3"), filepath.Join(t.TempDir(), "v4.nettrace")
	if r := programtest.Run(t, nil, "convert", v3, "-o", converted, "--format", "v4"); r.Code != exit.Done {
		t.Fatal(r.Stderr)
	}
	part := filepath.Join(t.TempDir(), "part.nettrace")
	if r := programtest.Run(t, nil, "slice", gc, "-o", v6, "--format", "v6"); r.Code != exit.Done {
		t.Fatal(r.Stderr)
	}
	if r := programtest.Run(t, nil, "slice", gc, "-o", part, "--drop-rundown"); r.Code != exit.Done {
		t.Fatal(r.Stderr)
	}
	for _, c := range []struct {
		args string
		code int
		File string
	}{
		{gc + " " + v6, exit.Done, "equal: 4,657 events\n"},
		{gc + " " + v6 + " --order time", exit.Done, "equal: 4,657 events\n"},
		{v3 + " " + converted, exit.Done, "not compared: sequence of events (v3 cannot express it): 1,573\n"},
		{"testdata/diff-a.nettrace testdata/diff-b.nettrace", exit.Broken, "event 0 differs: guid, fields, message, threadName\n"},
		{"testdata/diff-a.nettrace testdata/diff-b.nettrace", exit.Broken, "  fields: - (\"Width\" UInt32)\n  fields: + (\"Height\" Single)\n"},
		{"testdata/diff-a.nettrace testdata/diff-b.nettrace --ignore guid,fields,message,threadName", exit.Done, "equal: 1 event\n"},
		{gc + " " + part, exit.Broken, "Microsoft-Windows-DotNETRuntimeRundown  (differs)"},
		{gc + " " + part + " --order time", exit.Broken, "no event: the file ends here"},
		{gc + " " + types, exit.Broken, "event 0 differs: provider, "},
		{gc + " " + types, exit.Broken, "clock: "},
		{gc + " " + types + " -q", exit.Broken, ""},
		{gc, exit.Usage, ""},
		{gc + " " + v6 + " --order up", exit.Usage, ""},
		{gc + " " + v6 + " --ignore nothing", exit.Usage, ""},
		{gc + " /nowhere/x", exit.Usage, ""},
		{gc + " " + testfile.New(t, "bad", []byte("no trace at all")), exit.Broken, ""},
		{testfile.Archive(t, "net10-killed-cut.v4") + " " + testfile.Archive(t, "net10-killed-cut.v4"), exit.Broken, "equal: 9,665 events\n"},
	} {
		t.Run(c.args, func(t *testing.T) {
			r := programtest.Run(t, nil, append([]string{"diff"}, strings.Fields(c.args)...)...)
			r.Exits(t, c.code)
			programtest.WantText(t, "stdout", r.Out, c.File)
		})
	}
}
