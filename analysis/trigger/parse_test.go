package trigger_test

import (
	"errors"
	"testing"

	"github.com/nettrace-go/nettrace/analysis/trigger"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// rules are rules of all kinds.
var rules = []string{
	"System.Runtime/cpu-usage > 80 for 10s",
	"System.Runtime/dotnet.process.cpu.count>=2",
	"My.Meter/queue.length:queue=in,region=* > 1000",
	"My.Meter/query.duration:p95 > 0.5 for 1m",
	"System.Net.Http/http.client.request.duration:p99 > 0.5",
	"ExceptionThrown",
	"ExceptionThrown:ExceptionType=*Timeout* > 10/s",
	`ExceptionThrown:ExceptionMessage="*time out, or*"`,
	"GCStart:Depth>=2,Reason!=1 >= 3/1m30s",
	"Microsoft-Windows-DotNETRuntime/80 > 0/500ms",
	"My-Source/OrderFailed:Amount<1000",
	"gc-pause > 200ms",
	"request >= 2s",
	"client-request > 1m",
	"threadpool-queue > 100 for 5s",
	"working-set > 2GiB",
	"  working-set   <   1.5MB   for   1h  ",
}

// TestParse parses each kind of rule.
func TestParse(t *testing.T) {
	for _, text := range rules {
		t.Run(text, func(t *testing.T) {
			r, err := trigger.Parse(text)
			expect.NoError(t, err)
			expect.Stop(t)
			_, err = trigger.Parse(r.String())
			expect.NoError(t, err)
		})
	}
}

// TestParseSyntax checks the place of each syntax error.
func TestParseSyntax(t *testing.T) {
	for _, c := range []struct {
		name, text string
		offset     int
	}{
		{"nothing", "", 0},
		{"comparison first", "> 5", 0},
		{"quoted subject", `"gc-pause" > 5ms`, 0},
		{"measure alone", "gc-pause", 8},
		{"measure without threshold", "gc-pause >", 10},
		{"pause without unit", "gc-pause > 200", 11},
		{"negative pause", "gc-pause > -1s", 11},
		{"pause for a time", "gc-pause > 200ms for 5s", 17},
		{"time of a counter", "gc-pauses > 200ms", 0},
		{"size without unit", "working-set > 5", 14},
		{"queue that is no number", "threadpool-queue > many", 19},
		{"counter without provider", "cpu-usage > 80", 0},
		{"counter that is not finite", "System.Runtime/cpu-usage > NaN", 27},
		{"counter without threshold", "System.Runtime/cpu-usage >", 26},
		{"for without time", "System.Runtime/cpu-usage > 80 for", 33},
		{"for without unit", "System.Runtime/cpu-usage > 80 for 10", 34},
		{"word after the end", "System.Runtime/cpu-usage > 80 for 10s again", 38},
		{"two thresholds", "System.Runtime/cpu-usage > 80 > 90", 30},
		{"no comparison", "System.Runtime/cpu-usage 80", 25},
		{"event without name", "P/", 0},
		{"event without provider", "/E", 0},
		{"condition without field", "ExceptionThrown:=x", 16},
		{"condition without value", "ExceptionThrown:ExceptionType=", 30},
		{"condition without comparison", "P/E:x", 0},
		{"comma without field", "P/E:x=1,", 8},
		{"comma in front", ",", 0},
		{"field that is no number", "P/E:x>y", 6},
		{"quote without end", `P/E:x="y`, 6},
		{"single exclamation mark", "P/E:x!y", 5},
		{"rate without time", "ExceptionThrown > 10/", 21},
		{"rate of an unknown unit", "ExceptionThrown > 10/week", 21},
		{"rate of a short time", "ExceptionThrown > 10/1ns", 21},
		{"rate that is no number", "ExceptionThrown > x/s", 18},
		{"rate under a number", "ExceptionThrown < 10/s", 16},
		{"rate over a negative number", "ExceptionThrown > -1/s", 16},
		{"rate for a time", "ExceptionThrown > 10/s for 5s", 23},
		{"colon first", ":x=1", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := trigger.Parse(c.text)
			var syntax *trigger.SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("rule %v, error %v; want a SyntaxError", r, err)
			}
			expect.Equal(t, "offset ("+syntax.Reason+")", syntax.Offset, c.offset)
			expect.Equal(t, "text", syntax.Text, c.text)
		})
	}
}

// TestParseImpossible refuses names that do not exist.
func TestParseImpossible(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"counter", "System.Runtime/cpu-uasge > 80", "System.Runtime has no counter cpu-uasge"},
		{"event", "ExceptionTrown > 1/s", "Microsoft-Windows-DotNETRuntime has no event ExceptionTrown"},
		{"field", "ExceptionThrown:Type=x", "ExceptionThrown has no field Type"},
		{"histogram without quantile", "System.Net.Http/http.client.request.duration > 1", "System.Net.Http/http.client.request.duration is a histogram: choose a quantile (System.Net.Http/http.client.request.duration:p95)"},
		{"quantile of a counter", "System.Runtime/cpu-usage:p95 > 80", "System.Runtime/cpu-usage is no histogram: it has no quantiles"},
		{"quantile of an instrument", "System.Runtime/dotnet.exceptions:p95 > 80", "System.Runtime/dotnet.exceptions is no histogram: it has no quantiles"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := trigger.Parse(c.text)
			var impossible *trigger.ImpossibleError
			if !errors.As(err, &impossible) {
				t.Fatalf("error %v, want an ImpossibleError", err)
			}
			expect.Equal(t, "reason", impossible.Reason, c.want)
		})
	}
}

// FuzzParse parses any text: a rule that is accepted is accepted again, and an
// error has a place in the text.
func FuzzParse(f *testing.F) {
	for _, text := range rules {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := trigger.Parse(text)
		var syntax *trigger.SyntaxError
		switch {
		case errors.As(err, &syntax):
			if syntax.Offset < 0 || syntax.Offset > len(text) {
				t.Errorf("offset %d in %d bytes", syntax.Offset, len(text))
			}
		case err == nil:
			if _, err := trigger.Parse(r.String()); err != nil {
				t.Errorf("%q: %v the second time", r, err)
			}
			trigger.NewMatcher([]*trigger.Rule{r}, trigger.Options{})
		}
	})
}
