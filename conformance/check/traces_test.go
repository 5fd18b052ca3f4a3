package check

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// habits are the findings in a real trace: rules and counts, in the order of
// their names. Errors and warnings are complete. Information is that of the
// independent count of the table "Test corpus mapping"; there may be more.
type habits struct{ errors, warnings, information string }

// corpus is the table "Test corpus mapping" of shared/reference/
// conformance-rules.md. Where the two differ the bytes decide:
//
//   - CMP-008 counts rows, as the rule says, and the table fields;
//   - SQP-015 in the onecollect traces: events stand between their two sequence
//     points, so that it is not found;
//   - PAY-004 in net10-types: 42 of the 52 types are Corners events, which no
//     schema knows: warnings.
var corpus = map[string]habits{
	"aspnet-net10.v4":              {information: "MD-012 1, MD-013 66, PAY-004 62"},
	"azmcp-net10-counters.v4":      {information: "MD-013 21, PAY-004 20, STK-015 186, TYP-013 2"},
	"azmcp-net10-cpu.v4":           {information: "MD-012 1, MD-013 62, PAY-004 59, STK-015 109"},
	"azmcp-net10-dropped.v4":       {information: "MD-012 1, MD-013 39, PAY-004 35, SQP-010 3, STK-015 12"},
	"azmcp-net10-live.v4":          {information: "MD-012 1, MD-013 58, PAY-004 53, STK-015 19"},
	"azmcp-net10-startup.v4":       {information: "MD-012 1, MD-013 32, PAY-004 32"},
	"dotnetdiag-net5-single.v4":    {information: "MD-012 1, MD-013 15, PAY-004 15"},
	"dotnetdiag-net5-webapp.v4":    {information: "MD-012 1, MD-013 9, PAY-004 8, SQP-010 1"},
	"net10-allevents.v4":           {information: "MD-013 86, PAY-004 80"},
	"net10-alloc-sampled.v4":       {information: "MD-013 21, PAY-004 21"},
	"net10-burst-dropped.v4":       {information: "SEQ-001 4, SEQ-005 3"},
	"net10-counters.v4":            {information: "TYP-013 6"},
	"net10-deep.v4":                {information: "MD-012 1, MD-013 65, PAY-004 58, STK-015 744"},
	"net10-empty.v4":               {},
	"net10-envvar-nonstreaming.v4": {information: "MD-013 15, PAY-004 14, SQP-010 2"},
	"net10-http.v4":                {},
	"net10-killed-cut.v4":          {errors: "EOS-006 1", information: "MD-012 1, MD-013 53, PAY-004 49"},
	"net10-killed.v4":              {errors: "EOS-004 1", information: "MD-012 1, MD-013 53, PAY-004 49"},
	"net10-mix-cpu.v4":             {information: "MD-012 1, MD-013 64, PAY-004 59"},
	"net10-mix-gc.v4":              {information: "MD-013 44, PAY-004 40"},
	"net10-mix-gcheap.v4":          {information: "MD-013 22, PAY-004 22"},
	"net10-mix-locks.v4":           {information: "MD-013 29, PAY-004 28"},
	"net10-start-suspended.v4":     {information: "MD-013 24, PAY-004 24"},
	"net10-tpl-activities.v4":      {information: "MD-013 10, PAY-004 10, PAY-016 106"},
	"net10-types.v4": {
		warnings:    "MD-009 2, PAY-001 2, PAY-002 10, PAY-003 3, PAY-004 42, PAY-006 1, PAY-007 3, PAY-021 5, PAY-022 3",
		information: "MD-013 12, PAY-004 10, PAY-016 2, PAY-018 9, SEQ-001 4, TYP-013 320",
	},
	"onecollect-noend.v6": {
		errors:      "TYP-014 1",
		warnings:    "CMP-015 9, EVB-011 1, LBL-008 1, LBL-013 1, MD-017 1, PAY-003 3, SQP-005 1, TRC-003 1",
		information: "CMP-008 11, CMP-009 6, LBL-016 1, MD-013 1, MD-016 4, OPT-011 1, THR-012 1",
	},
	"onecollect-small.v6": {
		errors:      "TYP-014 1",
		warnings:    "CMP-015 9, EVB-009 1, LBL-008 1, LBL-013 1, MD-017 1, PAY-003 3, TRC-003 1",
		information: "CMP-008 11, CMP-009 5, LBL-016 1, MD-013 1, MD-016 4, OPT-011 1, THR-012 1",
	},
	"onecollect-overflow.v6": {
		errors:      "BLK-004 1, TYP-014 1",
		warnings:    "CMP-015 27000, EVB-009 1, LBL-008 2, LBL-013 2, MD-017 1, PAY-003 6001, TRC-003 1",
		information: "BLK-011 1, CMP-008 24003, CMP-009 5, LBL-016 2, MD-013 1, MD-016 4, OPT-011 1, THR-012 2",
	},
	"perfview-net5-arraytypes.v5":         {information: "MD-013 9, PAY-004 9"},
	"perfview-net6-checkpoints.v4":        {information: "MD-013 1, PAY-004 1"},
	"perfview-netcore3.0-win-x64.v4":      {information: "MD-012 1, MD-013 39, PAY-004 38"},
	"perfview-only-managed-macos.v4":      {information: "MD-012 1, MD-013 17, PAY-004 16"},
	"perfview-voicememo-32bit.v4":         {information: "MD-012 1, MD-013 10, PAY-004 10"},
	"roslyn-net10-cpu.v4":                 {information: "MD-012 1, MD-013 54, PAY-004 51, STK-015 153"},
	"sarif-net8.v4":                       {information: "MD-012 1, MD-013 54, PAY-004 51"},
	"sarif-netcore3.1.v4":                 {information: "MD-012 1, MD-013 38, PAY-004 37"},
	"net10-netperf.v3":                    {information: "HDR-003 1"},
	"perfview-netcore2.1-linux-x64.v3":    {information: "HDR-003 1"},
	"perfview-netcore2.1-tracelogging.v3": {information: "HDR-003 1"},
	"perfview-netcore2.1-win-x86.v3":      {information: "HDR-003 1"},
}

// TestTraces holds the table.
func TestTraces(t *testing.T) {
	for _, name := range shared.Traces(t) {
		want, ok := corpus[name]
		if !ok {
			t.Errorf("%s is not in the table", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := check(t, shared.Trace(t, name), Options{Profile: Lint})
			if got := counts(r, rule.Error); got != want.errors {
				t.Errorf("errors: %q, want %q", got, want.errors)
			}
			if got := counts(r, rule.Warning); got != want.warnings {
				t.Errorf("warnings: %q, want %q", got, want.warnings)
			}
			information := strings.Split(counts(r, rule.Information), ", ")
			for entry := range strings.SplitSeq(want.information, ", ") {
				if entry != "" && !slices.Contains(information, entry) {
					t.Errorf("information: no %q in %v", entry, information)
				}
			}
		})
	}
}

// check checks a stream in memory.
func check(t *testing.T, stream []byte, opt Options) *Report {
	t.Helper()
	r, err := Stream(bytes.NewReader(stream), opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// counts sums up the findings of a severity by rule, without prefix.
func counts(r *Report, severity rule.Severity) string {
	sums := map[string]int64{}
	for _, f := range r.Findings {
		if f.Severity == severity {
			_, short, _ := strings.Cut(f.Rule.String(), "-")
			sums[short] += f.Count
		}
	}
	var list []string
	for name, n := range sums {
		list = append(list, fmt.Sprint(name, " ", n))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// TestKilled: the ends of two truncated recordings.
func TestKilled(t *testing.T) {
	for name, want := range map[string]Finding{
		"net10-killed.v4":     {Rule: rule.EOS004, Offset: 694365, Block: Place{51, wire.KindEndOfStream, 694365}},
		"net10-killed-cut.v4": {Rule: rule.EOS006, Offset: 682020, Block: Place{50, wire.KindEvent, 668089}},
	} {
		t.Run(name, func(t *testing.T) {
			r := check(t, shared.Trace(t, name), Options{})
			expect.Len(t, "Findings", r.Findings, 1)
			expect.Equal(t, "Findings[0].Rule", r.Findings[0].Rule, want.Rule)
			expect.Equal(t, "Findings[0].Offset", r.Findings[0].Offset, want.Offset)
			expect.Equal(t, "Findings[0].Block", r.Findings[0].Block, want.Block)
			expect.Equal(t, "Complete", r.Complete, false)
		})
	}
}

// TestOverflow: the check continues after a size that overflowed.
func TestOverflow(t *testing.T) {
	r := check(t, shared.Trace(t, "onecollect-overflow.v6"), Options{})
	i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Rule == rule.BLK004 })
	expect.AtLeast(t, "i", i, 0)
	expect.Stop(t)
	expect.Equal(t, "Findings[i].Offset", r.Findings[i].Offset, 1011)
	expect.Equal(t, "Events", r.Events, 60005)
	expect.Equal(t, "Complete", r.Complete, true)
}
