package browser

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
	"github.com/nettrace-go/nettrace/internal/tracetest"
)

// top is what the page Top and "nettrace top --json" show.
type top struct {
	Total   int64 `json:"total"`
	Samples int64 `json:"samples"`
	Rows    []struct {
		Name    string `json:"name"`
		Module  string `json:"module"`
		Self    int64  `json:"self"`
		Total   int64  `json:"total"`
		Samples int64  `json:"samples"`
	} `json:"rows"`
}

// few are traces with each kind of samples.
var few = []string{"net10-mix-cpu.v4", "net10-mix-locks.v4", "net10-mix-gc.v4", "onecollect-small.v6", "perfview-netcore3.0-win-x64.v4"}

// largest is the size in bytes of traces that only the nightly tests open.
const largest = 4 << 20

// sampled are the shared traces with samples: without the large ones, unless it is night.
func sampled(t *testing.T) []string {
	return slices.DeleteFunc(shared.Traces(t), func(name string) bool {
		return !tier.Nightly && len(shared.Trace(t, name)) > largest || command(t, "top", "--json", "--limit", "1", traceOnce(t, name)) == ""
	})
}

// traceOnce returns the file of a trace, which the tests share.
func traceOnce(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(folder, name+".nettrace")
	if _, err := os.Stat(path); err != nil {
		if err := os.WriteFile(path, shared.Trace(t, name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// compareEach compares the rows of Top with those of the program in traces, for the flags
// that each returns. The page is opened once for each trace.
func compareEach(t *testing.T, names []string, flags func(t *testing.T, trace string, types []string) [][]string) {
	t.Helper()
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			trace := traceOnce(t, name)
			list := flags(t, trace, typesOf(t, trace))
			p := open(t, reported(t, name))
			for _, one := range list {
				p.compare(t, trace, one...)
			}
		})
	}
}

// typesOf returns the values of --type of which a trace has samples.
func typesOf(t *testing.T, trace string) []string {
	var list []string
	for _, name := range []string{"wall", "cpu", "switch", "alloc", "lock", "wait", "exceptions", "gc"} {
		if command(t, "top", "--json", "--limit", "1", "--type", name, trace) != "" {
			list = append(list, name)
		}
	}
	return list
}

// compare compares the rows of Top for some flags with those of the program. The same
// flags are the page's address.
func (p *page) compare(t *testing.T, trace string, flags ...string) {
	t.Helper()
	t.Run(strings.Join(flags, " "), func(t *testing.T) {
		var want, got top
		if out := command(t, slices.Concat([]string{"top", "--json", "--limit", "0"}, flags, []string{trace})...); out != "" {
			if err := json.Unmarshal([]byte(out), &want); err != nil {
				t.Fatal(err)
			}
		}
		p.evaluate(t, "nettrace.top("+quoted(addressOf(flags))+")", &got)
		expect.Equal(t, "total", got.Total, want.Total)
		expect.Equal(t, "samples", got.Samples, want.Samples)
		for i := range min(len(got.Rows), len(want.Rows)) {
			if got.Rows[i] != want.Rows[i] {
				t.Fatalf("row %d is %+v, want %+v", i, got.Rows[i], want.Rows[i])
			}
		}
		expect.Equal(t, "rows", len(got.Rows), len(want.Rows))
	})
}

// addressOf returns the address with flags.
func addressOf(flags []string) string {
	query := url.Values{}
	for i := 0; i < len(flags); i++ {
		name := strings.TrimPrefix(flags[i], "--")
		if i+1 < len(flags) && !strings.HasPrefix(flags[i+1], "--") {
			i++
			query.Add(name, flags[i])
		} else {
			query.Add(name, "true")
		}
	}
	return "#/top?" + query.Encode()
}

// kind returns the first type as flags.
func kind(types []string) []string { return []string{"--type", types[0]} }

// Test01: rows of Top equal those of "nettrace top", in each trace with samples.
func Test01Traces(t *testing.T) {
	names := sampled(t)
	expect.AtLeast(t, "traces", len(names), 10)
	compareEach(t, names, func(t *testing.T, _ string, types []string) [][]string { return [][]string{kind(types)} })
}

// Test02: they do in three ranges, one of which begins and ends within samples.
func Test02Ranges(t *testing.T) {
	compareEach(t, few, func(t *testing.T, trace string, types []string) (list [][]string) {
		for _, r := range ranges(t, trace) {
			list = append(list, append(kind(types), "--from", r[0], "--to", r[1]))
		}
		return list
	})
}

// Test03: they do for one thread, and for two.
func Test03Threads(t *testing.T) {
	compareEach(t, few, func(t *testing.T, trace string, types []string) (list [][]string) {
		for _, ids := range threads(t, trace) {
			list = append(list, append(kind(types), "--thread", ids))
		}
		return list
	})
}

// Test04: they do for each type of samples, and for states.
func Test04Types(t *testing.T) {
	compareEach(t, few, func(t *testing.T, trace string, types []string) (list [][]string) {
		for _, name := range types {
			list = append(list, []string{"--type", name})
			if name == "wall" {
				list = append(list, []string{"--type", "wall", "--state", "running,native"}, []string{"--type", "wall", "--state", "waiting", "--state", "blocked", "--just-my-code"})
			}
		}
		return list
	})
}

// Test05: they do for each flag that selects or changes frames.
func Test05Frames(t *testing.T) {
	compareEach(t, few, func(t *testing.T, trace string, types []string) (list [][]string) {
		for _, flags := range frameFlags {
			list = append(list, append(kind(types), flags...))
		}
		return list
	})
}

// frameFlags are flags that select samples by their frames, or change frames.
var frameFlags = [][]string{
	{"--hide", `^System\.`},
	{"--ignore", "Wait"},
	{"--only", "Program"},
	{"--focus", "Program"},
	{"--group", "module"},
	{"--group", "namespace"},
	{"--group", "assembly"},
	{"--just-my-code"},
	{"--fold-recursion"},
	{"--runtime-helpers"},
	{"--hide", "Task", "--group", "namespace", "--fold-recursion"},
	{"--focus", "(?i)program", "--just-my-code", "--fold-recursion", "--runtime-helpers"},
}

// ranges returns three ranges of a trace; the last one begins and ends within samples.
func ranges(t *testing.T, trace string) [][2]string {
	t.Helper()
	var head struct{ StartNs, EndNs int64 }
	if err := json.Unmarshal([]byte(command(t, "top", "--json", "--limit", "1", trace)), &head); err != nil {
		t.Fatal(err)
	}
	at := func(percent int64) string {
		return fmt.Sprintf("%dns", head.StartNs+(head.EndNs-head.StartNs)/100*percent)
	}
	return [][2]string{{at(0), at(50)}, {at(25), at(75)}, {at(40), at(41)}}
}

// threads returns one thread of a trace, and two.
func threads(t *testing.T, trace string) []string {
	t.Helper()
	var rows top
	if err := json.Unmarshal([]byte(command(t, "top", "--json", "--by", "thread", "--limit", "2", trace)), &rows); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, row := range rows.Rows {
		id, _, _ := strings.Cut(row.Name, " ")
		ids = append(ids, id[strings.IndexByte(id, '/')+1:]) // after the process, if there are several
	}
	return []string{ids[0], strings.Join(ids, ",")}
}

// TestBy: rows of Top equal those of "nettrace top --by", and with --class those of the
// chosen allocations.
func TestBy(t *testing.T) {
	compareEach(t, few[:4], func(t *testing.T, trace string, types []string) (list [][]string) {
		for _, by := range []string{"type", "module", "thread", "process", "source"} {
			list = append(list, append(kind(types), "--by", by), append(kind(types), "--by", by, "--group", "namespace", "--ignore", "Wait", "--sort", "total"))
		}
		for _, name := range types {
			list = append(list, []string{"--type", name, "--by", "class"})
		}
		if slices.Contains(types, "alloc") {
			for _, class := range []string{"String", `^System\.Byte\[\]$`, "none"} {
				list = append(list, []string{"--type", "alloc", "--class", class}, []string{"--type", "alloc", "--class", class, "--by", "class"})
			}
		}
		return list
	})
}

// TestTopBy: the control of --by changes the rows and the command, and Enter opens a row.
func TestTopBy(t *testing.T) {
	p := open(t, reported(t, "net10-mix-gc.v4")+"#/top?type=alloc")
	p.option(t, "main .options select", "class")
	expect.Contains(t, "command", p.text(t, "#command"), "nettrace top --type alloc --by class ")
	p.evaluate(t, "(document.querySelector('.table').focus(), 0)", new(int))
	p.keys(t, kb.ArrowDown)
	first := p.text(t, "main tbody tr.selected td:nth-child(6)")
	p.keys(t, kb.Enter)
	expect.Contains(t, "command of a class", p.text(t, "#command"), "--class '^"+strings.NewReplacer(".", `\.`, "[", `\[`, "]", `\]`, "<", "<").Replace(first)+"$'")
	expect.Equal(t, "the only row", p.text(t, "main tbody tr:last-child td:nth-child(6)"), first)
}

// mergedTrace writes a trace of two files with threads that have the same ids. Process 100
// has a pause of the garbage collector.
func mergedTrace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	files := []string{filepath.Join(dir, "a.nettrace"), filepath.Join(dir, "b.nettrace")}
	for i, file := range files {
		head := tracetest.Header(100 + i)
		head.SyncTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		m := tracetest.With(wire.V4, head)
		for at := range uint64(10 + i) {
			m.Add(tracetest.Event{At: 1000 * at, Thread: 1 + at%2, Provider: "Microsoft-DotNETCore-SampleProfiler", Version: 1, Stack: []uint64{0x1000, 0x2000}, Payload: []any{uint32(2)}})
		}
		if i == 0 {
			m.Add(tracetest.Event{At: 2500, Thread: 3, ID: 9, Version: 1, Payload: []any{uint32(1), uint32(1), uint16(0)}}) // GCSuspendEEBegin
			m.Add(tracetest.Event{At: 2600, Thread: 3, ID: 3, Version: 1, Payload: []any{uint16(0)}})                       // GCRestartEEEnd
		}
		expect.NoError(t, os.WriteFile(file, m.Trace().Bytes(), 0o666))
	}
	both := filepath.Join(dir, "both.nettrace")
	command(t, append([]string{"merge", "-o", both}, files...)...)
	return both
}

// TestTopMerged: the rows of a merged trace by thread, process and source are those of
// "nettrace top --by", and a double-click on one shows its samples only.
func TestTopMerged(t *testing.T) {
	trace := mergedTrace(t)
	p := open(t, reportOf(t, trace))
	for _, by := range []string{"thread", "process", "source"} {
		t.Run(by, func(t *testing.T) {
			p.compare(t, trace, "--type", "wall", "--by", by)
			p.visit(t, "#/top?type=wall&thread=1,2&by="+by)
			samples, row := p.text(t, "main tbody tr td:nth-child(5)"), p.text(t, "main tbody tr td:nth-child(6)")
			p.run(t, chromedp.DoubleClick("main tbody tr", chromedp.ByQuery))
			p.frame(t)
			expect.Contains(t, "the row", row, p.text(t, "main tbody tr:last-child td:nth-child(6)")) // of one process, threads are without its id
			expect.Contains(t, "header", p.text(t, "header"), " "+samples+" samples")
		})
	}
}

// option chooses a value of a select element.
func (p *page) option(t *testing.T, selector, value string) {
	t.Helper()
	p.evaluate(t, "(s => { s.value = "+quoted(value)+"; s.dispatchEvent(new Event('change', {bubbles: true})); return 0 })(document.querySelector("+quoted(selector)+"))", new(int))
	p.frame(t)
}
