package view_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/counters"
	"github.com/nettrace-go/nettrace/analysis/exceptions"
	"github.com/nettrace-go/nettrace/analysis/requests"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/view"
)

// TestWithoutMessages: the messages of exceptions are in no report, and the given
// reports keep them.
func TestWithoutMessages(t *testing.T) {
	reports := []analysis.Report{
		{Rows: []exceptions.Row{{Type: "E", Message: "secret 1"}}, Findings: []analysis.Finding{{Text: `E was not handled: "secret 1"`}}},
		{Rows: []requests.Row{{Path: "/a", Failure: "secret 2"}}, Findings: []analysis.Finding{{Text: "secret 1 without quotes is no message"}}},
		{
			Totals:   &counters.Totals{Errors: []counters.Error{{Callback: true, Text: "E: secret 3\r\n   at secret 4", Count: 1}}},
			Findings: []analysis.Finding{{Rule: "counters-callback-error", Text: "the callback of an instrument failed: E: secret 3"}},
		},
	}
	got := view.WithoutMessages(slices.Clone(reports))
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	expect.Contains(t, "reports", string(text), `E was not handled: \"…\"`, `"path":"/a"`, "an instrument failed: …")
	expect.Equal(t, "secrets", strings.Count(string(text), "secret"), 1)
	expect.Equal(t, "message of the given report", reports[0].Rows.([]exceptions.Row)[0].Message, "secret 1")
	expect.Equal(t, "error of the given report", reports[2].Totals.(*counters.Totals).Errors[0].Text, "E: secret 3\r\n   at secret 4")
	expect.Equal(t, "finding of the given report", reports[0].Findings[0].Text, `E was not handled: "secret 1"`)
}
