package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// slower.txt was written by gate -o -pairs 40 on two cores with a load average of
// 19. Its head has the plant "branch 7400" of plants.patch, which costs 12.9 % in
// the second measurement.
const (
	planted = "Read/version=4/trace=net10-burst-dropped/source=memory"
	other   = "Write/version=6/trace=gen-good-citizen/source=memory"
)

// TestRecorded evaluates the output of a real run.
func TestRecorded(t *testing.T) {
	results, err := evaluateFile(filepath.Join("testdata", "slower.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if got := report(&bytes.Buffer{}, results); got != exitRegression {
		t.Errorf("exit %d, want %d", got, exitRegression)
	}
	for row, want := range map[string]outcome{planted: slower, other: pass} {
		t.Run(row, func(t *testing.T) {
			i := slices.IndexFunc(results, func(j rowResult) bool { return j.row == row })
			if i < 0 {
				t.Fatal("the record does not have the row")
			}
			if got := results[i]; got.outcome != want {
				t.Errorf("%s, want %s", got.text(), outcomeNames[want])
			}
		})
	}
}

// TestRecordedScaled evaluates it with other slowdowns.
func TestRecordedScaled(t *testing.T) {
	for _, c := range []struct {
		factor float64
		want   outcome
	}{{1 / 1.129, pass}, {1.05 / 1.129, pass}, {1.3 / 1.129, slower}} {
		t.Run(fmt.Sprintf("factor=%.2f", c.factor), func(t *testing.T) {
			got, why := readRecord(t).rows[planted].scaled(c.factor).evaluate()
			if got != c.want {
				t.Errorf("%s (%s), want %s", outcomeNames[got], why, outcomeNames[c.want])
			}
		})
	}
}

func readRecord(t *testing.T) *record {
	t.Helper()
	r := newRecord()
	if _, err := r.read("slower.txt", readFile(t, "slower.txt")); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTruncated: no prefix of a record is accepted as complete.
func TestTruncated(t *testing.T) {
	text := readFile(t, "slower.txt")
	for cut := 0; cut < len(text); cut += 997 {
		wantMalformed(t, text[:cut])
	}
	wantMalformed(t, text[:len(text)-1])
	half := bytes.LastIndex(text, []byte("results: "))
	wantMalformed(t, append(text[:half:half], "results: 12\n"...))
}

// TestMalformed: lines that are lost or wrong in the middle of a record.
func TestMalformed(t *testing.T) {
	text := string(readFile(t, "slower.txt"))
	for name, edited := range map[string]string{
		"a result less":   text[:strings.LastIndex(text, "Benchmark")] + text[strings.LastIndex(text, "results: "):],
		"no side":         strings.ReplaceAll(text, "side: head", "side: none"),
		"no processes":    strings.ReplaceAll(text, "processes: 3\n", "processes: x\n"),
		"another phase":   strings.ReplaceAll(text, "phase: measure", "phase: sleep"),
		"not a number":    strings.Replace(text, " cpu-ns/op", "x cpu-ns/op", 1),
		"no time":         strings.ReplaceAll(text, "cpu-ns/op", "things"),
		"one side only":   strings.Replace(text, "side: head\nlayout: 3\n", "side: base\nlayout: 3\n", 1),
		"nothing at all":  "",
		"only the ending": "\nresults: 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			if edited == text {
				t.Fatal("nothing was edited")
			}
			wantMalformed(t, []byte(edited))
		})
	}
}

// TestRecordedWithout evaluates the record of the slowdown without some of its
// parts.
func TestRecordedWithout(t *testing.T) {
	for _, phase := range []string{phaseMeasure, phaseConfirm} {
		t.Run(phase, func(t *testing.T) {
			w := readRecord(t).rows[planted]
			delete(w.slices, phase)
			w.counts = [2]map[string]float64{}
			if got, why := w.evaluate(); got != unmeasured {
				t.Errorf("without %s: %s (%s), want %s", phase, outcomeNames[got], why, outcomeNames[unmeasured])
			}
		})
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func wantMalformed(t *testing.T, text []byte) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "record.txt")
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if results, err := evaluateFile(name); !errors.As(err, new(malformedError)) {
		t.Errorf("%d bytes: %d rows, %v, want malformed input", len(text), len(results), err)
	}
}

// TestUnits: a unit that a "Unit" line declares exact may not grow, unless more
// is better.
func TestUnits(t *testing.T) {
	for meta, want := range map[string]outcome{
		"assume=exact better=lower": grown, "assume=exact better=higher": pass, "better=lower": pass,
	} {
		t.Run(meta, func(t *testing.T) {
			text := fmt.Sprintf("Unit blocks/op %s\nprocesses: 1\n", meta)
			for _, phase := range []string{phaseMeasure, phaseConfirm} {
				for side, name := range sideNames {
					text += fmt.Sprintf("phase: %s\nside: %s\n", phase, name)
					text += strings.Repeat("BenchmarkRead 1 10 cpu-ns/op\n", minPairs)
					text += fmt.Sprintf("BenchmarkRead 1 10 ns/op %d blocks/op\n", 2+side)
				}
			}
			r := newRecord()
			if _, err := r.read("units", []byte(text)); err != nil {
				t.Fatal(err)
			}
			if got, why := r.rows["Read"].evaluate(); got != want {
				t.Errorf("%s (%s), want %s", outcomeNames[got], why, outcomeNames[want])
			}
		})
	}
}
