// Command gate compares the benchmarks of two commits: which rows are slower,
// allocate more, or are missing?
//
//	gate -base origin/main -pkg ./bench -rows bench/gate/rows.txt
//	gate -evaluate gate.txt
//
// Base is the commit where the branch left -base, head is HEAD. The gate builds
// the test binary of -pkg of each, in a git worktree, four times, with different
// layouts of the code, the same four on both sides: the layout alone changes a
// row by some percent.
//
// The gate measures the time of a row in pairs. A process of each side runs the
// row in slices of the same number of operations, about 14 ms long: one slice of
// base and one of head, in random order. Both have nearly the same conditions,
// whatever else the machine does. The gate uses the processor time of the
// processes, and the median of the ratios of all pairs. It measures twice:
//   - 15 s in four pairs of processes, one with each layout;
//   - a row whose median is above 1.03, or that allocates more, 60 s in eight new
//     pairs of processes.
//
// A row fails
//   - when its second median is above 1.06;
//   - when it allocates more than 1 % more in both measurements: in allocs/op,
//     B/op, and any unit that a "Unit" line of the benchmarks declares
//     assume=exact;
//   - when base has it and head does not.
//
// For the other rows than the first 12 of the list, cachegrind counts
// instructions, simulated cache misses and mispredicted branches. Such a row
// fails when it takes 3 % more instructions, 6 % more cycles by KCachegrind's
// estimate, or allocates more. The counts explain the rows whose time fails; they
// never excuse them.
//
// A benchmark must call b.Loop: the gate builds package testing with an overlay
// in which b.Loop waits for the gate after each slice.
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
// The gate writes all slices to the file -o, with side, phase and pair of
// processes, for benchstat (-filter phase:measure -col side -ignore
// phase,processes,layout) and for -evaluate, which evaluates them again.
//
// With -instructions the gate measures no time: cachegrind counts for every row.
//
// With -proof PATCH the gate measures how often it finds known slowdowns. It
// applies the patch to two copies of HEAD. The environment variable GATE_PLANT of
// the processes of head selects a slowdown of the patch, which must slow down the
// first row of -rows and not the second one: plants.patch is an example.
//
// The exit status is 0 when no row fails, 1 when one does, 2 when the input is
// malformed (flags, rows, record, benchmarks that fail), 3 when something could
// not be measured: the report names the resource that was short. The time to
// build does not count against -budget.
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
	proof, into     string
	instructions    bool
	pairs           int
	time, budget    time.Duration
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
	case opt.proof != "":
		var code int
		if code, err = prove(ctx, opt, stdout, stderr); err == nil {
			return code
		}
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
	f.StringVar(&opt.evaluate, "evaluate", "", "evaluate this `file`, written with -o, and run nothing")
	f.StringVar(&opt.proof, "proof", "", "measure how often the gate finds the slowdowns of this `patch`")
	f.StringVar(&opt.into, "into", "", "write the table of -proof into this Markdown `file`")
	f.BoolVar(&opt.instructions, "instructions", false, "count instructions instead of measuring time")
	f.IntVar(&opt.pairs, "pairs", 0, "the maximum `number` of pairs of slices of a measurement (default no maximum)")
	f.DurationVar(&opt.time, "time", 15*time.Second, "how long the first measurement of a row takes")
	f.DurationVar(&opt.budget, "budget", 12*time.Minute, "how long all measurements may take")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return opt, err
	} else if err != nil {
		return opt, malformedError{err}
	}
	switch {
	case f.NArg() > 0:
		return opt, malformed("%q is no flag", f.Arg(0))
	case count(opt.base != "", opt.evaluate != "", opt.proof != "") != 1:
		return opt, malformed("give -base, -evaluate or -proof")
	case opt.pairs != 0 && opt.pairs < minPairs:
		return opt, malformed("-pairs %d: a measurement needs %d pairs", opt.pairs, minPairs)
	}
	return opt, nil
}

// count returns how many conditions hold.
func count(conditions ...bool) int {
	n := 0
	for _, c := range conditions {
		if c {
			n++
		}
	}
	return n
}
