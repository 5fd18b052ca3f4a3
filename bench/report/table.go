package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
)

// target is a row of the table.
type target struct {
	name, value    string
	required, goal float64
	max            bool // the value must be at most that, otherwise at least
	plain          bool // a number without a goal
}

var targets = []target{
	{name: "times as fast as dotnetdiag, from an io.Reader", value: "dotnetdiag stream all", required: 7, goal: 8},
	{name: "the same, sample-profiler traces", value: "dotnetdiag stream sampler", required: 10, goal: 11},
	{name: "the same, 200 to 320 bytes an event", value: "dotnetdiag stream large", required: 4, goal: 5},
	{name: "times as fast as dotnetdiag, from memory", value: "dotnetdiag memory all", plain: true},
	{name: "times as fast as TraceEvent, both from memory", value: "TraceEvent memory all", required: 7, goal: 9},
	{name: "times as fast as TraceEvent, ours from an io.Reader", value: "TraceEvent stream all", plain: true},
	{name: "time from memory by that from an io.Reader", value: "ours memory/stream all", required: 1.1, goal: 1, max: true},
	{name: "rows: time by that of the boundary walk, real", value: "rows walk", required: 1.35, goal: 1.2, max: true},
	{name: "rows: time by that of the boundary walk, v6 synthetic", value: "rows v6 walk", required: 1.35, goal: 1.2, max: true},
	{name: "rows: time by that of tuned C", value: "rows C", required: 1.2, goal: 1.1, max: true},
	{name: "order: times as fast as slices.SortFunc", value: "order", required: 10, goal: 10},
	{name: "time of writing by that of reading", value: "write", required: 1.5, goal: 1.5, max: true},
	{name: "time of checking by that of reading", value: "check", required: 3, goal: 3, max: true},
	{name: "time of reading with all fields by that of reading", value: "fields", required: 4, goal: 4, max: true},
	{name: "allocations a block in steady state", value: "allocs", required: 0, goal: 0, max: true},
	{name: "tests of the row loops that fail on arm64, under qemu", value: "arm64", required: 0, goal: 0, max: true},
	{name: "bounds checks in the loop of v4, arm64", value: "bounds v4", plain: true},
	{name: "bounds checks in the loop of v6, arm64", value: "bounds v6", plain: true},
}

// table evaluates the targets. missed are those whose required value is not
// reached.
func table(m *measurements) (text string, missed []string) {
	var b strings.Builder
	b.WriteString("| figure | measured | required | goal | reached |\n| --- | --: | --: | --: | --- |\n")
	for _, p := range targets {
		value, ok := m.values[p.value]
		result := p.result(value, ok)
		if result == "missed" || result == "not measured" && !p.plain {
			missed = append(missed, p.name)
		}
		measured, required, goal := "-", "", ""
		if ok {
			measured = fmt.Sprintf("%.4g", value)
		}
		if sign := map[bool]string{true: "≤ ", false: "≥ "}[p.max]; !p.plain {
			required, goal = sign+fmt.Sprint(p.required), sign+fmt.Sprint(p.goal)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", p.name, measured, required, goal, result)
	}
	b.WriteString("\nEvaluated are traces of at least 20,000 events and at most 320 file bytes an event, by the geometric mean; larger events are\n" +
		"listed separately. A sample-profiler trace has at most 40 file bytes an event, and 15 % of its events at least are samples.\n")
	return b.String(), missed
}

func (p *target) result(value float64, measured bool) string {
	reaches := func(goal float64) bool { return p.max && value <= goal || !p.max && value >= goal }
	switch {
	case !measured || math.IsNaN(value):
		return "not measured"
	case p.plain:
		return ""
	case reaches(p.goal):
		return "goal"
	case reaches(p.required):
		return "required"
	}
	return "missed"
}

// notes are the logs of the tests, and the errors.
func (m *measurements) notes() string {
	var b strings.Builder
	b.WriteString("\n## Details\n\n```\n")
	for _, d := range m.details {
		b.WriteString(d + "\n")
	}
	b.WriteString("```\n")
	for _, err := range m.errs {
		fmt.Fprintf(&b, "\nNot measured: %v\n", err)
	}
	return b.String()
}

// machine describes the machine.
func machine() string {
	cpu := "unknown processor"
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			cpu = strings.TrimSpace(value)
			break
		}
	}
	load := ""
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		if f := strings.Fields(string(text)); len(f) > 1 {
			load = fmt.Sprintf(", load average %s (1 min), %s (5 min) at the end", f[0], f[1])
		}
	}
	return fmt.Sprintf("%s, %s/%s, %s, %d cores%s.", runtime.Version(), runtime.GOOS, runtime.GOARCH, cpu, runtime.NumCPU(), load)
}
