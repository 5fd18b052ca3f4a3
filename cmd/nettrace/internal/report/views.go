package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// view is how a part is printed. Its functions get reports with events of the part.
type view struct {
	name, short, long string
	records           []string                      // what -p records: Provider:Keywords:Level
	profile           string                        // what -p records: a profile of collect
	counters          counters.Selection            // what -p records of counters
	summary           func(*analysis.Report) string // a line without the name of the part
	totals            func(*analysis.Report) []property
	tables            func(*analysis.Report) []table
	details           string // help of --details, "" for a part without them
	physical          string // help of --physical, "" for a part without stacks of async code
	unseen            string // what a report without events adds: how to find what has no events, "" for nothing
}

// views has each part of package parts, in any order.
var views = []view{
	gcView,
	allocView,
	jitView,
	threadsView,
	locksView,
	asyncView,
	waitsView,
	exceptionsView,
	requestsView,
	spansView,
	countersView,
	traceView,
}

// viewOf returns the view of a part.
func viewOf(part string) *view {
	if part == cpuName {
		return &cpuView
	}
	for i := range views {
		if views[i].name == part {
			return &views[i]
		}
	}
	return nil
}

// summarize prints the findings of all parts and a line for each part.
func summarize(d *document, f *file) {
	findings := f.findings()
	d.heading(fmt.Sprintf("%s: %s", f.name, display.Counted(int64(len(findings)), "finding")))
	d.findings(findings, true)
	if len(findings) > 0 {
		d.line("")
	}
	var list []property
	for i := range f.reports {
		list = append(list, property{title(&f.reports[i]), summaryOf(&f.reports[i])})
	}
	d.properties(list)
	if slices.ContainsFunc(f.reports, func(r analysis.Report) bool { return !r.Recorded() && len(r.None) == 0 }) {
		d.line("")
		d.line("no events: nothing of the kind happened, or it was not recorded;")
		d.line("nettrace collect --provider PROVIDER:KEYWORDS:LEVEL records it")
	}
}

// summaryOf returns the line of a report.
func summaryOf(r *analysis.Report) string {
	if r.Recorded() {
		return viewOf(r.Part).summary(r)
	}
	if len(r.None) > 0 {
		return "none in this time"
	}
	var settings []string
	for _, n := range r.NotRecorded {
		if n.Flags == "" {
			settings = append(settings, n.Setting())
		}
	}
	return "no events: " + strings.Join(settings, " or ")
}

// detail prints parts in full.
func detail(d *document, f *file) {
	for i := range f.reports {
		r := &f.reports[i]
		if i > 0 {
			d.line("")
		}
		d.heading(f.name + ": " + title(r))
		if r.Recorded() {
			d.findings(r.Findings, false) // their command is this one
			d.properties(viewOf(r.Part).totals(r))
		}
		d.missing(r)
		if r.Recorded() {
			for _, t := range viewOf(r.Part).tables(r) {
				d.table(t)
			}
		}
	}
}

// title names the part and the process of a report.
func title(r *analysis.Report) string {
	if id, ok := r.ProcessID.Get(); ok {
		return fmt.Sprintf("%s, process %d", r.Part, id)
	}
	return r.Part
}

// leftOut returns a sentence about what is not in a report because of a limit.
func leftOut(count int64, what string) string {
	if what == "event out of order" {
		return display.Grouped(count) + " events out of order: intervals can be wrong"
	}
	return fmt.Sprintf("%s left out because of the limit of memory", display.Counted(count, what))
}
