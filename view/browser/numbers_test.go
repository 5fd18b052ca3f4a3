package browser

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
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

// sampled are traces with samples.
func sampled(t *testing.T) []string {
	few := []string{"net10-mix-cpu.v4", "net10-mix-locks.v4", "net10-mix-gc.v4", "onecollect-small.v6", "perfview-netcore3.0-win-x64.v4"}
	if !shared.Long() {
		return few
	}
	return slices.DeleteFunc(shared.Traces(t), func(name string) bool { return len(typesOf(t, traceFile(t, name))) == 0 })
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

// Test01 to Test05: rows of Top equal those of "nettrace top": for each trace, for
// ranges, threads, types, and each flag that changes frames.
func Test01to05Top(t *testing.T) {
	for _, name := range sampled(t) {
		t.Run(name, func(t *testing.T) {
			trace := traceFile(t, name)
			p := open(t, reportOf(t, trace))
			types := typesOf(t, trace)
			for _, kind := range types {
				p.compare(t, trace, "--type", kind)
			}
			kind := types[0]
			for _, r := range ranges(t, trace) {
				p.compare(t, trace, "--type", kind, "--from", r[0], "--to", r[1])
			}
			for _, ids := range threads(t, trace) {
				p.compare(t, trace, "--type", kind, "--thread", ids)
			}
			for _, flags := range frameFlags {
				p.compare(t, trace, append([]string{"--type", kind}, flags...)...)
			}
			if kind == "wall" {
				p.compare(t, trace, "--type", "wall", "--state", "running,native")
				p.compare(t, trace, "--type", "wall", "--state", "waiting", "--state", "blocked", "--just-my-code")
			}
		})
	}
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
