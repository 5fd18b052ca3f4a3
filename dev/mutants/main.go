// Mutants checks the tests of seven packages: it applies the small semantic changes
// in list/*.tsv to their source code, one at a time, and demands that a test fails
// for each: make mutants.
//
// A row of a list has the file, the function, the old text, the new text and, for
// a change that no test can detect, the reason. The old text must be in the
// function exactly once, so that the list fails when the code changes.
//
// Each mutant is compiled with go test -overlay; no file is changed. First
// run the package's own tests, then, for a mutant that survives them, the tests of
// the packages that import it. All are run for at most two minutes
// per package (-timeout); a mutant that exceeds them counts as killed.
//
// The results are stored in the folder of the flag -dir. A second run with the
// same folder keeps the killed mutants and tries the others again. The exit
// status is 1 if a mutant without a reason survives.
//
//	bin/mutants -dir mutants -only 'codec/order.go'
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"
)

func main() {
	var opt options
	flag.StringVar(&opt.dir, "dir", "", "folder for the results, which a second run continues; default a new one")
	flag.IntVar(&opt.jobs, "jobs", 2, "mutants at the same time")
	flag.DurationVar(&opt.timeout, "timeout", 2*time.Minute, "time for the tests of one package, and for those of all importers; a busy machine needs more")
	flag.BoolVar(&opt.own, "own", false, "run only the tests of the package itself")
	only := flag.String("only", "", "regular expression for the file, the function or the new text of the mutants to run; default all")
	flag.Parse()
	var err error
	if opt.only, err = regexp.Compile(*only); err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		err = run(ctx, &opt)
	}
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "mutants:", err)
	if errors.Is(err, errSurvivors) {
		os.Exit(1)
	}
	os.Exit(2)
}
