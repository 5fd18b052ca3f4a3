// Report measures the speed targets of the codec and writes a Markdown table: the
// value, the required value, the target, and the result. It runs versus of
// dev/peer, the tests that measure, and the loop in C. It fails when a required
// value is missed or not measured.
//
// It needs a machine without other load, and runs in the root of the repository:
// "make bench-report".
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
	text = head(started) + text + "\n## Compared with other readers\n\n" + m.versus + m.notes()
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

// head describes the machine and the revision.
func head(started time.Time) string {
	var b strings.Builder
	b.WriteString("# How fast it is\n\nWritten by `make bench-report`. Times are ratios of runs in one process, or of alternating runs:\nabsolute figures differ on other machines.\n\n")
	fmt.Fprintf(&b, "%s, in %s. %s\n\n", started.UTC().Format("2006-01-02 15:04 UTC"), time.Since(started).Round(time.Second), machine())
	return b.String()
}

// measureAll runs all measurements. It leaves out a failing one and reports it.
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
			return m.runTest(".", nil, "./bench", "^(TestWriteCost|TestCheckCost|TestFieldsCost|TestAllocsPerBlock)$")
		},
		func() error {
			return m.runTest("dev/cgo", []string{"GOWORK=off", "CGO_ENABLED=1", "CGO_CFLAGS=" + o.cflags}, ".", "^(TestSame|TestRatio)$")
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
