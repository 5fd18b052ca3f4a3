package runner

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/nettrace-go/nettrace/conformance/adapter"
	"github.com/nettrace-go/nettrace/conformance/cases"
)

// Options configure Run and Write. The zero value is right for most programs.
type Options struct {
	Stream   bool          // one process for all cases, see adapter.StreamFlag
	Timeout  time.Duration // for one case; 0 means 30 seconds
	Parallel int           // number of processes at a time, without Stream; 0 means one for each core
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
	// Mismatch is the key that differs, nil if the case did not fail or failed in
	// another way.
	Mismatch *Mismatch
	// Stderr is what the program wrote to its standard error, "" if the case passed.
	Stderr string
	// Duration is how long the program took.
	Duration time.Duration
}

// Fine reports whether the outcome is neither Failed nor Unexpected.
func (r *Result) Fine() bool { return r.Outcome != Failed && r.Outcome != Unexpected }

// Report has the results of all cases.
type Report struct {
	// Results are in the order of the cases.
	Results []Result
}

// Fine reports whether no counted case is Failed, none is Unexpected, and the
// program supports a case. Cases of basis choice are not counted.
func (r *Report) Fine() bool {
	return !r.Unsupported() && !slices.ContainsFunc(r.Results, func(result Result) bool {
		return result.Outcome == Unexpected || result.Outcome == Failed && result.Case.Basis != cases.Choice
	})
}

// Unsupported reports whether the program supports no case at all, which is no
// success.
func (r *Report) Unsupported() bool {
	return len(r.Results) > 0 && r.Count(Unsupported) == len(r.Results)
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

// trial is what became of a case.
type trial struct {
	err    error // what is wrong, nil for nothing
	read   bool  // exit code 0
	stderr []byte
	took   time.Duration
}

// tester tries a program with cases.
type tester interface {
	try(*cases.Case) trial
	close()
}

// readerTester judges a reader.
type readerTester struct{ reader }

func (r readerTester) try(c *cases.Case) trial {
	answer, err := r.ask(c.Trace)
	if err == nil {
		err = Check(c, answer.exit, answer.out)
		return trial{err: err, read: answer.exit == adapter.Read, stderr: answer.stderr}
	}
	return trial{err: err, stderr: answer.stderr}
}

// Run runs a reader, a program with its arguments, on each case. The error
// means that the program could not be run.
func Run(list []cases.Case, command []string, opt Options) (*Report, error) {
	if opt.Stream {
		opt.Parallel = 1
	}
	trials, err := opt.run(list, func() tester {
		if opt.Stream {
			return readerTester{&server{command: command, timeout: opt.limit()}}
		}
		return readerTester{&program{command, opt.limit()}}
	})
	if err != nil {
		return nil, err
	}
	mustSupport(list, trials)
	return opt.report(list, trials), nil
}

// mustSupport makes exit code 3 an error for the cases of a version that the reader
// reads in a valid case.
func mustSupport(list []cases.Case, trials []trial) {
	reads := map[string]string{} // a case that was read, by version
	for i := range list {
		if v := versionInFile(&list[i]); trials[i].read && list[i].Grade() == cases.Valid && reads[v] == "" {
			reads[v] = list[i].Name
		}
	}
	for i := range list {
		if other := reads[versionInFile(&list[i])]; other != "" && errors.Is(trials[i].err, ErrUnsupported) {
			trials[i].err = fmt.Errorf("exit code 3 although the reader reads %s, which has the same version", other)
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

// run tries each case, with a tester for each worker.
func (o *Options) run(list []cases.Case, begin func() tester) ([]trial, error) {
	trials := make([]trial, len(list))
	numbers := make(chan int)
	workers := o.Parallel
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	failed := make(chan error, workers)
	var ended sync.Mutex
	store := func(i int, t trial) {
		ended.Lock()
		defer ended.Unlock()
		if trials[i] = t; o.OnResult != nil {
			o.OnResult(o.resultOf(&list[i], t))
		}
	}
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			if err := work(list, begin(), numbers, store); err != nil {
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
		return trials, nil
	}
}

// work tries the cases whose numbers come.
func work(list []cases.Case, t tester, numbers <-chan int, store func(int, trial)) error {
	defer t.close()
	for i := range numbers {
		began := time.Now()
		tried := t.try(&list[i])
		tried.took = time.Since(began)
		if start := (*startError)(nil); errors.As(tried.err, &start) {
			return start
		}
		store(i, tried)
	}
	return nil
}

// report makes the results of the trials.
func (o *Options) report(list []cases.Case, trials []trial) *Report {
	r := &Report{Results: make([]Result, len(list))}
	for i := range list {
		r.Results[i] = o.resultOf(&list[i], trials[i])
	}
	return r
}

// resultOf makes the result of a trial.
func (o *Options) resultOf(c *cases.Case, t trial) Result {
	result := o.result(c, t.err)
	result.Duration = t.took
	if result.Outcome != Passed && result.Outcome != Unexpected {
		result.Stderr = string(t.stderr)
	}
	return result
}

// result is what became of a case, by what was wrong with the answer.
func (o *Options) result(c *cases.Case, err error) Result {
	result := Result{Case: c, Outcome: Failed}
	reason := o.Known[c.Name]
	switch {
	case err == nil && reason != "":
		result.Outcome, result.Reason = Unexpected, "a known failure: "+reason
	case err == nil:
		result.Outcome = Passed
	case errors.Is(err, ErrUnsupported):
		result.Outcome = Unsupported
	case reason != "":
		result.Outcome, result.Reason = KnownFailed, reason
	default:
		result.Reason = err.Error()
		errors.As(err, &result.Mismatch)
	}
	return result
}
