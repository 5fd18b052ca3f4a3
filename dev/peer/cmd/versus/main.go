// Versus compares codec with other readers, in one process and round robin over
// the traces, and prints a Markdown table: for each trace the median time of an
// event, and how many times faster codec is. The others are dotnetdiag and, when
// -te names that program, TraceEvent, whose runs are between rounds of codec.
//
// On a machine with other load only the ratios are meaningful.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
)

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 11, "read each trace `N` times with each reader")
	flag.StringVar(&o.te, "te", "", "`path` of the program te, to measure TraceEvent as well on the evaluated traces")
	flag.IntVar(&o.runs, "runs", 3, "run te `N` times for each trace")
	flag.StringVar(&o.traces, "traces", "", "read the files that match `glob`, plain or .zst, in place of corpora's of version 4")
	flag.IntVar(&o.minEvents, "min-events", 20000, "evaluate traces of at least `N` events")
	flag.IntVar(&o.maxBytes, "max-bytes", 320, "evaluate traces of at most `N` bytes an event: above that copying dominates")
	flag.StringVar(&o.ratios, "ratios", "", "write the geometric means to `file`, one on each line, for a program to read")
	flag.Float64Var(&o.goal, "goal", 0, "fail if a geometric mean of the ratios is below `R`: from an io.Reader to dotnetdiag, from memory, as it reads, to TraceEvent")
	flag.Parse()
	if flag.NArg() > 0 || o.rounds < 1 || o.runs < 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "versus:", err)
		os.Exit(1)
	}
}

// minPartEvents is the minimum number of events of a trace that is shown although
// its events are too large to be evaluated.
const minPartEvents = 5000

type options struct {
	rounds, runs, minEvents, maxBytes int
	te, traces, ratios                string
	goal                              float64
}

func run(o options) error {
	traces, err := load(o.traces)
	if err != nil {
		return err
	}
	rows, err := newRows(traces, o)
	if err != nil {
		return err
	}
	if o.te != "" {
		rows = slices.DeleteFunc(rows, func(r *row) bool { return !r.judged && (r.class != large || r.events < minPartEvents) })
	}
	if err := measure(rows, o); err != nil {
		return err
	}
	command := strings.Join(append([]string{"cd dev/peer && GOWORK=off go run ./cmd/versus"}, os.Args[1:]...), " ")
	fmt.Print(table(rows, o, command))
	if o.ratios != "" {
		if err := os.WriteFile(o.ratios, []byte(ratioLines(rows, o)), 0o644); err != nil {
			return err
		}
	}
	return compareWithGoal(rows, o)
}

// compareWithGoal compares the geometric means with the goal. A peer is
// compared with the source that it reads itself: dotnetdiag an io.Reader,
// TraceEvent memory.
func compareWithGoal(rows []*row, o options) error {
	source := map[reader]reader{dotnetdiag: stream, traceEvent: memory}
	var errs []error
	for _, p := range peers(o) {
		if mean := geometricMean(ratios(rows, p, source[p])); !(mean >= o.goal) {
			errs = append(errs, fmt.Errorf("%.2f times as fast as %s, the goal is %.2f", mean, names[p], o.goal))
		}
	}
	return errors.Join(errs...)
}
