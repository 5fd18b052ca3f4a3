// Report measures what is promised of the codec's speed and writes it down as a
// Markdown table: the value, what it must be, what it aims at, and whether it
// passes. It runs what the numbers come from: versus of module bench/peer, the
// tests that measure, the loop in C. It fails when a must is missed or could not
// be measured.
//
// It wants a machine that does nothing else, and is started in the root of the
// repository: "make bench-report".
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	var o options
	flag.StringVar(&o.te, "te", "", "`path` of the program te; without it TraceEvent is not measured")
	flag.StringVar(&o.cflags, "cflags", "-O2", "`flags` for the loop in C")
	flag.StringVar(&o.out, "o", "bench/RESULTS.md", "`file` to write")
	flag.IntVar(&o.rounds, "rounds", 11, "rounds of versus")
	flag.IntVar(&o.runs, "runs", 2, "runs of te for each trace")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

type options struct {
	te, cflags, out string
	rounds, runs    int
}

func run(o options) error {
	started := time.Now()
	m, err := measureAll(o)
	if err != nil {
		return err
	}
	text, missed := table(m)
	repository, err := os.Getwd()
	if err != nil {
		return err
	}
	shared, err := sharedFolder()
	if err != nil {
		return err
	}
	text = head(started) + text + "\n## Beside other readers\n\n" + m.versus + m.notes()
	text = withoutPaths(text, repository, shared, os.TempDir())
	if err := os.WriteFile(o.out, []byte(text), 0o644); err != nil {
		return err
	}
	fmt.Print(text)
	if len(missed) > 0 {
		return fmt.Errorf("missed: %s", strings.Join(missed, "; "))
	}
	return nil
}

// head tells what was measured where.
func head(started time.Time) string {
	var b strings.Builder
	b.WriteString("# How fast it is\n\nWritten by `make bench-report`. Times are judged as ratios of what ran in one process, or in turns:\nabsolute figures mean nothing on another machine.\n\n")
	fmt.Fprintf(&b, "%s, in %s. %s\n\n", started.UTC().Format("2006-01-02 15:04 UTC"), time.Since(started).Round(time.Second), machine())
	return b.String()
}

// measureAll runs everything. What fails is left out, and told.
func measureAll(o options) (*measurements, error) {
	shared, err := sharedFolder()
	if err != nil {
		return nil, err
	}
	traces := filepath.Join(shared, "traces", "*.v4.nettrace.zst")
	m := &measurements{values: map[string]float64{}}
	steps := []func() error{
		func() error { return m.runVersus(o, traces) },
		func() error { return m.runTest(".", nil, "./codec", "^(TestRowCost|TestOrderIsFaster)$") },
		func() error {
			return m.runTest(".", nil, "./bench", "^(TestWriteCost|TestCheckCost|TestAllocsPerBlock)$")
		},
		func() error {
			return m.runTest("bench/cgo", []string{"GOWORK=off", "CGO_ENABLED=1", "CGO_CFLAGS=" + o.cflags}, ".", "^(TestSame|TestRatio)$")
		},
		m.countChecks,
		m.runForeign,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			m.errs = append(m.errs, err)
			fmt.Fprintln(os.Stderr, "report:", err)
		}
	}
	if len(m.values) == 0 {
		return nil, errors.Join(m.errs...)
	}
	return m, nil
}
