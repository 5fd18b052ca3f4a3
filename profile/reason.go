package profile

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
)

// wants has the settings that record samples of a type.
var wants = [typeCount]string{
	Wall:      "no events of Microsoft-DotNETCore-SampleProfiler",
	CPUApprox: "no events of Microsoft-DotNETCore-SampleProfiler",
	CPU:       "no event cpu of Universal.Events, which only record-trace (v6) writes",
	Switch:    "no event cswitch of Universal.Events, which only record-trace (v6) writes",
	Alloc: "no event AllocationTick (Microsoft-Windows-DotNETRuntime, keyword 0x1, level 5), GCSampledObjectAllocation or AllocationSampled " +
		"(keyword 0x80000000000, .NET 10)",
	Lock:      "no events ContentionStart and Stop (Microsoft-Windows-DotNETRuntime, keyword 0x4000)",
	Wait:      "no events WaitHandleWaitStart and Stop (Microsoft-Windows-DotNETRuntime, keyword 0x40000000000, level 5)",
	Exception: "no event ExceptionThrown (Microsoft-Windows-DotNETRuntime, keyword 0x8000)",
	GC:        "no suspension by the garbage collector (Microsoft-Windows-DotNETRuntime, keyword 0x1)",
}

// Reason is why a Profile has no samples of a type.
type Reason int

// The reasons that Profile.Why returns.
const (
	HasSamples Reason = iota // there are samples
	Filtered                 // Options.Threads, Processes, States, Filter and Time select none of the samples
	NotManaged               // no sample of type CPUApprox is in managed code, or has processor time that was measured
	NotAsked                 // Options.Types does not have the type
	NoEvents                 // the trace has no events of the type
	NoProvider               // type Event requires Options.Provider or Options.Select
	NoStacks                 // no event that Options selects has a stack
)

var reasonNames = [...]string{
	HasSamples: "HasSamples", Filtered: "Filtered", NotManaged: "NotManaged", NotAsked: "NotAsked", NoEvents: "NoEvents",
	NoProvider: "NoProvider", NoStacks: "NoStacks",
}

// String returns the name of the constant.
func (r Reason) String() string {
	if r >= 0 && int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return "Reason(" + strconv.Itoa(int(r)) + ")"
}

// Why returns the reason why a type has no samples.
func (p *Profile) Why(t Type) Reason {
	for range p.Samples(t) {
		return HasSamples
	}
	kept := keptAs(t)
	switch {
	case !p.asked[kept]:
		return NotAsked
	case p.seen[kept] > 0 && p.count(kept) == 0:
		return Filtered
	case p.seen[kept] > 0:
		return NotManaged
	case t != Event:
		return NoEvents
	case p.opt.Provider == "" && p.opt.Select == nil:
		return NoProvider
	case p.bare > 0:
		return NoStacks
	}
	return NoEvents
}

// ReasonText describes Why with the options, and with the provider and keywords
// that a recording needs to have such samples. It returns "" if there are
// samples.
func (p *Profile) ReasonText(t Type) string {
	kept := keptAs(t)
	switch p.Why(t) {
	case Filtered:
		return fmt.Sprintf("all %d samples of type %v are filtered out (%s)", p.seen[kept], kept, p.filters(kept))
	case NotManaged:
		if p.HasThreadTimes() {
			return fmt.Sprintf("none of the %d samples of type %v has processor time (%s)", p.count(kept), kept, p.filters(kept))
		}
		return fmt.Sprintf("none of the %d samples of type %v is in managed code (%s), and the trace has no processor times of threads, "+
			"which nettrace collect records on Linux", p.count(kept), kept, p.filters(kept))
	case NotAsked:
		return fmt.Sprintf("type %v was not asked for", t)
	case NoProvider:
		return "no provider was asked for"
	case NoStacks:
		return fmt.Sprintf("none of the %d events of %s has a stack", p.bare, p.selection())
	case NoEvents:
		if t == Event {
			return "the trace has no events of " + p.selection()
		}
		return "the trace has " + wants[t]
	}
	return ""
}

// keptAs is the type of the samples that those of a type are made of.
func keptAs(t Type) Type {
	if t == CPUApprox {
		return Wall
	}
	return t
}

// count is the number of samples of a type that are returned.
func (p *Profile) count(t Type) int64 {
	n := int64(0)
	for range p.Samples(t) {
		n++
	}
	return n
}

// selection describes the requested events.
func (p *Profile) selection() string {
	if p.opt.Provider == "" {
		return "what was selected"
	}
	if p.opt.HasEvent {
		return fmt.Sprintf("%s with id %d", p.opt.Provider, p.opt.Event)
	}
	return p.opt.Provider
}

// filters names the filters of samples of a type that are set.
func (p *Profile) filters(kept Type) string {
	var set []string
	if len(p.opt.Threads) > 0 {
		set = append(set, "threads "+rangesText(p.opt.Threads))
	}
	if len(p.opt.Processes) > 0 {
		set = append(set, "processes "+rangesText(p.opt.Processes))
	}
	if len(p.opt.States) > 0 && (kept == Event || kept == Wall && p.hasStates()) {
		set = append(set, "states "+stateNamesText(p.opt.States))
	}
	f := &p.opt.Filter
	class := f.Class
	if kept != Alloc {
		class = nil
	}
	for _, one := range []struct {
		name string
		of   *regexp.Regexp
	}{{"focus", f.Focus}, {"ignore", f.Ignore}, {"class", class}} {
		if one.of != nil {
			set = append(set, one.name+" "+one.of.String())
		}
	}
	if f.Request != nil {
		set = append(set, "requests")
	}
	if p.opt.Time.Bounded() {
		set = append(set, "times "+p.rangeText(p.opt.Time)+" of a recording "+p.RecordingText())
	}
	if len(set) == 0 {
		return "no filter"
	}
	return strings.Join(set, ", ")
}

// stateNamesText lists states in the syntax of --state.
func stateNamesText(list []State) string {
	var names []string
	for _, s := range list {
		names = append(names, s.String())
	}
	return strings.Join(names, ",")
}

// rangesText lists ranges in the syntax of --thread and --process.
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

// WindowText describes Options.Time in seconds since the trace's sync time,
// such as "from 2.000 s to 3.000 s"; "" if it has no bound.
func (p *Profile) WindowText() string {
	if !p.opt.Time.Bounded() {
		return ""
	}
	return p.rangeText(p.opt.Time)
}

// RecordingText describes Start and End in the form of WindowText.
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
