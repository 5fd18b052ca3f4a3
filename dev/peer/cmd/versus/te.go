package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// runTE returns the median that te measures on a trace, after a warm-up of five
// seconds. It leaves out a trace on which te fails, with a note.
func runTE(r *row, dir string, o options) error {
	path := filepath.Join(dir, r.trace.Name+".nettrace")
	if err := os.WriteFile(path, r.trace.Data, 0o600); err != nil {
		return err
	}
	defer os.Remove(path)
	// Its rounds take at least half a second, because small traces are read
	// quickly.
	rounds := max(o.rounds, 2_500_000/max(1, r.events))
	cmd := exec.Command(o.te, "bench", path, strconv.Itoa(rounds))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		why, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		r.notes = append(r.notes, fmt.Sprintf("%s: %v: %s", names[traceEvent], err, why))
		return nil
	} else if err != nil {
		return err
	}
	ns, err := parseTE(string(out))
	if err != nil {
		return fmt.Errorf("%v: %w", cmd, err)
	}
	r.samples[traceEvent] = append(r.samples[traceEvent], ns)
	return nil
}

var nsPerEvent = regexp.MustCompile(`\tns/event=([0-9.]+)\t`)

// parseTE reads the time from te's line: tab-separated, NAME, events=N,
// ns/event=F and more.
func parseTE(line string) (float64, error) {
	m := nsPerEvent.FindStringSubmatch(line)
	if m == nil {
		return 0, fmt.Errorf("no ns/event in %q", line)
	}
	return strconv.ParseFloat(m[1], 64)
}
