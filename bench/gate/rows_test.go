package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestRows: the gate accepts the list of rows.txt.
func TestRows(t *testing.T) {
	text, err := os.ReadFile("rows.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := parseRows("rows.txt", string(text))
	if err != nil {
		t.Error(err)
	}
	for _, row := range rows {
		if strings.HasPrefix(row, "Benchmark") {
			t.Errorf("%s: rows are named without Benchmark", row)
		}
	}
}

func TestParseRows(t *testing.T) {
	rows, err := parseRows("rows", "# all\n\nRead/a=1  # first\nWrite\n")
	if err != nil || !slices.Equal(rows, []string{"Read/a=1", "Write"}) {
		t.Errorf("%q, %v", rows, err)
	}
	for name, text := range map[string]string{
		"none":     "# nothing\n",
		"two":      "Read Write\n",
		"again":    "Read\nWrite\nRead\n",
		"too many": strings.Join(manyRows(maxRows+1), "\n"),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := parseRows("rows", text); !errors.As(err, new(malformedError)) {
				t.Errorf("%v, want malformed input", err)
			}
		})
	}
}

func manyRows(n int) []string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = "Read/" + strings.Repeat("x", i+1)
	}
	return rows
}

func TestPattern(t *testing.T) {
	got := pattern([]string{"Read/trace=a.b/source=stream", "Write"})
	if want := `^BenchmarkRead$/^trace=a\.b$/^source=stream$|^BenchmarkWrite$`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestAcceptances(t *testing.T) {
	all, err := parseAcceptances("Read more\n\nBench-Accept: Read/a=1 a check was missing\n  Bench-Accept: BenchmarkWrite/... denser\n")
	if err != nil || len(all) != 2 {
		t.Fatalf("%q, %v", all, err)
	}
	results := []rowResult{
		{row: "Read/a=1", outcome: slower}, {row: "Read/a=12", outcome: slower}, {row: "Read/a=1/b", outcome: grown},
		{row: "Write", outcome: vanished}, {row: "Write/x", outcome: grown}, {row: "Writer", outcome: slower},
		{row: "Write/y", outcome: unmeasured},
	}
	accept(results, all)
	for i, want := range []outcome{accepted, slower, grown, accepted, accepted, slower, unmeasured} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			if results[i].outcome != want {
				t.Errorf("%s: %s, want %s", results[i].row, outcomeNames[results[i].outcome], outcomeNames[want])
			}
		})
	}
	if !strings.Contains(results[0].why, "a check was missing") {
		t.Errorf("%q does not have the reason", results[0].why)
	}
	if _, err := parseAcceptances("Bench-Accept: Read/a=1\n"); !errors.As(err, new(malformedError)) {
		t.Errorf("no reason: %v", err)
	}
}
