package profile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
)

// wants tells what has to be switched on for a type to have samples.
var wants = [typeCount]string{
	Wall:      "no events of Microsoft-DotNETCore-SampleProfiler",
	CPUApprox: "no events of Microsoft-DotNETCore-SampleProfiler",
	CPU:       "no event cpu of Universal.Events, which only record-trace (v6) writes",
	Switch:    "no event cswitch of Universal.Events, which only record-trace (v6) writes",
	Alloc: "no event AllocationTick (Microsoft-Windows-DotNETRuntime, keyword 0x1, level 5) or AllocationSampled " +
		"(keyword 0x80000000000, .NET 10)",
	Lock:      "no events ContentionStart and Stop (Microsoft-Windows-DotNETRuntime, keyword 0x4000)",
	Wait:      "no events WaitHandleWaitStart and Stop (Microsoft-Windows-DotNETRuntime, keyword 0x40000000000, level 5)",
	Exception: "no event ExceptionThrown (Microsoft-Windows-DotNETRuntime, keyword 0x8000)",
	GC:        "no suspension by the garbage collector (Microsoft-Windows-DotNETRuntime, keyword 0x1)",
}

// Why tells why there are no samples of a type: what the trace lacks, or what
// filters them all out. It returns "" when there are some.
func (p *Profile) Why(t Type) string {
	for range p.Samples(t) {
		return ""
	}
	kept := t
	if t == CPUApprox {
		kept = Wall
	}
	n := p.seen[kept]
	switch {
	case n > 0 && p.count(kept) == 0:
		return fmt.Sprintf("all %d samples of type %v are filtered out (%s)", n, kept, p.filters())
	case n > 0:
		return fmt.Sprintf("none of the %d samples of type %v is in managed code (%s)", p.count(kept), kept, p.filters())
	case len(p.opt.Types) > 0 && !p.asked(t):
		return fmt.Sprintf("type %v was not asked for", t)
	case t != Event:
		return "the trace has " + wants[t]
	case p.opt.Provider == "" && p.opt.Select == nil:
		return "no provider was asked for"
	case p.bare > 0:
		return fmt.Sprintf("none of the %d events of %s has a stack", p.bare, p.selection())
	}
	return "the trace has no events of " + p.selection()
}

// count is the number of samples of a type that are returned.
func (p *Profile) count(t Type) int64 {
	n := int64(0)
	for range p.Samples(t) {
		n++
	}
	return n
}

func (p *Profile) asked(t Type) bool {
	for _, have := range p.opt.Types {
		if have == t || have == CPUApprox && t == Wall {
			return true
		}
	}
	return false
}

// selection names the events that were asked for.
func (p *Profile) selection() string {
	if p.opt.Provider == "" {
		return "what was selected"
	}
	if p.opt.HasEvent {
		return fmt.Sprintf("%s with id %d", p.opt.Provider, p.opt.Event)
	}
	return p.opt.Provider
}

// filters names the filters that are set.
func (p *Profile) filters() string {
	var set []string
	if len(p.opt.Threads) > 0 {
		set = append(set, fmt.Sprintf("threads %v", p.opt.Threads))
	}
	if len(p.opt.Processes) > 0 {
		set = append(set, "processes "+rangesText(p.opt.Processes))
	}
	if p.opt.Time.Bounded() {
		set = append(set, "times "+p.rangeText(p.opt.Time)+" of a recording "+p.RecordingText())
	}
	if len(set) == 0 {
		return "no filter"
	}
	return strings.Join(set, ", ")
}

// rangesText lists ranges as --process takes them.
func rangesText(list []IDRange) string {
	var parts []string
	for _, r := range list {
		if r.First == r.Last {
			parts = append(parts, strconv.FormatUint(r.First, 10))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", r.First, r.Last))
		}
	}
	return strings.Join(parts, ",")
}

// WindowText describes Options.Time in seconds since the trace's sync time, such
// as "from 2.000 s to 3.000 s"; "" when it has no bound.
func (p *Profile) WindowText() string {
	if !p.opt.Time.Bounded() {
		return ""
	}
	return p.rangeText(p.opt.Time)
}

// RecordingText describes Start and End as WindowText does.
func (p *Profile) RecordingText() string {
	return p.rangeText(codec.TimeRange{From: p.Start, To: p.End, HasFrom: true, HasTo: true})
}

func (p *Profile) rangeText(r codec.TimeRange) string {
	from, to := p.seconds(r.From), p.seconds(r.To)
	switch {
	case !r.HasTo:
		return "from " + from
	case !r.HasFrom:
		return "before " + to
	}
	return "from " + from + " to " + to
}

// seconds is the time since the trace's sync time.
func (p *Profile) seconds(ticks uint64) string {
	sync := p.Trace.SyncTicks
	if ticks < sync {
		return fmt.Sprintf("-%.3f s", float64(p.nanos.of(sync-ticks))/1e9)
	}
	return fmt.Sprintf("%.3f s", float64(p.nanos.of(ticks-sync))/1e9)
}
