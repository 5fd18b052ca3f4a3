package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestPlants: the patch applies to the benchmarks.
func TestPlants(t *testing.T) {
	root := filepath.Join("..", "..")
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		t.Skip("not a git repository: ", err)
	}
	patch, err := os.ReadFile("plants.patch")
	if err != nil {
		t.Fatal(err)
	}
	// go test caches the result of a test until a file changes that it reads.
	for line := range strings.Lines(string(patch)) {
		if name, ok := strings.CutPrefix(line, "--- a/"); ok {
			if _, err := os.ReadFile(filepath.Join(root, strings.TrimSpace(name))); err != nil {
				t.Error(err)
			}
		}
	}
	full, err := filepath.Abs("plants.patch")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := command(t.Context(), root, "git", "apply", "--check", full); err != nil {
		t.Error(err)
	}
}

// proofOf returns a proof with runs of all kinds: the rows of planted runs have the
// ratio 1.10, except for the first runs, which have 1.
func proofOf(passing int, null float64) *proof {
	p := &proof{rows: []string{"Read", "Write"}}
	add := func(s plant, ratio float64) {
		r := newRecord()
		r.rows["Read"] = evidence{first: ratio, second: ratio, probed: [2]bool{true, true}}.row()
		r.rows["Write"] = evidence{first: 1, probed: [2]bool{true, true}}.row()
		p.runs = append(p.runs, proofRun{s, r})
	}
	for range runsEach {
		add(plant{name: noPlant, size: 1}, null)
	}
	for _, s := range plants {
		s.size = plantedSize
		p.sized = append(p.sized, s)
		for range runsEach {
			if passing > 0 {
				add(s, 1)
				passing--
			} else {
				add(s, plantedSize)
			}
		}
	}
	return p
}

// TestTable: the demands on a proof.
func TestTable(t *testing.T) {
	for _, c := range []struct {
		name    string
		passing int
		null    float64
		holds   bool
		line    string
	}{
		{"all found", 0, 1, true, "| all three | 10 % | 30 | 30 | 0 | 0 |"},
		{"one passes", 1, 1, true, "| all three | 10 % | 30 | 29 | 1 | 0 |"},
		{"two pass", 2, 1, false, "| branch | 10.0 % | 10 | 8 | 2 | 0 |"},
		{"a null run fails", 0, 1.1, false, "| none |  | 10 | 10 | 0 | 0 |"},
		{"5 % passes", 0, 1, true, "| replayed | 5 % | 30 | 0 | 30 | 0 |"},
		{"30 % is found", 0, 1, true, "| replayed | 30 % | 30 | 30 | 0 | 0 |"},
	} {
		t.Run(c.name, func(t *testing.T) {
			table, holds := proofOf(c.passing, c.null).table(time.Minute)
			if holds != c.holds {
				t.Errorf("holds: %v, want %v", holds, c.holds)
			}
			if !strings.Contains(table, c.line+"\n") {
				t.Errorf("no line %q in\n%s", c.line, table)
			}
		})
	}
}

// TestConditions: the loads and the numbers of slices are in the text.
func TestConditions(t *testing.T) {
	p := proofOf(0, 1)
	p.loads = []float64{8.24, 2, 3}
	got := p.conditions(time.Hour)
	for _, want := range []string{"40 runs in 60 minutes", "2.0 to 8.2 (median 3.0)", "30 to 30 (median 30)"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}

func TestInsert(t *testing.T) {
	name := filepath.Join(t.TempDir(), "README.md")
	write(t, name, "# A\n"+tableBegin+"old\n"+tableEnd+"B\n")
	if err := insert(name, "new\n"); err != nil {
		t.Error(err)
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if want := "# A\n" + tableBegin + "new\n" + tableEnd + "B\n"; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestInsertWithoutMarks(t *testing.T) {
	name := filepath.Join(t.TempDir(), "README.md")
	write(t, name, "# A\n")
	if err := insert(name, "new\n"); err == nil {
		t.Error("no error for a file without marks")
	}
}
