package browser

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// Test06: the sum of self in Top is the total of the root box.
func Test06Sum(t *testing.T) {
	p := open(t, reportOf(t, traceFile(t, "net10-mix-cpu.v4")))
	for _, address := range []string{"#/top?type=wall", "#/top?type=wall&just-my-code=", "#/top?type=wall&group=module&from=1s", "#/top?type=gc"} {
		t.Run(address, func(t *testing.T) {
			var got struct {
				top
				Root int64
			}
			p.evaluate(t, "nettrace.top("+quoted(address)+")", &got)
			sum := int64(0)
			for _, row := range got.Rows {
				sum += row.Self
			}
			expect.NotZero(t, "sum", sum)
			expect.Equal(t, "sum of self", sum, got.Total)
			expect.Equal(t, "root", got.Root, got.Total)
		})
	}
}

// Test07: the ranges [a,b) and [b,c) add up to [a,c).
func Test07Ranges(t *testing.T) {
	for _, name := range []string{"net10-mix-cpu.v4", "net10-mix-locks.v4"} {
		p := open(t, reportOf(t, traceFile(t, name)))
		var head struct {
			StartNs, EndNs int64
			Types          []struct{ Option string }
		}
		p.evaluate(t, "nettrace.head()", &head)
		for _, kind := range head.Types {
			t.Run(name+"/"+kind.Option, func(t *testing.T) {
				a, b, c := head.StartNs, head.StartNs+(head.EndNs-head.StartNs)/3+1, head.EndNs+1
				total := func(from, to int64) int64 {
					var got top
					p.evaluate(t, "nettrace.top("+quoted(fmt.Sprintf("#/top?type=%s&from=%dns&to=%dns", kind.Option, from, to))+")", &got)
					return got.Total
				}
				expect.NotZero(t, "total", total(a, c))
				expect.Equal(t, "sum of the parts", total(a, b)+total(b, c), total(a, c))
			})
		}
	}
}

// call is a node of the call tree.
type call struct {
	Name   string `json:"name"`
	Module string `json:"module"`
	Self   int64  `json:"self"`
	Total  int64  `json:"total"`
	Calls  []call `json:"calls,omitempty"`
}

// sorted sorts calls by value and name: the order of equal values has no meaning.
func sorted(calls []call) []call {
	for i := range calls {
		calls[i].Calls = sorted(calls[i].Calls)
	}
	slices.SortFunc(calls, func(a, b call) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Module, b.Module), cmp.Compare(b.Self, a.Self))
	})
	return calls
}

// Test08: the call tree equals that of "nettrace top --tree".
func Test08Tree(t *testing.T) {
	for _, name := range []string{"net10-mix-cpu.v4", "net10-mix-locks.v4"} {
		trace := traceFile(t, name)
		p := open(t, reportOf(t, trace))
		kind := typesOf(t, trace)[0]
		for _, flags := range [][]string{{}, {"--just-my-code"}, {"--group", "namespace", "--fold-recursion"}, {"--from", "1s", "--to", "2s"}} {
			flags := append([]string{"--type", kind}, flags...)
			t.Run(name+" "+strings.Join(flags, " "), func(t *testing.T) {
				want := callsOf(t, trace, append([]string{"--tree"}, flags...)...)
				var got []call
				p.evaluate(t, "nettrace.tree("+quoted(addressOf(flags))+")", &got)
				expect.AtLeast(t, "calls", len(got), 1)
				expect.Equal(t, "tree", text(t, sorted(got)), text(t, sorted(want)))
			})
		}
	}
}

// callsOf returns the tree that "nettrace top" prints.
func callsOf(t *testing.T, trace string, flags ...string) []call {
	t.Helper()
	var printed struct{ Tree []call }
	out := command(t, slices.Concat([]string{"top", "--min", "0", "--json"}, flags, []string{trace})...)
	if err := json.Unmarshal([]byte(out), &printed); err != nil {
		t.Fatal(err)
	}
	return printed.Tree
}

// text returns a value as JSON.
func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Test09: each part of the document equals "nettrace report PART --json".
func Test09Parts(t *testing.T) {
	for _, name := range []string{"net10-mix-cpu.v4", "net10-mix-gc.v4", "net10-mix-locks.v4", "net10-http.v4"} {
		trace := traceFile(t, name)
		address, _ := serve(t, trace)
		p := open(t, address)
		var head struct{ PartNames []string }
		p.evaluate(t, "nettrace.head()", &head)
		expect.AtLeast(t, "parts", len(head.PartNames), 9)
		for _, part := range head.PartNames {
			t.Run(name+"/"+part, func(t *testing.T) {
				var got []any
				p.evaluate(t, "nettrace.head().parts["+quoted(part)+"]", &got)
				var want []any
				cmd := exec.Command(nettrace, "report", part, "--json", filepath.Base(trace))
				cmd.Dir = filepath.Dir(trace)
				out, _ := cmd.Output() // it fails if the trace has no events of the part
				for line := range strings.Lines(string(out)) {
					var object any
					if err := json.Unmarshal([]byte(line), &object); err != nil {
						t.Fatal(err)
					}
					want = append(want, object)
				}
				expect.AtLeast(t, "objects", len(want), 1)
				expect.Equal(t, "objects", text(t, got), text(t, want))
			})
		}
	}
}

// Test11: the command of the command bar prints what the page shows.
func Test11Command(t *testing.T) {
	trace := traceFile(t, "net10-mix-cpu.v4")
	report := reportOf(t, trace)
	for _, query := range []string{"", "?type=wall&hide=%5ESystem%5C.&from=1s&to=4.5s", "?type=wall&hide=%5C(int%2C+string%5C)&ignore=it's&just-my-code=", "?type=gc"} {
		t.Run(query, func(t *testing.T) {
			p := open(t, report+"#/top"+query)
			p.frame(t)
			var got, want top
			p.evaluate(t, "nettrace.top(location.hash.includes('?') ? location.hash : '#/top?type=wall&state=running&state=native')", &got)
			line := p.text(t, "#command") + " --json --limit 0"
			cmd := exec.Command("sh", "-c", line)
			cmd.Dir, cmd.Env = filepath.Dir(trace), append(os.Environ(), "PATH="+filepath.Dir(nettrace)+":"+os.Getenv("PATH"))
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if err := json.Unmarshal(out, &want); err != nil {
				t.Fatal(err)
			}
			expect.NotZero(t, "total", want.Total)
			expect.Equal(t, line, text(t, got), text(t, want))
		})
	}
}
