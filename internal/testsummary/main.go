// Command testsummary reads the output of go test -json. It prints a line for each package
// that has tests, and what failed; at the end how many test functions ran, and how many were
// skipped for which reason. The exit status is that of go test: 1 if a package failed.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// event is a line of go test -json, which "go doc test2json" describes.
type event struct {
	Action, Package, ImportPath, Test, Output string
}

// test is a test function or a subtest.
type test struct{ pkg, name string }

func main() {
	s := summary{out: os.Stdout, output: map[test][]string{}, skipped: map[string]int{}, running: map[string]bool{}}
	if err := s.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "testsummary:", err)
		os.Exit(1)
	}
	s.print()
	if s.failures > 0 {
		os.Exit(1)
	}
}

// summary is what is known of a run.
type summary struct {
	out      io.Writer
	output   map[test][]string // lines of what has not ended
	skipped  map[string]int    // test functions and subtests by reason
	running  map[string]bool   // packages that have not ended
	ran      int               // test functions that passed or failed
	failures int               // packages
}

// read prints the lines of packages and failures.
func (s *summary) read(r io.Reader) error {
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			fmt.Fprintf(s.out, "%s", line) // the go command has printed a text
			continue
		}
		s.event(e)
	}
}

func (s *summary) event(e event) {
	t := test{e.Package, e.Test}
	function := e.Test != "" && !strings.Contains(e.Test, "/")
	switch e.Action {
	case "start":
		s.running[e.Package] = true
		return
	case "output":
		s.output[t] = append(s.output[t], e.Output)
		return
	case "build-output":
		fmt.Fprint(s.out, e.Output)
		return
	case "build-fail":
		s.failures++
		return
	case "skip":
		if e.Test != "" {
			s.skipped[reason(s.output[t])]++
		} else {
			delete(s.running, e.Package)
		}
	case "pass", "fail":
		if function {
			s.ran++
		}
		if e.Action == "fail" && e.Test != "" {
			fmt.Fprintf(s.out, "%s\n%s", e.Package, strings.Join(s.output[t], ""))
		}
		if e.Test == "" {
			s.ended(e)
		}
	default:
		return
	}
	delete(s.output, t)
}

// ended prints the line of a package; where it failed, what it printed outside of tests.
func (s *summary) ended(e event) {
	delete(s.running, e.Package)
	lines := s.output[test{pkg: e.Package}]
	if e.Action == "fail" {
		s.failures++
		fmt.Fprint(s.out, strings.Join(lines, ""))
		return
	}
	for _, line := range lines {
		if strings.HasPrefix(line, "ok ") {
			fmt.Fprint(s.out, line)
		}
	}
}

// reason returns the text with which a test was skipped.
func reason(output []string) string {
	for _, line := range slices.Backward(output) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "=== ") || strings.HasPrefix(line, "--- ") {
			continue
		}
		if _, text, found := strings.Cut(line, ".go:"); found {
			_, line, _ = strings.Cut(text, ": ") // without the place
		}
		return line
	}
	return "no reason"
}

// print prints the end of the summary. A package that has not ended has failed: somebody
// killed the go command.
func (s *summary) print() {
	for _, name := range slices.Sorted(maps.Keys(s.running)) {
		s.failures++
		fmt.Fprintf(s.out, "FAIL	%s	did not end\n", name)
	}
	total := 0
	reasons := slices.SortedFunc(maps.Keys(s.skipped), func(a, b string) int {
		return cmp.Or(s.skipped[b]-s.skipped[a], strings.Compare(a, b))
	})
	for _, text := range reasons {
		total += s.skipped[text]
		fmt.Fprintf(s.out, "skipped %4d: %s\n", s.skipped[text], text)
	}
	fmt.Fprintf(s.out, "%d test functions ran, %d tests were skipped, %d packages failed\n", s.ran, total, s.failures)
}
