package conformancetest

import (
	"bytes"
	"errors"
	"testing"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/conformance/check"
	"github.com/nettrace-go/nettrace/conformance/rows"
	"github.com/nettrace-go/nettrace/conformance/runner"
)

// TestDefaultWriterFindings: a codec.Writer with default options adds no finding, of any
// severity, to those of the events that it is given.
func TestDefaultWriterFindings(t *testing.T) {
	written := 0
	for _, c := range cases.All() {
		if !runner.Writable(&c) {
			continue
		}
		lines, err := rows.Parse(runner.Input(&c))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := rows.Write(&out, lines); errors.Is(err, rows.ErrUnsupported) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		written++
		t.Run(c.Name, func(t *testing.T) {
			of := findings(t, c.Trace)
			for id, f := range findings(t, out.Bytes()) {
				if of[id] == nil {
					t.Errorf("finding %v: %s, want none that the case does not have", f.Rule, f.Actual)
				}
			}
		})
	}
	if written < 100 {
		t.Errorf("%d cases written, want at least 100", written)
	}
}

// findings returns the first finding of each rule.
func findings(t *testing.T, trace []byte) map[rule.ID]*check.Finding {
	t.Helper()
	report, err := check.Stream(bytes.NewReader(trace), check.Options{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[rule.ID]*check.Finding{}
	for i := range report.Findings {
		if f := &report.Findings[i]; found[f.Rule] == nil {
			found[f.Rule] = f
		}
	}
	return found
}
