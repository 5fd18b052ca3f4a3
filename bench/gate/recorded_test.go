package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The files of testdata were written by gate -o on two cores with about twenty
// busy processes, without the lines that do not matter here: two of them with
// -most 48, and two, called noisy, as CI would run it. In "slower" and
// "slower-noisy" head has an injected slowdown in the row loop of v4: it takes 39
// % more instructions in the row with small events, 20 % more in the other.
const (
	burst = "Read/version=4/trace=net10-burst-dropped/source=memory"
	deep  = "Read/version=4/trace=net10-deep/source=stream"
	v6    = "Read/version=6/trace=gen-steady/source=memory"
	wrote = "Write/version=4/trace=net10-http/source=memory"
)

// TestRecorded evaluates the output of real runs.
func TestRecorded(t *testing.T) {
	for _, c := range []struct {
		file     string
		code     int
		outcomes map[string]outcome
	}{
		{"same.txt", exitPass, map[string]outcome{burst: pass, v6: pass}},
		{"slower.txt", exitRegression, map[string]outcome{burst: slower, v6: pass}},
		{"same-noisy.txt", exitPass, map[string]outcome{burst: pass, deep: pass, v6: pass, wrote: pass}},
		{"slower-noisy.txt", exitUnmeasured, map[string]outcome{burst: unmeasured, deep: unmeasured, v6: pass, wrote: pass}},
	} {
		t.Run(c.file, func(t *testing.T) {
			results, err := evaluateFile(filepath.Join("testdata", c.file))
			if err != nil {
				t.Error(err)
				return
			}
			if len(results) != len(c.outcomes) {
				t.Errorf("%d rows, want %d", len(results), len(c.outcomes))
			}
			for _, j := range results {
				if want := c.outcomes[j.row]; j.outcome != want {
					t.Errorf("%s: %s, want %s", j.row, j.text(), outcomeNames[want])
				}
			}
			if got := report(&bytes.Buffer{}, results); got != c.code {
				t.Errorf("exit %d, want %d", got, c.code)
			}
		})
	}
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
		"no round":        strings.ReplaceAll(text, "round: 3\n", "round: x\n"),
		"another phase":   strings.ReplaceAll(text, "phase: burn-in", "phase: sleep"),
		"not a number":    strings.Replace(text, " ns/op", "x ns/op", 1),
		"no time":         strings.ReplaceAll(strings.ReplaceAll(text, "cpu-ns/op", "other"), "ns/op", "things"),
		"an odd round":    strings.Replace(text, "side: head\nlayout: 3\n", "side: base\nlayout: 3\n", 1),
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
	for phase, want := range map[string]outcome{phaseMeasure: unmeasured, phaseConfirm: unmeasured} {
		t.Run(phase, func(t *testing.T) {
			r := newRecord()
			if _, err := r.read("slower.txt", readFile(t, "slower.txt")); err != nil {
				t.Fatal(err)
			}
			delete(r.rows[burst].phases, phase)
			if got, why := r.rows[burst].evaluate(); got != want {
				t.Errorf("without %s: %s (%s), want %s", phase, outcomeNames[got], why, outcomeNames[want])
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
			text := fmt.Sprintf("Unit blocks/op %s\n", meta)
			for n := range minRounds {
				text += fmt.Sprintf("phase: measure\nround: %d\nside: base\nBenchmarkRead 1 10 ns/op 2 blocks/op\n", n)
				text += "side: head\nBenchmarkRead 1 10 ns/op 3 blocks/op\n"
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
