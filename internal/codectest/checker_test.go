package codectest_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/conformance/check"
)

// checked returns the errors that the conformance checker finds in a stream.
func checked(t *testing.T, stream []byte) []*check.Finding {
	t.Helper()
	report, err := check.Stream(bytes.NewReader(stream), check.Options{Now: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	var list []*check.Finding
	for i := range report.Findings {
		if f := &report.Findings[i]; f.Severity == rule.Error {
			list = append(list, f)
		}
	}
	return list
}

// noErrors fails the test for every error that the checker finds in a stream.
func noErrors(t *testing.T, stream []byte) {
	t.Helper()
	for _, f := range checked(t, stream) {
		t.Errorf("checker: %v: %s", f.Rule, f.Actual)
	}
}
