package view_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/counters"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tracetest"
	"github.com/nettrace-go/nettrace/view"
)

var update = flag.Bool("update", false, "write the golden files anew")

// smallTrace returns a trace with three threads, of which two are sampled, a pause
// and an exception.
func smallTrace() []byte {
	m := tracetest.New(wire.V4)
	sample := func(at, thread uint64, managed uint32, stack ...uint64) {
		m.Add(tracetest.Event{At: at, Thread: thread, Provider: "Microsoft-DotNETCore-SampleProfiler", Version: 1, Stack: stack, Payload: []any{managed}})
	}
	for round := range uint64(4) {
		sample(1000*round, 1, 2, 0x20, 0x10)
		sample(1000*round+10, 2, 1, 0x30+round%2, 0x10)
	}
	m.Add(tracetest.Event{At: 2500, Thread: 3, ID: 9, Version: 1, Payload: []any{uint32(1), uint32(1), uint16(0)}}) // GCSuspendEEBegin
	m.Add(tracetest.Event{At: 2600, Thread: 3, ID: 3, Version: 1, Payload: []any{uint16(0)}})                       // GCRestartEEEnd
	return m.Trace().Bytes()
}

// TestGolden compares the document of a small trace with a text.
func TestGolden(t *testing.T) {
	d, _ := encode(t, read(t, "small.nettrace", smallTrace()))
	got := text(t, d)
	path := filepath.Join("testdata", "small.txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, "the document (-update writes the golden file)", got, string(want))
}

// text returns a document for users: the head, then a line for each column. The
// parts are left out: their own tests have them.
func text(t *testing.T, d *document) string {
	t.Helper()
	columns := d.Columns
	d.Parts = nil
	head, err := json.MarshalIndent(d.Head, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n", head)
	for _, name := range columns {
		fmt.Fprintf(&b, "%s: %s\n", name, strings.Trim(fmt.Sprint(d.columns[name]), "[]"))
	}
	return b.String()
}

// TestParts: the reports are the objects that the program prints.
func TestParts(t *testing.T) {
	s := read(t, "net10-mix-gc.v4", shared.Trace(t, "net10-mix-gc.v4"))
	d, _ := encode(t, s)
	for i := range s.Reports {
		want := strings.TrimSuffix(string(s.Reports[i].JSON(s.File)), "\n")
		expect.Equal(t, s.Reports[i].Part, string(d.Parts[s.Reports[i].Part][0]), want)
	}
}

// TestCounters: the values of each counter are those of its row in the report, and no row is without them.
func TestCounters(t *testing.T) {
	for name, data := range map[string][]byte{
		"net10-counters.v4":        shared.Trace(t, "net10-counters.v4"),
		"smtp4dev-net11-meters.v4": shared.File(t, "apps/smtp4dev-net11-meters.v4.nettrace.zst"),
	} {
		s := read(t, name, data)
		d, _ := encode(t, s)
		type key struct{ process, provider, name, tags string }
		of := map[key][]view.Counter{}
		for _, c := range d.Counters {
			k := key{c.Process, c.Provider, c.Name, c.Tags}
			of[k] = append(of[k], c)
		}
		rows := 0
		for _, r := range s.Reports {
			if r.Part != counters.Name {
				continue
			}
			for _, row := range r.Rows.([]counters.Row) {
				rows++
				found := of[key{fmt.Sprint(r.ProcessID.Or(0)), row.Provider, row.Name, row.Tags}]
				if len(found) != 1 {
					t.Fatalf("%s: %s %s: %d counters", name, row.Name, row.Tags, len(found))
				}
				got, what := found[0], name+": "+row.Name+" "+row.Tags
				expect.Equal(t, what+": shows", got.Shows, string(row.Shows))
				expect.Equal(t, what+": times", len(got.At), len(got.Values))
				expect.Equal(t, what+": last", got.Values[len(got.Values)-1], *row.Last)
				expect.Equal(t, what+": min", slices.Min(got.Values), *row.Min)
				expect.Equal(t, what+": max", slices.Max(got.Values), *row.Max)
			}
		}
		expect.Equal(t, name+": counters", len(d.Counters), rows)
	}
}

// TestWhy: each value of --type without samples has a reason.
func TestWhy(t *testing.T) {
	d, _ := encode(t, read(t, "net10-http.v4", shared.Trace(t, "net10-http.v4")))
	expect.Equal(t, "types", len(d.Types), 0)
	expect.Contains(t, "reason", d.Why["wall"], "Microsoft-DotNETCore-SampleProfiler")
}

// TestInexact: a number that a page cannot hold exactly is an error.
func TestInexact(t *testing.T) {
	m := tracetest.New(wire.V4)
	for _, at := range []uint64{1, 2, math.MaxInt64 / 500} {
		m.Add(tracetest.Event{At: at, Thread: 1, Provider: "Microsoft-DotNETCore-SampleProfiler", Version: 1, Stack: []uint64{0x10}, Payload: []any{uint32(2)}})
	}
	_, err := read(t, "late.nettrace", m.Trace().Bytes()).Encode()
	if err == nil {
		t.Fatal("no error")
	}
	expect.Contains(t, "error", err.Error(), "a page shows numbers up to 9007199254740991")
	expect.Equal(t, "wraps another error", errors.Unwrap(err) != nil, false)
}

// TestThreads: the number of threads is that of info, which counts those that write events for others too.
func TestThreads(t *testing.T) {
	m := tracetest.New(wire.V4)
	m.Add(tracetest.Event{At: 1, Thread: 1, ID: 99})
	m.Add(tracetest.Event{At: 2, Thread: 2, ID: 99})
	m.Add(tracetest.Event{At: 3, Thread: 2, Capture: 3, ID: 99})
	of := &view.Threads{}
	_, err := analysis.Read(t.Context(), codec.NewReader(bytes.NewReader(m.Trace().Bytes()), codec.Options{}), analysis.Options{Parts: []analysis.Part{of}})
	expect.NoError(t, err)
	expect.Equal(t, "threads", of.Count(), 3)
}
