package codectest_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/conformance/check"
)

// findings returns the errors and warnings of the conformance checker for a stream.
func findings(t *testing.T, stream []byte) []check.Finding {
	t.Helper()
	report, err := check.Stream(bytes.NewReader(stream), check.Options{Now: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	return report.Findings
}

// brokenRules returns the rules of the findings.
func brokenRules(t *testing.T, stream []byte) (list []rule.ID) {
	t.Helper()
	for _, f := range findings(t, stream) {
		list = append(list, f.Rule)
	}
	return list
}

// checked returns the errors that the conformance checker finds in a stream.
func checked(t *testing.T, stream []byte) []check.Finding {
	t.Helper()
	return slices.DeleteFunc(findings(t, stream), func(f check.Finding) bool { return f.Severity != rule.Error })
}

// noErrors fails the test for every error that the checker finds in a stream.
func noErrors(t *testing.T, stream []byte) {
	t.Helper()
	for _, f := range checked(t, stream) {
		t.Errorf("checker: %v: %s", f.Rule, f.Actual)
	}
}
