package program_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// traceFile writes an uncompressed trace to a file.
func traceFile(t *testing.T, name string) string {
	t.Helper()
	return testfile.New(t, name+".nettrace", shared.Trace(t, name))
}

// query runs a query and returns its rows.
func query(t *testing.T, args ...string) []map[string]any {
	t.Helper()
	r := programtest.Run(t, nil, append([]string{"query", "--json"}, args...)...)
	if r.Out != "" || !strings.Contains(r.Stderr, "nothing to show") {
		r.Exits(t, exit.Done)
	}
	return programtest.Objects(t, r.Out)
}

// TestQueryOfCommands: the ready queries have the numbers of the other commands.
func TestQueryOfCommands(t *testing.T) {
	for _, name := range []string{"net10-mix-cpu.v4", "net10-mix-gc.v4", "net10-mix-locks.v4", "net10-counters.v4", "onecollect-small.v6"} {
		t.Run(name, func(t *testing.T) {
			trace := traceFile(t, name)
			sameEvents(t, trace)
			sameTop(t, trace)
			sameCollections(t, trace)
			sameCounters(t, trace)
		})
	}
}

// sameEvents compares with the command info.
func sameEvents(t *testing.T, trace string) {
	t.Helper()
	want := map[string]int64{}
	for _, p := range rowsOf(t, programtest.Objects(t, programtest.Run(t, nil, "info", "--json", "--all", trace).Out)[0], "providers") {
		for key, n := range sums(rowsOf(t, p, "types"), "events", "name") {
			want[fmt.Sprint(p["name"])+"|"+key] += n
		}
	}
	sameSums(t, "events", sums(query(t, trace, "events-by-type"), "events", "provider", "name"), want)
}

// sameTop compares with the command top, which shows another type of samples of a trace
// without samples of type wall.
func sameTop(t *testing.T, trace string) {
	t.Helper()
	var rows []map[string]any
	for _, one := range programtest.Objects(t, programtest.Run(t, nil, "top", "--json", "--limit", "0", trace).Out) {
		if one["type"] == "wall" {
			rows = rowsOf(t, one, "rows")
		}
	}
	sameSums(t, "self", sums(query(t, trace, "top-self"), "self_ns", "name", "module"), sums(rows, "self", "name", "module"))
	sameSums(t, "total", sums(query(t, trace, "top-total"), "total_ns", "name", "module"), sums(rows, "total", "name", "module"))
}

// sameCollections compares with the command report gc.
func sameCollections(t *testing.T, trace string) {
	t.Helper()
	report := programtest.Objects(t, programtest.Run(t, nil, "report", "gc", "--json", trace).Out)[0]
	want := rowsOf(t, report, "rows")
	got := query(t, trace, "gc")
	expect.Equal(t, "collections", len(got), len(want))
	for _, pair := range [][2]string{{"pause_ns", "pauseNs"}, {"heap_after_bytes", "heapAfterBytes"}, {"duration_ns", "durationNs"}} {
		sameSums(t, pair[0], sums(got, pair[0], "at_ns", "type"), sums(want, pair[1], "startNs", "type"))
	}
	pauses := query(t, trace, "SELECT 'all' AS k, sum(duration_ns) AS ns FROM pauses")
	sums := sums(query(t, trace, "SELECT 'all' AS k, sum(pause_ns) AS ns FROM gc"), "ns", "k")
	for _, p := range pauses {
		n, _ := p["ns"].(json.Number)
		value, _ := n.Int64()
		expect.Equal(t, "sum of the pauses", value, sums["all"])
	}
}

// sameCounters compares with the command counters. The values of EventCounters have one
// number each; the first value of a Meter has none.
func sameCounters(t *testing.T, trace string) {
	t.Helper()
	want := map[string]string{}
	for _, one := range programtest.Objects(t, programtest.Run(t, nil, "counters", "--format", "json", trace).Out) {
		if one["type"] == "value" && one["source"] == "EventCounters" {
			value := one["value"]
			if value == nil {
				value = one["rate"]
			}
			want[fmt.Sprint(one["provider"], "|", one["name"])] += fmt.Sprint(value, " ")
		}
	}
	got := map[string]string{}
	for _, one := range query(t, trace, "SELECT provider, name, value FROM counters ORDER BY at_ns") {
		got[fmt.Sprint(one["provider"], "|", one["name"])] += fmt.Sprint(one["value"], " ")
	}
	for key, values := range want {
		expect.Equal(t, "values of "+key, got[key], values)
	}
}

// TestQueryFiles: the threads of a second file are other threads, each with its own sums.
func TestQueryFiles(t *testing.T) {
	cpu, locks := traceFile(t, "net10-mix-cpu.v4"), traceFile(t, "net10-mix-locks.v4")
	for _, tc := range []struct{ name, trace string }{{"threads", cpu}, {"waits", locks}} {
		t.Run(tc.name, func(t *testing.T) {
			once, twice := query(t, tc.trace, tc.name), query(t, tc.trace, tc.trace, tc.name)
			expect.AtLeast(t, "threads", len(once), 1)
			expect.Equal(t, "threads of two files", len(twice), 2*len(once))
			want := sums(once, "ns", "thread_id")
			for key := range want {
				want[key] *= 2
			}
			sameSums(t, "time", sums(twice, "ns", "thread_id"), want)
		})
	}
}

// sums adds up a number of some objects by a key made of texts.
func sums(list []map[string]any, number string, key ...string) map[string]int64 {
	found := map[string]int64{}
	for _, one := range list {
		var texts []string
		for _, k := range key {
			if one[k] == nil {
				one[k] = ""
			}
			texts = append(texts, fmt.Sprint(one[k]))
		}
		n, _ := one[number].(json.Number)
		value, _ := n.Int64()
		if value != 0 {
			found[strings.Join(texts, "|")] += value
		}
	}
	return found
}

// rowsOf returns the objects in a list of an object.
func rowsOf(t *testing.T, of map[string]any, key string) []map[string]any {
	t.Helper()
	var rows []map[string]any
	list, _ := of[key].([]any)
	for _, one := range list {
		row, ok := one.(map[string]any)
		expect.Equal(t, key+" has objects", ok, true)
		rows = append(rows, row)
	}
	return rows
}

// sameSums compares two sums.
func sameSums(t *testing.T, what string, got, want map[string]int64) {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(want)) {
		expect.Equal(t, what+" of "+key, got[key], want[key])
	}
	expect.Equal(t, what+": rows", len(got), len(want))
}
