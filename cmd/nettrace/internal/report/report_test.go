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
		{"report-not-recorded", "net10-types.v4", []string{"report", "-"}, exit.Done}, // the part trace is about any trace
		{"gc", "net10-mix-gc.v4", []string{"report", "gc", "-"}, exit.Done},
		{"gc-json", "net10-mix-gc.v4", []string{"report", "gc", "-", "--json"}, exit.Done},
		{"gc-markdown", "net10-mix-gc.v4", []string{"report", "gc", "-", "--format", "markdown"}, exit.Done},
		{"requests", "net10-http.v4", []string{"report", "requests", "-"}, exit.Done},
		{"requests-markdown", "net10-http.v4", []string{"report", "requests", "-", "--format", "markdown"}, exit.Done},
		{"requests-not-recorded", "net10-types.v4", []string{"report", "requests", "-"}, exit.Broken},
		{"gc-not-recorded", "net10-types.v4", []string{"report", "gc", "-"}, exit.Broken},
		{"locks", "net10-mix-locks.v4", []string{"report", "locks", "-"}, exit.Done},
		{"locks-json", "net10-mix-locks.v4", []string{"report", "locks", "-", "--json"}, exit.Done},
		{"locks-markdown", "net10-mix-locks.v4", []string{"report", "locks", "-", "--format", "markdown"}, exit.Done},
		{"locks-not-recorded", "net10-types.v4", []string{"report", "locks", "-"}, exit.Broken},
		{"waits", "net10-mix-locks.v4", []string{"report", "waits", "-"}, exit.Done},
		{"waits-json", "net10-mix-locks.v4", []string{"report", "waits", "-", "--json"}, exit.Done},
		{"waits-markdown", "net10-mix-locks.v4", []string{"report", "waits", "-", "--format", "markdown"}, exit.Done},
		{"waits-not-recorded", "net10-types.v4", []string{"report", "waits", "-"}, exit.Broken},
		{"jit", "net10-start-suspended.v4", []string{"report", "jit", "-"}, exit.Done},
		{"jit-json", "net10-start-suspended.v4", []string{"report", "jit", "-", "--json"}, exit.Done},
		{"jit-markdown", "net10-start-suspended.v4", []string{"report", "jit", "-", "--format", "markdown"}, exit.Done},
		{"jit-tiering-only", "sarif-net8.v4", []string{"report", "jit", "-"}, exit.Done},
		{"jit-not-recorded", "net10-types.v4", []string{"report", "jit", "-"}, exit.Broken},
		{"exceptions", "net10-allevents.v4", []string{"report", "exceptions", "-"}, exit.Done},
		{"exceptions-json", "net10-allevents.v4", []string{"report", "exceptions", "-", "--json"}, exit.Done},
		{"exceptions-markdown", "net10-allevents.v4", []string{"report", "exceptions", "-", "--format", "markdown"}, exit.Done},
		{"exceptions-killed", "net10-killed.v4", []string{"report", "exceptions", "-"}, exit.Broken},
		{"exceptions-not-recorded", "net10-types.v4", []string{"report", "exceptions", "-"}, exit.Broken},
		{"gc-not-recorded-json", "net10-types.v4", []string{"report", "gc", "-", "--json"}, exit.Broken},
		{"alloc", "net10-mix-gc.v4", []string{"report", "alloc", "-", "--wide"}, exit.Done},
		{"alloc-json", "net10-mix-gc.v4", []string{"report", "alloc", "-", "--json"}, exit.Done},
		{"alloc-markdown", "net10-mix-gc.v4", []string{"report", "alloc", "-", "--format", "markdown"}, exit.Done},
		{"threads", "net10-mix-cpu.v4", []string{"report", "threads", "-"}, exit.Done},
		{"threads-json", "net10-mix-cpu.v4", []string{"report", "threads", "-", "--json"}, exit.Done},
		{"threads-markdown", "net10-mix-cpu.v4", []string{"report", "threads", "-", "--format", "markdown"}, exit.Done},
		{"threads-not-recorded", "net10-types.v4", []string{"report", "threads", "-"}, exit.Broken},
		{"counters", "net10-counters.v4", []string{"report", "counters", "-", "--wide"}, exit.Done},
		{"counters-json", "net10-counters.v4", []string{"report", "counters", "-", "--json"}, exit.Done},
		{"counters-markdown", "net10-counters.v4", []string{"report", "counters", "-", "--format", "markdown"}, exit.Done},
		{"counters-not-recorded", "net10-types.v4", []string{"report", "counters", "-"}, exit.Broken},
		{"trace", "net10-types.v4", []string{"report", "trace", "-"}, exit.Done},
		{"trace-json", "net10-types.v4", []string{"report", "trace", "-", "--json"}, exit.Done},
		{"trace-markdown", "net10-types.v4", []string{"report", "trace", "-", "--format", "markdown"}, exit.Done},
		{"alloc-not-recorded", "net10-types.v4", []string{"report", "alloc", "-"}, exit.Broken},
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

// TestRequestsContract: the JSON of requests has the keys of the contract.
func TestRequestsContract(t *testing.T) {
	r := programtest.Run(t, testfile.Plain(t, "net10-http.v4"), "report", "requests", "-", "--json")
	var report struct {
		Part   string
		Rows   []map[string]any
		Totals struct {
			Outgoing map[string]any
			Routes   []map[string]any
		}
	}
	expect.NoError(t, json.Unmarshal([]byte(r.Out), &report))
	expect.Equal(t, "part", report.Part, "requests")
	expect.Len(t, "rows", report.Rows, 201)
	for _, row := range report.Rows {
		_, known := row["durationNs"]
		expect.Equal(t, "an ambiguous request has no duration", known, row["state"] != "ambiguous")
	}
	for what, keys := range map[string]map[string]any{"totals": report.Totals.Outgoing, "a route": report.Totals.Routes[0]} {
		for _, key := range []string{"completed", "ambiguous", "unfinished", "durations"} {
			if _, ok := keys[key]; !ok {
				t.Errorf("%s has no %q", what, key)
			}
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
