package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

// fate is what happened to a mutant.
type fate struct {
	outcome outcome // failed, timedOut, or passed if it survived
	by      string  // the test that killed it
	took    time.Duration
	// imported reports that the tests of importers were run.
	imported bool
}

// results are the fates of mutants, also stored in a file.
type results struct {
	mu    sync.Mutex
	path  string
	fates map[string]fate // by mutant.String
}

// loadResults reads the results of an earlier run in the folder, if there are any.
func loadResults(dir string) (*results, error) {
	r := &results{path: filepath.Join(dir, "results.tsv"), fates: map[string]fate{}}
	text, err := os.ReadFile(r.path)
	if os.IsNotExist(err) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(columns) != 5 {
			continue // an interrupted run may have written a part of a line
		}
		took, _ := time.ParseDuration(columns[3])
		imported, _ := strconv.ParseBool(columns[4])
		r.fates[columns[0]] = fate{outcome(columns[1]), columns[2], took, imported}
	}
	return r, nil
}

// killed reports whether an earlier run killed the mutant.
func (r *results) killed(m *mutant) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.fates[m.String()]
	return f.outcome == failed || f.outcome == timedOut
}

// killsByPackage counts the killed mutants by the package whose tests killed them.
func (r *results) killsByPackage() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	kills := map[string]int{}
	for _, f := range r.fates {
		if folder, _, _ := strings.Cut(f.by, " "); f.by != "" {
			kills[module+"/"+folder]++
		}
	}
	return kills
}

// add stores the fate of a mutant.
func (r *results) add(m *mutant, f fate) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fates[m.String()] = f
	file, err := os.OpenFile(r.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(file, "%v\t%s\t%s\t%v\t%v\n", m, f.outcome, f.by, f.took.Round(time.Millisecond), f.imported)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return err
}

// counts are the numbers of mutants by fate.
type counts struct {
	killed, timeouts, equivalent, survived, untried int
	imported                                        int // those that tests of importers killed
	took                                            time.Duration
}

// print writes a table of the mutants and the counts.
func (r *results) print(w io.Writer, list []mutant) counts {
	var n counts
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "file\tfunction\tmutant\tresult\ttest or reason\tseconds")
	for i := range list {
		m := &list[i]
		f, tried := r.fates[m.String()]
		result, by := n.add(m, f, tried)
		n.took += f.took
		fmt.Fprintf(table, "%s\t%s\t%s -> %s\t%s\t%s\t%.1f\n", m.file, m.function, m.old, m.new, result, by, f.took.Seconds())
	}
	table.Flush()
	fmt.Fprintf(w, "\n%d mutants: %d killed (%d of them by a timeout, %d by tests of importers), %d equivalent, %d survived, %d not tried; %v of tests\n",
		len(list), n.killed, n.timeouts, n.imported, n.equivalent, n.survived, n.untried, n.took.Round(time.Second))
	return n
}

// add counts the mutant and returns the columns of its row in the table.
func (n *counts) add(m *mutant, f fate, tried bool) (result, by string) {
	switch {
	case m.equivalent != "":
		n.equivalent++
		return "equivalent", m.equivalent
	case !tried:
		n.untried++
		return "not tried", ""
	case f.outcome == passed:
		n.survived++
		return "SURVIVED", ""
	}
	n.killed++
	if f.imported {
		n.imported++
	}
	if f.outcome == timedOut {
		n.timeouts++
	}
	return string(f.outcome), f.by
}
