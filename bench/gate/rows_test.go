package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestRows: the list that is used is one the gate takes.
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
		"too many": strings.Join(manyRows(mostRows+1), "\n"),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := parseRows("rows", text); !errors.As(err, new(brokenError)) {
				t.Errorf("%v, want broken input", err)
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
	judged := []judgement{
		{row: "Read/a=1", verdict: slower}, {row: "Read/a=12", verdict: slower}, {row: "Read/a=1/b", verdict: grown},
		{row: "Write", verdict: vanished}, {row: "Write/x", verdict: grown}, {row: "Writer", verdict: slower},
		{row: "Write/y", verdict: unmeasured},
	}
	accept(judged, all)
	for i, want := range []verdict{accepted, slower, grown, accepted, accepted, slower, unmeasured} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			if judged[i].verdict != want {
				t.Errorf("%s: %s, want %s", judged[i].row, verdictNames[judged[i].verdict], verdictNames[want])
			}
		})
	}
	if !strings.Contains(judged[0].why, "a check was missing") {
		t.Errorf("%q does not tell the reason", judged[0].why)
	}
	if _, err := parseAcceptances("Bench-Accept: Read/a=1\n"); !errors.As(err, new(brokenError)) {
		t.Errorf("no reason: %v", err)
	}
}
