// Command convert compares nettrace convert with dotnet-trace convert, and with
// itself without repair: the time from the start of the process to its end, with
// the output on disk, and the peak resident memory. The runs alternate, and
// medians are compared. It exits with 1 when a goal is missed.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// names of the traces that are measured.
var names = []string{"azmcp-net10-cpu.v4", "roslyn-net10-cpu.v4", "aspnet-net10.v4"}

// options are the flags.
type options struct {
	nettrace, te, traces string
	rounds               int
	time, memory, repair float64
}

func main() {
	var o options
	flag.StringVar(&o.nettrace, "nettrace", "bin/nettrace", "`program` to measure")
	flag.StringVar(&o.te, "te", "../shared/oracle/te", "`program` whose \"trace convert\" is compared")
	flag.StringVar(&o.traces, "traces", "../shared/traces", "`folder` of traces")
	flag.IntVar(&o.rounds, "rounds", 5, "`number` of runs")
	flag.Float64Var(&o.time, "time", 10, "demand that it is so many `times` faster")
	flag.Float64Var(&o.memory, "memory", 4, "the required ratio of the other program's memory to that of nettrace, in `times`")
	flag.Float64Var(&o.repair, "repair", 1.3, "the maximum ratio of the time with repair to the time without, in `times`")
	flag.Parse()
	missed, err := measure(&o, os.Stdout)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "convert:", err)
		os.Exit(3)
	case missed:
		os.Exit(1)
	}
}

// run has the time and memory of one process.
type run struct {
	time   time.Duration
	memory int64 // bytes
}

// measure prints a table with a row for each trace.
func measure(o *options, w io.Writer) (missed bool, err error) {
	dir, err := os.MkdirTemp("", "convert")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	fmt.Fprintf(w, "%-20s %10s %10s %7s %10s %10s %7s %10s\n", "speedscope", "nettrace", "other", "faster", "nettrace", "other", "less", "repair")
	for _, name := range names {
		path := filepath.Join(dir, name+".nettrace")
		if err := unpack(filepath.Join(o.traces, name+".nettrace.zst"), path); err != nil {
			return false, err
		}
		m, err := o.medians(path)
		if err != nil {
			return false, err
		}
		ours, other := m[0], m[1]
		repair := float64(ours.time) / float64(m[2].time)
		faster, less := float64(other.time)/float64(ours.time), float64(other.memory)/float64(ours.memory)
		fmt.Fprintf(w, "%-20s %7.0f ms %7.0f ms %6.1fx %7.1f MB %7.1f MB %6.1fx %9.2fx\n", name,
			ours.time.Seconds()*1e3, other.time.Seconds()*1e3, faster, float64(ours.memory)/1e6, float64(other.memory)/1e6, less, repair)
		if faster < o.time || less < o.memory || repair > o.repair {
			missed = true
			fmt.Fprintf(w, "  goal: %g times faster, in a part of %g, repair at most %gx\n", o.time, o.memory, o.repair)
		}
	}
	return missed, nil
}

// medians runs the three commands alternately: nettrace, the other program, and
// nettrace without repair.
func (o *options) medians(path string) (m [3]run, err error) {
	commands := [3][]string{
		{o.nettrace, "convert", path, "-o", path + ".ours.speedscope.json", "--force"},
		{o.te, "trace", "convert", path, "--format", "Speedscope", "-o", path + ".other"},
		{o.nettrace, "convert", path, "-o", path + ".cut.speedscope.json", "--force", "--no-repair"},
	}
	var runs [3][]run
	for range o.rounds {
		for i, args := range commands {
			r, err := start(args)
			if err != nil {
				return m, err
			}
			runs[i] = append(runs[i], r)
		}
	}
	for i := range runs {
		m[i] = median(runs[i])
	}
	return m, nil
}

// start runs a program to its end. If it fails, the error has the text of its
// standard streams.
func start(args []string) (run, error) {
	cmd := exec.Command(args[0], args[1:]...)
	var text strings.Builder
	cmd.Stdout, cmd.Stderr = &text, &text
	begin := time.Now()
	if err := cmd.Run(); err != nil {
		return run{}, fmt.Errorf("%v: %w\n%s", cmd, err, text.String())
	}
	r := run{time: time.Since(begin), memory: residentMax(cmd.ProcessState)}
	if r.memory == 0 {
		return r, fmt.Errorf("this system does not report the memory of a process")
	}
	return r, nil
}

// median is taken of time and memory separately.
func median(runs []run) run {
	middle := len(runs) / 2
	slices.SortFunc(runs, func(a, b run) int { return cmp.Compare(a.time, b.time) })
	m := run{time: runs[middle].time}
	slices.SortFunc(runs, func(a, b run) int { return cmp.Compare(a.memory, b.memory) })
	m.memory = runs[middle].memory
	return m
}

// unpack decompresses a file. It uses a separate process: the peak memory of this
// one would count for the processes that it starts.
func unpack(from, to string) error {
	if text, err := exec.Command("zstd", "-qdf", from, "-o", to).CombinedOutput(); err != nil {
		return fmt.Errorf("zstd %s: %w\n%s", from, err, text)
	}
	return nil
}
