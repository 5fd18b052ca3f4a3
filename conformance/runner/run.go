package runner

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nettrace-go/nettrace/conformance/cases"
)

// Options configure Run and Write. The zero value is right for most programs.
type Options struct {
	Stream   bool          // one process for all cases, see adapter.StreamFlag
	Timeout  time.Duration // for one case; 0 means 30 seconds
	Parallel int           // number of processes at a time, without Stream; 0 means one
	// Known are the cases that the program is expected to fail.
	Known Known
	// OnResult is called with each result when its case has ended, in the order in which
	// they end, by one goroutine at a time. nil: it is not called.
	OnResult func(Result)
}

// Outcome is the result of a case.
type Outcome string

// The outcomes of a case.
const (
	Passed      Outcome = "pass"
	Failed      Outcome = "fail"
	KnownFailed Outcome = "known failure"
	Unexpected  Outcome = "unexpected pass" // a known failure that passed
	Unsupported Outcome = "not supported"   // the program does not support the trace
)

// Result is the result of one case.
type Result struct {
	// Case is the case.
	Case *cases.Case
	// Outcome is the result of the comparison.
	Outcome Outcome
	// Reason is why the case did not pass, otherwise "".
	Reason string
}

// Fine reports whether the outcome is neither Failed nor Unexpected.
func (r *Result) Fine() bool { return r.Outcome != Failed && r.Outcome != Unexpected }

// Report has the results of all cases.
type Report struct {
	// Results are in the order of the cases.
	Results []Result
}

// Fine reports whether no counted case is Failed, and none is Unexpected. Cases of
// basis choice are not counted.
func (r *Report) Fine() bool {
	return !slices.ContainsFunc(r.Results, func(result Result) bool {
		return result.Outcome == Unexpected || result.Outcome == Failed && result.Case.Basis != cases.Choice
	})
}

// Count returns the number of cases with an outcome.
func (r *Report) Count(o Outcome) int {
	n := 0
	for i := range r.Results {
		if r.Results[i].Outcome == o {
			n++
		}
	}
	return n
}

// ErrUnsupported means that the program does not support a case.
var ErrUnsupported = errors.New("not supported")

// tester tries a program with cases.
type tester interface {
	// try says what is wrong, nil for nothing.
	try(*cases.Case) error
	close()
}

// readerTester judges a reader.
type readerTester struct{ reader }

func (r readerTester) try(c *cases.Case) error {
	exit, lines, err := r.ask(c.Trace)
	if err != nil {
		return err
	}
	return Check(c, exit, lines)
}

// Run runs a reader, a program with its arguments, on each case. The error
// means that the program could not be run.
func Run(list []cases.Case, command []string, opt Options) (*Report, error) {
	if opt.Stream {
		opt.Parallel = 1
	}
	report, err := opt.run(list, func() tester {
		if opt.Stream {
			return readerTester{&server{command: command, timeout: opt.limit()}}
		}
		return readerTester{&program{command, opt.limit()}}
	})
	if err == nil {
		opt.failUnsupported(report)
	}
	return report, err
}

// failUnsupported makes Unsupported results failures if the reader reads the version
// of the case in a valid case.
func (o *Options) failUnsupported(report *Report) {
	reads := map[string]bool{}
	for _, r := range report.Results {
		if (r.Outcome == Passed || r.Outcome == Unexpected) && r.Case.Grade() == cases.Valid {
			reads[versionInFile(r.Case)] = true
		}
	}
	for i, r := range report.Results {
		if version := versionInFile(r.Case); r.Outcome == Unsupported && reads[version] {
			report.Results[i] = o.result(r.Case, fmt.Errorf("exit code 3, although the reader reads other cases of version %s", version))
		}
	}
}

// versionInFile is the version that the stream names: version 5 names 4.
func versionInFile(c *cases.Case) string {
	if c.Version == "5" {
		return "4"
	}
	return c.Version
}

// limit is the time for one case.
func (o *Options) limit() time.Duration {
	if o.Timeout == 0 {
		return 30 * time.Second
	}
	return o.Timeout
}

// run tries each case, with a trial for each worker.
func (o *Options) run(list []cases.Case, begin func() tester) (*Report, error) {
	report := &Report{Results: make([]Result, len(list))}
	numbers := make(chan int)
	workers := max(1, o.Parallel)
	failed := make(chan error, workers)
	var ended sync.Mutex
	store := func(i int, r Result) {
		ended.Lock()
		defer ended.Unlock()
		if report.Results[i] = r; o.OnResult != nil {
			o.OnResult(r)
		}
	}
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			if err := o.work(list, begin(), numbers, store); err != nil {
				failed <- err
				for range numbers { // nobody waits for us
				}
			}
		})
	}
	for i := range list {
		numbers <- i
	}
	close(numbers)
	group.Wait()
	select {
	case err := <-failed:
		return nil, err
	default:
		return report, nil
	}
}

// work tries the cases whose numbers come.
func (o *Options) work(list []cases.Case, t tester, numbers <-chan int, store func(int, Result)) error {
	defer t.close()
	for i := range numbers {
		c := &list[i]
		err := t.try(c)
		if start := (*startError)(nil); errors.As(err, &start) {
			return start
		}
		store(i, o.result(c, err))
	}
	return nil
}

// result is what became of a case, by what was wrong with the answer.
func (o *Options) result(c *cases.Case, err error) Result {
	reason := o.Known[c.Name]
	switch {
	case err == nil && reason != "":
		return Result{c, Unexpected, "a known failure: " + reason}
	case err == nil:
		return Result{c, Passed, ""}
	case errors.Is(err, ErrUnsupported):
		return Result{c, Unsupported, ""}
	case reason != "":
		return Result{c, KnownFailed, reason}
	}
	return Result{c, Failed, err.Error()}
}
