package cases_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/conformance/check"
)

// nearby are cases whose fault the checker finds a few bytes from the offset of
// the case: at the start of the row, or of the enclosing field.
var nearby = map[string]bool{
	"either/metadata/types-too-deep.v6":    true,
	"invalid/framing/block-past-stream.v6": true,
	"invalid/netperf/unknown-metadata.v3":  true,
}

// TestCheck: the checker finds the rule that a case breaks in its place, and
// nothing graver than information in a case that breaks none.
func TestCheck(t *testing.T) {
	for _, c := range cases.All() {
		profile := check.Default
		if c.Fault.Rule != rule.None {
			profile = check.Lint
		}
		now := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
		report, err := check.Stream(bytes.NewReader(c.Trace), check.Options{Profile: profile, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		found := slices.ContainsFunc(report.Findings, func(f check.Finding) bool {
			return f.Rule == c.Fault.Rule && (f.Offset == c.Fault.Offset || nearby[c.Name] && max(f.Offset, c.Fault.Offset)-min(f.Offset, c.Fault.Offset) <= 4)
		})
		switch {
		case c.Fault.Rule == rule.None:
			for _, f := range report.Findings {
				t.Errorf("%s: %v @%d, want nothing", c.Name, f.Rule, f.Offset)
			}
		case !found:
			t.Errorf("%s: %v is not found @%d", c.Name, c.Fault.Rule, c.Fault.Offset)
			for _, f := range report.Findings {
				t.Logf("    %v @%d", f.Rule, f.Offset)
			}
		}
	}
}
