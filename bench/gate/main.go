// Command gate compares the benchmarks of two commits: which rows are slower,
// allocate more, or are missing?
//
//	gate -base origin/main -pkg ./bench -rows bench/gate/rows.txt
//	gate -judge gate.txt
//
// Base is the commit where the branch left -base, head is HEAD. The gate builds
// the test binary of -pkg of each, in a git worktree, four times, with different
// layouts of the code, the same four on both sides: the layout alone changes a
// row by some percent. The binaries then run in rounds: base, head, head, base,
// each in a process of its own, each row for 50 ms on one processor, with another
// layout each round. The gate uses the ratio of head to base within a round,
// because the other load of the machine is nearly the same for both, and the
// interval that contains the median of the ratios with a probability of 99 %.
// Time is processor time: the time of a row times the share for which its process
// had a processor. A benchmark with a more exact measurement reports the metric
// cpu-ns/op.
//
// A row fails
//   - when the interval lies above 1.10, or above 1.05 and the row takes more
//     instructions, which valgrind counts; and does so again in new processes;
//   - when it allocates more: in allocs/op, B/op, and any unit that a "Unit" line
//     of the benchmarks declares assume=exact;
//   - when base has it and head does not.
//
// Rows whose interval contains 1.05 get more rounds, up to -most. If an interval
// stays so wide that it does not exclude a slowdown of a fifth, the row passes if
// it takes no more instructions; otherwise it is not measured.
//
// A line "Bench-Accept: ROW REASON" in the message of a commit between base and
// head accepts that a row fails. A ROW that ends in "/..." means all rows below
// it.
//
// The rows are lines of the file -rows, as benchmarks print them, without
// "Benchmark"; "#" begins a comment. Rows that only base's version of the file
// names count as well. Without -rows the gate uses all benchmarks of the package,
// if there are at most 40.
//
// The gate writes the output of the processes to the file -o, with their side,
// phase and round, for benchstat (-filter phase:measure -col side -ignore
// phase,round,layout) and for -judge, which evaluates it again.
//
// With -instructions the gate measures no time: it counts instructions for every
// row, and a row that takes more of them fails.
//
// The exit status is 0 when no row fails, 1 when one does, 2 when the input is
// malformed (flags, rows, record, benchmarks that fail), 3 when something could
// not be measured.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// The exit codes.
const (
	exitPass = iota
	exitRegression
	exitMalformed
	exitUnmeasured
)

// malformedError is a fault of the gate's input, not of the machine.
type malformedError struct{ error }

func malformed(format string, args ...any) error {
	return malformedError{fmt.Errorf(format, args...)}
}

// options are the flags.
type options struct {
	base, pkg, rows string
	out, evaluate   string
	instructions    bool
	most            int
	window, budget  time.Duration
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	opt, err := parseFlags(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitPass
	}
	var results []rowResult
	switch {
	case err != nil:
	case opt.evaluate != "":
		results, err = evaluateFile(opt.evaluate)
	default:
		results, err = evaluateBranch(ctx, opt, stderr)
	}
	if err != nil {
		fmt.Fprintln(stderr, "gate:", err)
		if errors.As(err, new(malformedError)) {
			return exitMalformed
		}
		return exitUnmeasured
	}
	return report(stdout, results)
}

func parseFlags(args []string, stderr io.Writer) (options, error) {
	var opt options
	f := flag.NewFlagSet("gate", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&opt.base, "base", "", "the `commit` to compare HEAD with, at the merge base")
	f.StringVar(&opt.pkg, "pkg", ".", "the `package` with the benchmarks")
	f.StringVar(&opt.rows, "rows", "", "the `file` with the names of the rows")
	f.StringVar(&opt.out, "o", "", "write the output of the benchmarks to this `file`")
	f.StringVar(&opt.evaluate, "judge", "", "evaluate this `file`, written with -o, and run nothing")
	f.BoolVar(&opt.instructions, "instructions", false, "count instructions instead of measuring time")
	f.IntVar(&opt.most, "most", 2*minRounds, "the maximum number of `rounds` for a row")
	f.DurationVar(&opt.window, "time", 50*time.Millisecond, "how long a row runs in a process")
	f.DurationVar(&opt.budget, "budget", 6*time.Minute, "how long all may take")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return opt, err
	} else if err != nil {
		return opt, malformedError{err}
	}
	switch {
	case f.NArg() > 0:
		return opt, malformed("%q is no flag", f.Arg(0))
	case (opt.base == "") == (opt.evaluate == ""):
		return opt, malformed("give -base or -judge")
	case opt.most < minRounds:
		return opt, malformed("-most %d: an interval needs %d rounds", opt.most, minRounds)
	}
	return opt, nil
}
