package runner

import (
	"errors"
	"sync"
	"time"

	"github.com/nettrace-go/nettrace/conformance/cases"
)

// Options of Run. The zero value is right for most readers.
type Options struct {
	Stream   bool          // one process, asked many times
	Timeout  time.Duration // for one case; 0: 30 seconds
	Parallel int           // processes at one time, without Stream; 0: one
	Known    Known
}

// Outcome is what became of a case.
type Outcome string

// Outcomes.
const (
	Passed      Outcome = "pass"
	Failed      Outcome = "fail"
	KnownFailed Outcome = "known failure"
	Unexpected  Outcome = "unexpected pass" // it is a known failure, and passed
	Unsupported Outcome = "not supported"   // the reader says that it does not read such traces
)

// Result is what became of a case, and why when it was not passed.
type Result struct {
	Case    *cases.Case
	Outcome Outcome
	Why     string
}

// Report is what became of all cases, in their order.
type Report struct {
	Results []Result
}

// Fine says that nothing came out otherwise than expected.
func (r *Report) Fine() bool { return r.Count(Failed)+r.Count(Unexpected) == 0 }

// Count is the number of cases of an outcome.
func (r *Report) Count(o Outcome) int {
	n := 0
	for i := range r.Results {
		if r.Results[i].Outcome == o {
			n++
		}
	}
	return n
}

var errUnsupported = errors.New("not supported")

// Run asks a reader, a program with its arguments, about each case. The error
// says that the program could not be run.
func Run(list []cases.Case, command []string, opt Options) (*Report, error) {
	if opt.Timeout == 0 {
		opt.Timeout = 30 * time.Second
	}
	if opt.Stream || opt.Parallel < 1 {
		opt.Parallel = 1
	}
	report := &Report{Results: make([]Result, len(list))}
	numbers := make(chan int)
	failed := make(chan error, opt.Parallel)
	var workers sync.WaitGroup
	for range opt.Parallel {
		workers.Go(func() {
			if err := opt.work(list, command, numbers, report); err != nil {
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
	workers.Wait()
	select {
	case err := <-failed:
		return nil, err
	default:
		return report, nil
	}
}

// work asks a reader of its own about the cases whose numbers come.
func (o *Options) work(list []cases.Case, command []string, numbers <-chan int, report *Report) error {
	var r reader = &program{command, o.Timeout}
	if o.Stream {
		r = &server{command: command, timeout: o.Timeout}
	}
	defer r.close()
	for i := range numbers {
		c := &list[i]
		exit, lines, err := r.ask(c.Trace)
		if start := (*startError)(nil); errors.As(err, &start) {
			return start
		}
		if err == nil {
			err = judge(c, exit, lines)
		}
		report.Results[i] = o.result(c, err)
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
	case errors.Is(err, errUnsupported):
		return Result{c, Unsupported, ""}
	case reason != "":
		return Result{c, KnownFailed, reason}
	}
	return Result{c, Failed, err.Error()}
}
