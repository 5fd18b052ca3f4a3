package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// runner runs test binaries and records their output.
type runner struct {
	work   *workspace
	record *record
	window time.Duration // for a row in a process
	most   int           // rounds
	out    io.Writer     // gets the record
	notes  io.Writer     // gets a line for each step
}

// slot is one process.
type slot struct {
	phase       string
	round       int
	side        int // as it counts
	binary      int // the side whose binary runs: the same except for burn-in
	rows        []string
	window      string   // -test.benchtime
	layout      int      // of the code
	wrap        []string // a command in front of the binary's
	environment []string
}

// command is how the process of a slot is started.
func (r *runner) command(ctx context.Context, s slot) *exec.Cmd {
	args := append(slices.Clone(s.wrap), r.work.binary(s.binary, s.layout),
		"-test.run=^$", "-test.bench="+pattern(s.rows), "-test.benchtime="+s.window,
		"-test.benchmem", "-test.cpu=1", "-test.count=1", "-test.timeout=5m")
	if len(s.rows) == 0 {
		args[len(s.wrap)+2] = "-test.bench=."
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = r.work.pkgs[s.binary]
	cmd.Env = append(cmd.Environ(), s.environment...)
	return cmd
}

// run runs a process and records its results. It returns how many there were.
func (r *runner) run(ctx context.Context, s slot) (int, error) {
	cmd, start := r.command(ctx, s), time.Now()
	text, err := cmd.Output()
	if err != nil {
		return 0, r.failure(ctx, s, err, text)
	}
	worked := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return r.keep(s, addProcessorTime(text, min(1, worked.Seconds()/time.Since(start).Seconds())))
}

// processorUnit is the unit of the evaluated time.
const processorUnit = "cpu-ns/op"

var timed = regexp.MustCompile(`(?m)^Benchmark\S+\s+\d+\s+(\S+) ns/op.*$`)

// addProcessorTime adds the processor time to each result, if the benchmark does
// not report it. share is that of the complete process.
func addProcessorTime(text []byte, share float64) []byte {
	return timed.ReplaceAllFunc(text, func(line []byte) []byte {
		ns, err := strconv.ParseFloat(string(timed.FindSubmatch(line)[1]), 64)
		if err != nil || bytes.Contains(line, []byte(" "+processorUnit)) {
			return line
		}
		return fmt.Appendf(slices.Clip(line), " %.7g %s", ns*share, processorUnit)
	})
}

// failure returns why a process failed. A failing benchmark is a fault of the
// input; other failures are not.
func (r *runner) failure(ctx context.Context, s slot, err error, text []byte) error {
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("stopped: %w", context.Cause(ctx))
	case errors.As(err, &exit) && exit.Exited():
		return malformed("%s: the benchmarks fail: %w\n%s%s", sideNames[s.binary], err, text, exit.Stderr)
	}
	return fmt.Errorf("%s: %w", sideNames[s.binary], err)
}

// keep records the output of a process.
func (r *runner) keep(s slot, text []byte) (int, error) {
	keys := fmt.Sprintf("phase: %s\nround: %d\nside: %s\nlayout: %d\n", s.phase, s.round, sideNames[s.side], s.layout)
	text = append([]byte(keys), text...)
	if _, err := r.out.Write(text); err != nil {
		return 0, err
	}
	return r.record.read(sideNames[s.side]+" "+s.phase, text)
}

// probe runs each row of both sides once, all rows there are if none are named.
func (r *runner) probe(ctx context.Context, rows []string) error {
	for side := range sideNames {
		s := slot{phase: phaseProbe, side: side, binary: side, rows: rows, window: "1x", layout: 1}
		if _, err := r.run(ctx, s); err != nil {
			return err
		}
	}
	for _, row := range rows {
		if r.record.rows[row] == nil {
			return malformed("%s: neither side has this row", row)
		}
	}
	return tooMany(r.record.names)
}

// comparable are the rows that both sides have.
func (r *runner) comparable() []string {
	return slices.DeleteFunc(slices.Clone(r.record.names), func(name string) bool {
		return r.record.rows[name].probed != [2]bool{true, true}
	})
}

// compare runs rounds of rows until each row is clear, the maximum of rounds is
// reached, or the next round would end after the deadline.
func (r *runner) compare(ctx context.Context, phase string, rows []string, deadline time.Time) error {
	for n := 1; n <= r.most && len(rows) > 0; n++ {
		start := time.Now()
		if err := r.round(ctx, phase, n, rows); err != nil {
			return err
		}
		took := time.Since(start)
		if n >= minRounds {
			rows = slices.DeleteFunc(slices.Clone(rows), func(name string) bool { return r.record.rows[name].clear(phase) })
		}
		fmt.Fprintf(r.notes, "%s: round %d in %.1f s, %d rows to go on with\n", phase, n, took.Seconds(), len(rows))
		if time.Now().Add(took).After(deadline) {
			fmt.Fprintf(r.notes, "%s: no time for more rounds\n", phase)
			return nil
		}
	}
	return nil
}

// clear reports whether more rounds of the row would not change its outcome.
func (w *row) clear(phase string) bool {
	switch w.position(phase) {
	case steady, uncertain, slow:
		return true
	}
	return false
}

// round runs each row four times: base, head, head, base, and the other way round
// in every second round. In burn-in head is base as well.
func (r *runner) round(ctx context.Context, phase string, n int, rows []string) error {
	order := [4]int{base, head, head, base}
	if n%2 == 0 {
		order = [4]int{head, base, base, head}
	}
	for _, row := range rows {
		for _, side := range order {
			s := slot{phase: phase, round: n, side: side, binary: side,
				rows: []string{row}, window: r.window.String(), layout: 1 + (n-1)%layouts}
			if phase == phaseBurnIn {
				s.binary = base
			}
			if got, err := r.run(ctx, s); err != nil {
				return err
			} else if got == 0 {
				return malformed("%s: %s printed no result in round %d", row, sideNames[side], n)
			}
		}
	}
	return nil
}
