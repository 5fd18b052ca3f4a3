package program_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/summary"
)

// summaries changes into a folder with the summaries before.nts and after.nts of some traces,
// one of which is truncated, and returns the path of the folder testdata.
func summaries(t *testing.T) (testdata string) {
	t.Helper()
	testdata, err := filepath.Abs("../report/testdata")
	expect.NoError(t, err)
	dir := t.TempDir()
	for _, name := range []string{"net10-mix-gc.v4", "net10-mix-locks.v4", "net10-http.v4", "net10-killed.v4"} {
		data, err := os.ReadFile(testfile.Archive(t, name))
		expect.NoError(t, err)
		expect.NoError(t, os.WriteFile(filepath.Join(dir, name+".nettrace.zst"), data, 0o600))
	}
	t.Chdir(dir)
	for out, traces := range map[string][]string{
		"before": {"net10-mix-gc.v4", "net10-mix-locks.v4"},
		"after":  {"net10-mix-gc.v4", "net10-http.v4", "net10-killed.v4"},
	} {
		args := []string{"summarize", "-o", out + ".nts"}
		for _, name := range traces {
			args = append(args, name+".nettrace.zst")
		}
		programtest.Run(t, nil, args...)
	}
	return testdata
}

// TestSummaryDiff prints two summaries in every format.
func TestSummaryDiff(t *testing.T) {
	testdata := summaries(t)
	for _, c := range []struct {
		name string
		args []string
	}{
		{"diff", []string{"report", "--diff", "before.nts", "after.nts"}},
		{"diff-reversed", []string{"report", "--diff", "after.nts", "before.nts"}},
		{"diff-equal", []string{"report", "--diff", "before.nts", "before.nts"}},
		{"diff-markdown", []string{"report", "--diff", "before.nts", "after.nts", "--format", "markdown"}},
		{"diff-json", []string{"report", "--diff", "before.nts", "after.nts", "--json"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, nil, c.args...)
			r.Exits(t, exit.Done)
			testfile.Golden(t, filepath.Join(testdata, c.name+".txt"), r.Out+r.Stderr)
		})
	}
}

// figures are the numbers of a row in one summary, or their differences.
type figures map[string]any

// diffRow is a row of the JSON.
type diffRow struct {
	Kind, Key, Provider, Name string
	ID                        float64
	Before, After, Change     figures
}

// TestSummaryDiffFigures compares the JSON with the summaries themselves.
func TestSummaryDiffFigures(t *testing.T) {
	summaries(t)
	r := programtest.Run(t, nil, "report", "--diff", "before.nts", "after.nts", "--json")
	r.Exits(t, exit.Done)
	var got struct {
		diffRow
		Durations, Events []diffRow
	}
	expect.NoError(t, json.Unmarshal([]byte(r.Out), &got))
	expect.NotZero(t, "types of events", len(got.Events))
	expect.NotZero(t, "distributions", len(got.Durations))
	expect.Stop(t)
	for side, name := range []string{"before.nts", "after.nts"} {
		data, err := os.ReadFile(name)
		expect.NoError(t, err)
		s, err := summary.Decode(data)
		expect.NoError(t, err)
		expect.Stop(t)
		of := func(row diffRow) figures { return []figures{row.Before, row.After}[side] }
		total := of(got.diffRow)
		expect.Equal(t, name+": file", total["file"], any(name))
		expect.Equal(t, name+": files", total["files"], any(float64(s.Files)))
		expect.Equal(t, name+": files that were not read", total["notRead"], any(float64(len(s.Failures))))
		events, durations := map[diffName]float64{}, map[diffName]summary.Durations{}
		for _, e := range s.Events {
			events[diffName{e.Provider, e.Name, float64(e.ID)}] = float64(e.Count)
		}
		for _, d := range s.Durations {
			durations[diffName{d.Kind, d.Key, 0}] = d
		}
		for _, row := range got.Events {
			key := diffName{row.Provider, row.Name, row.ID}
			expect.Equal(t, name+": events "+row.Name, of(row)["count"], any(events[key]))
			delete(events, key)
		}
		expect.Equal(t, name+": events that are not listed", len(events), 0)
		for _, row := range got.Durations {
			key := diffName{row.Kind, row.Key, 0}
			d := durations[key]
			expect.Equal(t, name+": durations of "+row.Key, of(row)["count"], any(float64(d.Count)))
			expect.Equal(t, name+": sum of "+row.Key, of(row)["totalNs"], any(float64(d.TotalNs)))
			var want any // no key
			if nanos, ok := d.Quantile(0.95); ok {
				want = float64(nanos)
			}
			expect.Equal(t, name+": p95 of "+row.Key, of(row)["p95Ns"], want)
			delete(durations, key)
		}
		expect.Equal(t, name+": durations that are not listed", len(durations), 0)
	}
	for _, row := range append(append(got.Durations, got.Events...), got.diffRow) {
		for key, before := range row.Before {
			x, known := before.(float64)
			y, both := row.After[key].(float64)
			var want any
			if known && both {
				want = y - x
			}
			expect.Equal(t, row.Kind+row.Provider+" "+row.Key+row.Name+": change of "+key, row.Change[key], want)
		}
	}
}

// diffName identifies a row of the JSON.
type diffName struct {
	first, second string
	id            float64
}

// TestSummaryDiffMistakes: the error names the file.
func TestSummaryDiffMistakes(t *testing.T) {
	summaries(t)
	z, err := zstd.NewWriter(nil)
	expect.NoError(t, err)
	expect.NoError(t, os.WriteFile("newer.nts", z.EncodeAll([]byte(`{"version":99,"stacks":{"depth":[],"function":[]}}`), nil), 0o600))
	data, err := os.ReadFile("net10-http.v4.nettrace.zst")
	expect.NoError(t, err)
	expect.NoError(t, os.WriteFile("renamed.nts", data, 0o600))
	const trace = "net10-http.v4.nettrace.zst"
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"a trace before", []string{"--diff", trace, "after.nts"}, exit.Usage, "after.nts is a summary and " + trace + " a trace"},
		{"a trace after", []string{"--diff", "before.nts", trace}, exit.Usage, "before.nts is a summary and " + trace + " a trace"},
		{"a newer version before", []string{"--diff", "newer.nts", "after.nts"}, exit.Broken, "newer.nts: summary: version 99 of the schema"},
		{"a newer version after", []string{"--diff", "before.nts", "newer.nts"}, exit.Broken, "newer.nts: summary: version 99 of the schema"},
		{"a trace with the name of a summary", []string{"--diff", "before.nts", "renamed.nts"}, exit.Broken, "renamed.nts: summary: not a summary"},
		{"a missing file", []string{"--diff", "missing.nts", "after.nts"}, exit.Usage, "missing.nts"},
		{"no file", []string{"--diff", "before.nts"}, exit.Usage, "--diff takes one summary beside OTHER"},
		{"two files", []string{"--diff", "before.nts", "after.nts", "after.nts"}, exit.Usage, "--diff takes one summary beside OTHER"},
		{"a process", []string{"--diff", "before.nts", "-p", "1"}, exit.Usage, "--diff takes one summary beside OTHER"},
		{"a duration", []string{"--diff", "before.nts", "after.nts", "--duration", "3s"}, exit.Usage, "--duration needs a process"},
		{"a page", []string{"--diff", "before.nts", "after.nts", "-o", "page.html"}, exit.Usage, "a summary has no page"},
		{"a flag of a page", []string{"--diff", "before.nts", "after.nts", "--events"}, exit.Usage, "--events needs --format html"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, nil, append([]string{"report"}, c.args...)...)
			r.Exits(t, c.code)
			expect.Contains(t, "stderr", r.Stderr, c.want)
			expect.Equal(t, "output", r.Out, "")
		})
	}
}
