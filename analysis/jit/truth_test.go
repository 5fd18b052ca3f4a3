package jit_test

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// printed is a line of a program that recorded itself: a method, or what the runtime
// said of all methods at the end.
type printed struct {
	Method, Type string
	Instances    int64
	Tiers, Maybe []string
	End          any // true in the last line, otherwise a time
	Methods      int64
	JitMs        float64
}

// TestTruth compares the tiers of each method with those that the recorded program
// expects, and the totals with what its runtime said.
func TestTruth(t *testing.T) {
	rows, totals, _ := reportOf(t, shared.TruthFile(t, "jit-truth.v4.nettrace.zst"))
	methods := 0
	for line := range bytes.Lines(shared.TruthFile(t, "jit-truth.truth.ndjson")) {
		var p printed
		expect.NoError(t, json.Unmarshal(line, &p))
		if p.End == true {
			within(t, "compilations", float64(totals.Methods.All.Count), float64(p.Methods), 3)
			within(t, "time in ms", float64(totals.Methods.All.DurationNs.Or(-1))/1e6, p.JitMs, 0.02*p.JitMs)
		}
		if p.Method == "" {
			continue
		}
		methods++
		t.Run(p.Type+"."+p.Method, func(t *testing.T) {
			counts := map[string]int64{}
			for _, r := range rows {
				name, _, _ := strings.Cut(r.Method, "(")
				if i := strings.IndexByte(name, '<'); i > 0 {
					name = name[:i]
				}
				if strings.HasSuffix(name, p.Type+"."+p.Method) || p.Method == ".cctor" && strings.Contains(r.Method, p.Type) && strings.Contains(r.Method, "cctor") {
					counts[r.Tier]++
				}
			}
			for tier := range counts {
				if !slices.Contains(p.Tiers, tier) && !slices.Contains(p.Maybe, tier) {
					t.Errorf("tier %s, want %v, perhaps %v", tier, p.Tiers, p.Maybe)
				}
			}
			for _, tier := range p.Tiers {
				expect.Equal(t, "compilations as "+tier, counts[tier], p.Instances)
			}
		})
	}
	expect.Equal(t, "methods", methods, 33)
}

// within compares numbers that may differ a little.
func within(t *testing.T, what string, got, want, most float64) {
	t.Helper()
	if math.Abs(got-want) > most {
		t.Errorf("%s: got %.3f, want %.3f within %.3f", what, got, want, most)
	}
}
