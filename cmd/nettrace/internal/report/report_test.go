package report_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestGolden prints small traces in every format.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name, trace string
		args        []string
		code        int
	}{
		{"report", "net10-killed.v4", []string{"report", "-"}, exit.Broken}, // it is truncated
		{"report-markdown", "net10-killed.v4", []string{"report", "-", "--format", "markdown"}, exit.Broken},
		{"report-not-recorded", "net10-types.v4", []string{"report", "-"}, exit.Broken},
		{"gc", "net10-mix-gc.v4", []string{"report", "gc", "-"}, exit.Done},
		{"gc-json", "net10-mix-gc.v4", []string{"report", "gc", "-", "--json"}, exit.Done},
		{"gc-markdown", "net10-mix-gc.v4", []string{"report", "gc", "-", "--format", "markdown"}, exit.Done},
		{"gc-not-recorded", "net10-types.v4", []string{"report", "gc", "-"}, exit.Broken},
		{"gc-not-recorded-json", "net10-types.v4", []string{"report", "gc", "-", "--json"}, exit.Broken},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, testfile.Plain(t, c.trace), c.args...)
			r.Exits(t, c.code)
			testfile.Golden(t, filepath.Join("testdata", c.name+".txt"), r.Out+r.Stderr)
		})
	}
}

// TestContract: the JSON has the keys of the contract, and no number that is not
// known.
func TestContract(t *testing.T) {
	r := programtest.Run(t, testfile.Plain(t, "net10-mix-gc.v4"), "report", "-", "--json")
	var report struct {
		Part        string
		Rows        []map[string]any
		Totals      map[string]any
		Findings    []map[string]any
		NotRecorded []map[string]any
	}
	line, _, _ := strings.Cut(r.Out, "\n")
	expect.NoError(t, json.Unmarshal([]byte(line), &report))
	expect.Equal(t, "part", report.Part, "gc")
	expect.Len(t, "rows", report.Rows, 10)
	for _, key := range []string{
		"number", "generation", "reason", "type", "induced", "unfinished", "startNs", "pauseNs", "suspensionNs", "resumeNs", "durationNs",
		"heapBeforeBytes", "heapAfterBytes", "promotedBytes", "fragmentationBytes", "allocatedBytes", "generations",
	} {
		if _, ok := report.Rows[1][key]; !ok {
			t.Errorf("a collection has no %q", key)
		}
	}
	for _, key := range []string{"generation", "reason", "durationNs", "heapBeforeBytes", "heapAfterBytes", "promotedBytes", "allocatedBytes"} {
		if _, ok := report.Rows[5][key]; ok {
			t.Errorf("a pause without a collection has %q", key)
		}
	}
}

// TestFiles: each file has its own reports, and one that cannot be opened does not
// hide the others.
func TestFiles(t *testing.T) {
	gc, types := testfile.Archive(t, "net10-mix-gc.v4"), testfile.Archive(t, "net10-types.v4")
	r := programtest.Run(t, nil, "report", gc, "nothing.nettrace", types)
	r.Exits(t, exit.Usage)
	expect.Contains(t, "stdout", r.Out, gc+": 1 finding", types+": 0 findings", "not recorded")
	r.Complains(t, "nothing.nettrace")
	r = programtest.Run(t, nil, "report", "gc", gc, types)
	r.Exits(t, exit.Done)
}

// TestFindingCommand: the command of a finding has the name of the file.
func TestFindingCommand(t *testing.T) {
	path := testfile.New(t, "a b.nettrace", testfile.Plain(t, "net10-killed.v4"))
	r := programtest.Run(t, nil, "report", path)
	expect.Contains(t, "stdout", r.Out, "nettrace report gc '"+path+"'")
}
