package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// table is the report. Ratios are medians of the rounds' ratios, so they are not
// exactly those of the medians in the table.
func table(rows []*row, o options, command string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "`%s`, %s, %s %s/%s, %s, %d cores%s.\n", command, time.Now().UTC().Format("2006-01-02 15:04 UTC"),
		runtime.Version(), runtime.GOOS, runtime.GOARCH, cpu(), runtime.NumCPU(), loadAverage())
	fmt.Fprintf(&b, "ns an event, medians of %d rounds; ×: how many times faster ours is, from an io.Reader and in memory.\n", o.rounds)
	if o.te != "" {
		fmt.Fprintf(&b, "All read one trace over and over after a warm-up; each of the %d runs of TraceEvent is between halves of the rounds of the others.\n", o.runs)
	}
	b.WriteByte('\n')

	header := []string{"trace", "events", "bytes/event", names[stream], names[memory]}
	for _, p := range peers(o) {
		header = append(header, names[p], "×", "× memory")
	}
	line(&b, header)
	rule := []string{"---"}
	for range header[1:] {
		rule = append(rule, "--:")
	}
	line(&b, rule)
	for _, judged := range []bool{true, false} {
		for _, r := range rows {
			if r.judged == judged {
				line(&b, r.cells(o))
			}
		}
		if judged {
			line(&b, means(rows, o))
		}
	}
	for _, r := range rows {
		for _, note := range r.notes {
			fmt.Fprintf(&b, "\n%s: %s\n", r.trace.Name, note)
		}
	}
	return b.String()
}

func (r *row) cells(o options) []string {
	cells := []string{
		r.trace.Name, fmt.Sprint(r.events), fmt.Sprint(len(r.trace.Data) / max(1, r.events)),
		number("%.1f", median(r.samples[stream])), number("%.1f", median(r.samples[memory])),
	}
	for _, p := range peers(o) {
		cells = append(cells, number("%.1f", median(r.samples[p])),
			number("%.2f", r.ratio(p, stream)), number("%.2f", r.ratio(p, memory)))
	}
	return cells
}

// means is the line below the evaluated traces.
func means(rows []*row, o options) []string {
	cells := []string{fmt.Sprintf("**geometric mean: at least %d events, at most %d bytes each**", o.minEvents, o.maxBytes), "", "", "", ""}
	for _, p := range peers(o) {
		cells = append(cells, "",
			number("**%.2f**", geometricMean(ratios(rows, p, stream))),
			number("**%.2f**", geometricMean(ratios(rows, p, memory))))
	}
	return cells
}

func line(b *strings.Builder, cells []string) {
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}

// number formats a value, or its absence.
func number(format string, v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf(format, v)
}

// ratio returns how many times faster codec is: the median of the ratios of the
// rounds, or of the peer's runs, each with the median of the rounds around it.
// NaN means not measured.
func (r *row) ratio(peer, ours reader) float64 {
	theirs, own := r.samples[peer], r.samples[ours]
	var quotients []float64
	for i, v := range theirs {
		around := len(own) / len(theirs)
		quotients = append(quotients, v/median(own[i*around:(i+1)*around]))
	}
	return median(quotients)
}

// ratios returns the ratios of the rows that are evaluated and measured.
func ratios(rows []*row, peer, ours reader) []float64 {
	var found []float64
	for _, r := range rows {
		if ratio := r.ratio(peer, ours); r.judged && !math.IsNaN(ratio) {
			found = append(found, ratio)
		}
	}
	return found
}

// median is the middle value, the mean of the two middle ones, or NaN of none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}

// geometricMean is NaN of no values.
func geometricMean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}

// cpu names the processor as well as it can.
func cpu() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for l := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(l, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

// loadAverage describes the load of the machine during the measurement, if it is
// known. With more runnable processes than cores, a long pass is interrupted more
// often than a short one, which makes codec look faster.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 2 {
		return ""
	}
	return fmt.Sprintf(", load average %s (1 min), %s (5 min)", fields[0], fields[1])
}
