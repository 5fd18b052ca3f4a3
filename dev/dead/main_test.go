package main

import (
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestRun compares one report with several lists of explanations.
func TestRun(t *testing.T) {
	const report = `[
		{"Path": "github.com/nettrace-go/nettrace/gen", "Funcs": [
			{"Name": "Builder.Count", "Position": {"File": "gen/builder.go", "Line": 9}},
			{"Name": "Example_count", "Position": {"File": "gen/example_test.go", "Line": 3}}]},
		{"Path": "github.com/nettrace-go/nettrace", "Funcs": [
			{"Name": "ExampleOf", "Position": {"File": "example.go", "Line": 5}}]}]`
	for _, c := range []struct {
		name, explained string
		want            []string
	}{
		{"no explanation", "", []string{
			"gen/builder.go:9: neither a program nor a test calls Builder.Count",
			"example.go:5: neither a program nor a test calls ExampleOf",
		}},
		{"all explained", "# package\tsymbol\treason\ngen\tBuilder.Count\tfmt\n\tExampleOf\tno test\n", nil},
		{"explanation of another package", "edit\tBuilder.Count\tfmt\n\tExampleOf\tno test\n", []string{
			"gen/builder.go:9: neither a program nor a test calls Builder.Count",
			"explained.tsv: edit: Builder.Count is called, or removed",
		}},
		{"explanation that no longer applies", "gen\tBuilder.Count\tfmt\n\tExampleOf\tno test\ngen\tNew\tfmt\n", []string{
			"explained.tsv: gen: New is called, or removed",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := run(strings.NewReader(report), c.explained)
			expect.NoError(t, err)
			expect.Slices(t, "problems", got, c.want)
		})
	}
}

// TestRunErrors: input that is not the output of deadcode, or not a list, is an
// error.
func TestRunErrors(t *testing.T) {
	for _, c := range []struct{ name, report, explained string }{
		{"no report", "", ""},
		{"text instead of JSON", "gen/builder.go:9:19: unreachable func: Builder.Count", ""},
		{"line without a reason", "[]", "gen\tBuilder.Count\n"},
		{"line with an empty reason", "[]", "gen\tBuilder.Count\t\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := run(strings.NewReader(c.report), c.explained)
			if err == nil {
				t.Errorf("run returns no error")
			}
		})
	}
}
