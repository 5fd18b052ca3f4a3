// Package firefox writes a profile for the Firefox Profiler (profiler.firefox.com), in
// version 63 of its processed format: the newest one that Perfetto reads with callers. The
// schema is src/types/profile.ts of firefox-devtools/profiler.
//
// Each thread has the samples of one type that measures time, with what the thread did as
// the category, and its measured processor time if the trace has it; allocations, as the
// viewer's JS allocations; and markers for contentions, waits, collections, exceptions and
// the events of event sources. Times are in milliseconds since the sync time of the trace.
// A file has neither counters, nor source lines.
package firefox

import (
	"bufio"
	"io"
	"slices"
	"strconv"

	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// Options configure a file. The zero value is right for most programs.
type Options struct {
	// Name is the name of the source in the file.
	Name string
	// Types are the types to show. Default: all that have samples. The first one of
	// Wall, CPUApprox, CPU and Switch has the samples of the threads.
	Types []profile.Type
	// RawNames shows methods and types as the runtime writes them.
	RawNames bool
	// CommandLine adds the command line of the process, which can hold secrets.
	CommandLine bool
}

// Write writes a profile. It returns the error of w.
func Write(w io.Writer, p *profile.Profile, opt Options) error {
	e := &encoder{Writer: bufio.NewWriterSize(w, 64<<10), p: p, opt: &opt, tables: newTables(p, opt.RawNames), schemas: map[string]*schema{}}
	e.types = opt.Types
	if len(e.types) == 0 {
		e.types = p.Types()
	}
	e.sampled = e.sampledType()
	e.marks = e.groupMarks()
	e.text(`{"threads":[`)
	e.threads()
	e.text("],\n\"shared\":")
	e.tables.write(e)
	e.text(",\n\"libs\":[],\"counters\":[],\n\"meta\":")
	e.meta()
	e.text("}\n")
	return e.Flush()
}

// encoder writes JSON.
type encoder struct {
	*bufio.Writer
	p       *profile.Profile
	opt     *Options
	types   []profile.Type
	sampled profile.Type // of the samples of threads
	tables  *tables
	marks   map[int][]profile.Mark // by thread
	schemas map[string]*schema     // of markers, by name
	begun   bool                   // a thread is written
}

// ofThreads are the types whose samples have the stack of a thread, the preferred first.
var ofThreads = []profile.Type{profile.Wall, profile.CPU, profile.CPUApprox, profile.Switch}

// sampledType returns the type of the samples of threads.
func (e *encoder) sampledType() profile.Type {
	for _, t := range ofThreads {
		if slices.Contains(e.types, t) {
			return t
		}
	}
	return profile.Wall // of which there are none
}

// groupMarks returns the events of event sources and the collections by thread.
func (e *encoder) groupMarks() map[int][]profile.Mark {
	marks := map[int][]profile.Mark{}
	for m := range e.p.Marks() {
		marks[m.Thread] = append(marks[m.Thread], m)
	}
	return marks
}

// text writes text. Flush returns the error.
func (e *encoder) text(s string) { _, _ = e.WriteString(s) }

func (e *encoder) number(n int64) { _, _ = e.Write(strconv.AppendInt(e.AvailableBuffer(), n, 10)) }

func (e *encoder) quote(s string) { _, _ = e.Write(calltree.Quote(s)) }

// millis writes nanoseconds as milliseconds.
func (e *encoder) millis(ns int64) {
	_, _ = e.Write(strconv.AppendFloat(e.AvailableBuffer(), float64(ns)/1e6, 'f', -1, 64))
}

// separate writes the comma before element i of a list.
func (e *encoder) separate(i int) {
	if i > 0 {
		e.text(",")
	}
}

// numbers writes a column; none is the value that is written as null.
func (e *encoder) numbers(key string, column []int32, none int32) {
	e.text(`,"` + key + `":[`)
	for i, v := range column {
		if e.separate(i); v == none {
			e.text("null")
		} else {
			e.number(int64(v))
		}
	}
	e.text("]")
}

// repeat writes a column with one value n times.
func (e *encoder) repeat(key, value string, n int) {
	e.text(`,"` + key + `":[`)
	for i := range n {
		e.separate(i)
		e.text(value)
	}
	e.text("]")
}

// no is a column's value for which numbers writes null.
const no = -1

// meta writes the description of the profile.
func (e *encoder) meta() {
	p := e.p
	e.text(`{"interval":`)
	e.millis(max(p.Interval, 1))
	e.text(`,"startTime":`)
	e.millis(p.Trace.SyncTime.UnixNano())
	e.text(`,"profilingStartTime":`)
	e.millis(p.Nanos(p.Start))
	e.text(`,"profilingEndTime":`)
	e.millis(p.Nanos(p.End))
	e.text(`,"processType":0,"product":`)
	e.quote(e.product())
	e.text(`,"importedFrom":"NetTrace","stackwalk":1,"version":36,"preprocessedProfileVersion":63,"symbolicated":true,"symbolicationNotSupported":true,` +
		`"usesOnlyOneStackType":true,"sourceCodeIsNotOnSearchfox":true,"keepProfileThreadOrder":true,"sampleUnits":{"time":"ms","eventDelay":"ms","threadCPUDelta":"ns"},`)
	if e.opt.CommandLine && p.CommandLine != "" {
		e.text(`"arguments":`)
		e.quote(p.CommandLine)
		e.text(",")
	}
	e.extra()
	e.text("\"categories\":[")
	for i, c := range categories {
		e.separate(i)
		e.text(`{"name":"` + c.name + `","color":"` + c.color + `","subcategories":["Other"]}`)
	}
	e.text("],\n\"markerSchema\":[")
	e.writeSchemas()
	e.text("]}")
}

// product returns the name of the profile: that of the process if there is one.
func (e *encoder) product() string {
	if id, ok := e.p.Trace.ProcessID(); ok {
		if name := e.p.Process(id).Name; name != "" {
			return name
		}
	}
	return e.opt.Name
}

// extra writes what the viewer shows beside the profile: lost events, and time without
// samples.
func (e *encoder) extra() {
	rows := []struct {
		label string
		value int64
	}{{"events that the writer dropped", int64(e.p.Lost)}, {"time of threads that no sample counts (ms)", e.p.TotalNotSampled() / 1e6}}
	e.text(`"extra":[{"label":"Recording","entries":[{"label":"source","format":"string","value":`)
	e.quote(e.opt.Name)
	e.text("}")
	for _, r := range rows {
		if r.value > 0 {
			e.text(`,{"label":"` + r.label + `","format":"integer","value":`)
			e.number(r.value)
			e.text("}")
		}
	}
	e.text("]}],\n")
}
