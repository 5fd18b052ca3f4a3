package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

var errSurvivors = errors.New("a mutant survives without a reason")

// options are the flags.
type options struct {
	dir     string
	jobs    int
	own     bool
	only    *regexp.Regexp
	timeout time.Duration // for the tests of one package
}

// session is one run over the mutants.
type session struct {
	root      string
	dir       string
	own       bool
	jobs      int
	timeout   time.Duration
	results   *results
	importers map[string][]string // of the packages with mutants, by folder

	mu       sync.Mutex
	problems []string // mutants that do not compile
}

func run(ctx context.Context, opt *options) error {
	start := time.Now()
	all, err := readLists()
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(m mutant) bool { return !opt.only.MatchString(m.String()) })
	s := &session{own: opt.own, jobs: max(1, opt.jobs), timeout: opt.timeout}
	if s.root, err = os.Getwd(); err != nil {
		return err
	}
	if err := applyAll(s.root, all); err != nil {
		return err
	}
	if s.dir, err = resultsDir(opt.dir); err != nil {
		return err
	}
	if s.results, err = loadResults(s.dir); err != nil {
		return err
	}
	fmt.Printf("results: %s\n", s.results.path)
	if err := s.runAll(ctx, all); err != nil {
		return err
	}
	n := s.results.print(os.Stdout, all)
	fmt.Printf("this run took %v\n", time.Since(start).Round(time.Second))
	if len(s.problems) > 0 {
		return fmt.Errorf("%d mutants are not valid:\n%s", len(s.problems), strings.Join(s.problems, "\n"))
	}
	if n.survived+n.untried > 0 {
		return errSurvivors
	}
	return nil
}

// applyAll returns an error for each mutant that cannot be applied.
func applyAll(root string, list []mutant) error {
	var all []error
	for i := range list {
		_, err := list[i].apply(root)
		all = append(all, err)
	}
	return errors.Join(all...)
}

// resultsDir makes the folder of the results, a new one if none is given.
func resultsDir(dir string) (string, error) {
	if dir == "" {
		return os.MkdirTemp("", "mutants")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return filepath.Abs(dir)
}

// runAll runs the mutants that must be killed and are not yet, s.jobs at the same
// time, and first the tests of their packages without a mutant, which must pass.
func (s *session) runAll(ctx context.Context, all []mutant) error {
	var rest []*mutant
	for i := range all {
		if m := &all[i]; m.equivalent == "" && !s.results.killed(m) {
			rest = append(rest, m)
		}
	}
	if len(rest) == 0 {
		return nil
	}
	if err := s.baseline(ctx, rest); err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	work := make(chan *mutant)
	var group sync.WaitGroup
	for range s.jobs {
		group.Go(func() {
			for m := range work {
				if err := s.try(ctx, m); err != nil {
					stop(err)
				}
			}
		})
	}
	for i, m := range rest {
		if ctx.Err() != nil {
			break
		}
		fmt.Printf("%d/%d %v\n", i+1, len(rest), m)
		work <- m
	}
	close(work)
	group.Wait()
	return context.Cause(ctx)
}

// baseline finds the importers of the packages with mutants, and runs the tests of
// the packages without a mutant.
func (s *session) baseline(ctx context.Context, list []*mutant) error {
	packages, err := listPackages(ctx)
	if err != nil {
		return err
	}
	s.importers = map[string][]string{}
	for _, m := range list {
		folder := m.folder()
		if s.importers[folder] != nil {
			continue
		}
		s.importers[folder] = []string{}
		if !s.own {
			s.importers[folder] = importers(packages, module+"/"+folder)
		}
		if err := s.sound(ctx, module+"/"+folder); err != nil {
			return err
		}
	}
	return nil
}

// sound runs the tests of a package without a mutant, and returns an error if they
// fail. Go takes the result from its cache if they ran before.
func (s *session) sound(ctx context.Context, path string) error {
	result, err := goTest(ctx, s.root, []string{s.timeoutFlag()}, []string{path})
	if err == nil && result.outcome != passed {
		err = fmt.Errorf("tests of %s without a mutant: %s: %s", path, result.outcome, result.by)
	}
	return err
}

func (s *session) timeoutFlag() string { return "-timeout=" + s.timeout.String() }

// try runs the tests with a mutant and stores its fate.
func (s *session) try(ctx context.Context, m *mutant) error {
	start := time.Now()
	overlay, err := s.overlay(m)
	if err != nil {
		return err
	}
	defer os.RemoveAll(filepath.Dir(overlay))
	args := []string{s.timeoutFlag(), "-count=1", "-overlay=" + overlay, fmt.Sprintf("-p=%d", max(1, runtime.NumCPU()/s.jobs))}
	result, err := goTest(ctx, s.root, args, []string{module + "/" + m.folder()})
	others := s.order(m)
	imported := err == nil && result.outcome == passed && len(others) > 0
	if imported {
		result, err = s.tryOthers(ctx, args, others)
	}
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err // the tests were stopped
	}
	if result.outcome == notBuilt || result.outcome == notStarted {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.problems = append(s.problems, fmt.Sprintf("%v: %s: %s", m, result.outcome, result.by))
		return nil
	}
	f := fate{result.outcome, result.by, time.Since(start), imported}
	fmt.Printf("%s by %q in %.1f s: %v\n", f.outcome, f.by, f.took.Seconds(), m)
	return s.results.add(m, f)
}

// tryOthers runs the tests of importers, for as long as those of one package may take.
// Those that have not run by then are left out: the mutant then survives.
func (s *session) tryOthers(ctx context.Context, args, packages []string) (tested, error) {
	limited, stop := context.WithTimeout(ctx, s.timeout)
	defer stop()
	result, err := goTest(limited, s.root, args, packages)
	switch {
	case ctx.Err() == nil && limited.Err() != nil && result.outcome != failed:
		return tested{outcome: passed}, nil
	case err == nil && (result.outcome == failed || result.outcome == timedOut):
		folder, _, _ := strings.Cut(result.by, " ")
		err = s.sound(ctx, module+"/"+folder)
	}
	return result, err
}

// order returns the importers of the mutant's package: first those whose tests
// killed most mutants so far, and the tests of package codec in a folder of their
// own before others.
func (s *session) order(m *mutant) []string {
	kills := s.results.killsByPackage()
	rank := func(path string) int {
		if strings.HasPrefix(path, module+"/internal/codectest") {
			return kills[path]*2 + 1
		}
		return kills[path] * 2
	}
	return slices.SortedStableFunc(slices.Values(s.importers[m.folder()]), func(a, b string) int { return rank(b) - rank(a) })
}

// overlay writes the changed file, and the argument of the flag -overlay, whose
// path it returns, into a folder of their own.
func (s *session) overlay(m *mutant) (string, error) {
	changed, err := m.apply(s.root)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(s.dir, "overlay")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, filepath.Base(m.file))
	if err := os.WriteFile(file, changed, 0o644); err != nil {
		return "", err
	}
	replace := map[string]map[string]string{"Replace": {filepath.Join(s.root, m.file): file}}
	text, err := json.Marshal(replace)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, text, 0o644)
}
