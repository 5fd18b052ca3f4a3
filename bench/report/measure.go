package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// measurements has values by name, and the failed measurements.
type measurements struct {
	values  map[string]float64
	versus  string // its table
	details []string
	errs    []error
}

// command runs a program and returns its output, also when it fails.
func command(dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		return out.String() + stderr.String(), fmt.Errorf("%v: %w", cmd, err)
	}
	return out.String() + stderr.String(), nil
}

// runVersus runs the comparison with other readers.
func (m *measurements) runVersus(o options, traces string) error {
	lines, err := os.CreateTemp("", "ratios")
	if err != nil {
		return err
	}
	lines.Close()
	defer os.Remove(lines.Name())
	out, err := command("dev/peer", []string{"GOWORK=off"}, "go", "run", "./cmd/versus", "-traces", traces, "-te", o.te,
		"-rounds", strconv.Itoa(o.rounds), "-runs", strconv.Itoa(o.runs), "-ratios", lines.Name())
	m.versus = out
	if err != nil {
		return err
	}
	text, err := os.ReadFile(lines.Name())
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 4 {
			if v, err := strconv.ParseFloat(f[3], 64); err == nil && !math.IsNaN(v) {
				m.values[strings.Join(f[:3], " ")] = v
			}
		}
	}
	return err
}

// patterns find values in the logs of tests. A name with several values gets
// their geometric mean.
var patterns = []struct {
	re    *regexp.Regexp
	names []string
}{
	{regexp.MustCompile(`rows=real ours/walk=([\d.]+)`), []string{"rows walk"}},
	{regexp.MustCompile(`rows=v6 ours/walk=([\d.]+)`), []string{"rows v6 walk"}},
	{regexp.MustCompile(`rows=real ours/C=([\d.]+)`), []string{"rows C"}},
	{regexp.MustCompile(`([\d.]+) times faster than slices\.SortFunc`), []string{"order"}},
	{regexp.MustCompile(`writing \S+: ([\d.]+) times as much`), []string{"write"}},
	{regexp.MustCompile(`checking \S+: ([\d.]+) times as much`), []string{"check"}},
	{regexp.MustCompile(`with all fields \S+: ([\d.]+) times as much`), []string{"fields"}},
}

// runTest runs tests that measure and reads the values from their logs.
func (m *measurements) runTest(dir string, env []string, pkg, tests string) error {
	out, err := command(dir, env, "go", "test", "-count=1", "-v", "-run", tests, pkg)
	for _, p := range patterns {
		found := p.re.FindAllStringSubmatch(out, -1)
		for i, name := range p.names {
			logs := 0.0
			for _, f := range found {
				v, _ := strconv.ParseFloat(f[i+1], 64)
				logs += math.Log(v)
			}
			if len(found) > 0 {
				m.values[name] = math.Exp(logs / float64(len(found)))
			}
		}
	}
	for line := range strings.Lines(out) {
		if _, text, ok := strings.Cut(line, ".go:"); ok {
			if _, text, ok = strings.Cut(text, ": "); ok {
				m.details = append(m.details, strings.TrimSpace(text))
			}
		}
	}
	if strings.Contains(out, "--- PASS: TestAllocsPerBlock") {
		m.values["allocs"] = 0
	} else if strings.Contains(out, "--- FAIL: TestAllocsPerBlock") {
		m.values["allocs"] = 1
	}
	return err
}

// countChecks counts the bounds checks that the compiler leaves in the row loops
// on arm64.
func (m *measurements) countChecks() error {
	out, err := command(".", []string{"GOARCH=arm64", "CGO_ENABLED=0"}, "go", "build", "-gcflags=-d=ssa/check_bce", "./codec")
	if err != nil {
		return err
	}
	for _, loop := range []struct{ name, file, function string }{
		{"bounds v4", "codec/rows_v4.go", "rowsV4"}, {"bounds v6", "codec/rows_v6.go", "rowsV6"},
	} {
		first, last, err := linesOf(loop.file, loop.function)
		if err != nil {
			return err
		}
		n := 0
		for line := range strings.Lines(out) {
			if rest, ok := strings.CutPrefix(line, loop.file+":"); ok && strings.Contains(line, "Found Is") {
				number, _, _ := strings.Cut(rest, ":")
				if at, _ := strconv.Atoi(number); at >= first && at <= last {
					n++
				}
			}
		}
		m.values[loop.name] = float64(n)
	}
	return nil
}

// linesOf returns the lines on which a method begins and ends.
func linesOf(file, function string) (first, last int, err error) {
	text, err := os.ReadFile(file)
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if strings.HasPrefix(line, "func ") && strings.Contains(line, " "+function+"(") {
			first = number
		}
		if first > 0 && line == "}\n" {
			return first, number, nil
		}
	}
	return 0, 0, fmt.Errorf("no function %s in %s: %w", function, file, err)
}

// runForeign runs the tests of the row loops as on arm64.
func (m *measurements) runForeign() error {
	qemu, err := exec.LookPath("qemu-aarch64")
	if err != nil {
		return err
	}
	_, err = command(".", []string{"GOARCH=arm64", "CGO_ENABLED=0"}, "go", "test", "-count=1", "-timeout", "20m",
		"-exec", qemu, "-run", "^(TestNaiveAgrees|TestSortByTimeAgrees|TestCutStreams)$", "./codec")
	if err == nil {
		m.values["arm64"] = 0
	}
	return err
}
