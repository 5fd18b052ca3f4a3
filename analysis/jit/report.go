package jit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/analysis"
)

// Row is a compilation of a method. Unknown Numbers are not in JSON.
type Row struct {
	Method             string          `json:"method"`               // in C# syntax, without the module
	Tier               string          `json:"tier,omitempty"`       // as in the runtime's enumeration: "QuickJitted"
	Background         bool            `json:"background"`           // by the thread of tiered compilation
	Startup            bool            `json:"startup"`              // it began in the startup of the process
	Dynamic            bool            `json:"dynamic"`              // the method was made at run time
	ReadyToRunRejected bool            `json:"readyToRunRejected"`   // there is ReadyToRun code, and the runtime rejected it
	Unfinished         bool            `json:"unfinished"`           // it did not end in code: the time is that up to the end of the recording
	Version            analysis.Number `json:"version,omitzero"`     // of the method's code; 0 for the first one
	ThreadID           int64           `json:"threadId"`             // of the thread that compiled
	StartNs            analysis.Number `json:"startNs,omitzero"`     // since the trace's sync time
	EndNs              analysis.Number `json:"endNs,omitzero"`       // the same
	DurationNs         analysis.Number `json:"durationNs,omitzero"`  // from start to end
	PausedNs           int64           `json:"pausedNs,omitzero"`    // of DurationNs: the garbage collector paused the process
	ILBytes            analysis.Number `json:"ilBytes,omitzero"`     // size of the IL; of a dynamic method 0
	NativeBytes        analysis.Number `json:"nativeBytes,omitzero"` // size of the code
}

// Table declares the rows.
var Table = analysis.Table[Row]{
	Fields: []analysis.Field[Row]{
		{Key: "method", Doc: "in C# syntax, without the module", Head: "method", Form: analysis.Method, Blank: true, Of: func(r *Row) any { return r.Method }},
		{Key: "tier", Doc: "as in the runtime's enumeration", Head: "tier", Form: analysis.Cut, Of: func(r *Row) any { return r.Tier }},
		{Key: "background", Doc: "by the thread of tiered compilation", Head: "notes", Form: analysis.Cut, Blank: true, Of: func(r *Row) any { return r.Background }, Show: func(r *Row) any { return r.notes() }},
		{Key: "startup", Doc: "it began in the startup of the process", Of: func(r *Row) any { return r.Startup }},
		{Key: "dynamic", Doc: "the method was made at run time", Of: func(r *Row) any { return r.Dynamic }},
		{Key: "readyToRunRejected", Doc: "there is ReadyToRun code, and the runtime rejected it", Of: func(r *Row) any { return r.ReadyToRunRejected }},
		{Key: "unfinished", Doc: "it did not end in code: the time is that up to the end of the recording", Of: func(r *Row) any { return r.Unfinished }},
		{Key: "version", Doc: "of the method's code; 0 for the first one", Of: func(r *Row) any { return r.Version }},
		{Key: "threadId", Doc: "thread that compiled", Of: func(r *Row) any { return r.ThreadID }},
		{Key: "startNs", Doc: "start of the compilation", Head: "start s", Form: analysis.Seconds, Wide: true, Of: func(r *Row) any { return r.StartNs }},
		{Key: "endNs", Doc: "end of the compilation", Of: func(r *Row) any { return r.EndNs }},
		{Key: "durationNs", Doc: "from the start to the end of the compilation", Head: "time", Form: analysis.Million, Of: func(r *Row) any { return r.DurationNs }},
		{Key: "pausedNs", Doc: "part of it in which the garbage collector paused the process", Of: func(r *Row) any { return r.PausedNs }},
		{Key: "ilBytes", Doc: "size of the IL, 0 for a dynamic method", Head: "il", Wide: true, Of: func(r *Row) any { return r.ILBytes }},
		{Key: "nativeBytes", Doc: "size of the code", Head: "native", Of: func(r *Row) any { return r.NativeBytes }},
	},
	Text:    "startNs durationNs ilBytes nativeBytes tier background method",
	Page:    "startNs durationNs tier method unfinished background ilBytes nativeBytes threadId",
	Longest: &analysis.Longest{Key: "durationNs", Name: "Slowest method", Why: []string{"method", "tier"}},
}

// report makes the report of a process after the last event.
func (p *process) report() analysis.Report {
	p.close()
	rows := make([]Row, len(p.rows))
	for i, m := range p.rows {
		rows[i] = p.row(m)
	}
	report := analysis.NewReport(Name, p.id)
	totals := p.sums()
	report.Rows, report.Totals = rows, totals
	report.Findings = analysis.Findings(rules, rows, totals)
	for _, n := range []struct {
		missing bool
		what    analysis.NotRecorded
	}{
		{!p.started && !p.ended, compilations}, {!p.started && p.ended, durations},
		{!p.hasTiering, tieredCompilation}, {p.entryPoints == 0, entryPoints},
	} {
		if n.missing {
			report.NotRecorded = append(report.NotRecorded, n.what)
		}
	}
	return report
}

// close makes rows of what is open at the end of the recording, and sorts the rows
// by time.
func (p *process) close() {
	for _, open := range p.open {
		for _, m := range open {
			p.add(m)
		}
	}
	clear(p.open)
	slices.SortStableFunc(p.rows, func(a, b *method) int {
		return cmp.Or(cmp.Compare(a.begin(), b.begin()), cmp.Compare(a.thread, b.thread))
	})
	for _, m := range p.rows {
		if !m.hasEnd {
			p.methods.Unfinished++
		}
	}
}

// begin returns the first known time of a compilation, in ticks.
func (m *method) begin() uint64 {
	if m.hasStart {
		return m.start
	}
	return m.end
}

// row makes the row of a compilation.
func (p *process) row(m *method) Row {
	row := Row{Method: m.methodName(), ThreadID: int64(m.thread), Unfinished: !m.hasEnd}
	if m.hasStart {
		row.StartNs, row.ILBytes = analysis.Known(p.trace.Nanos(m.start)), analysis.Known(int64(m.il))
	}
	end := m.end
	if m.hasEnd {
		row.EndNs, row.NativeBytes = analysis.Known(p.trace.Nanos(m.end)), analysis.Known(int64(m.native))
		row.Version = analysis.Known(int64(m.version))
		if m.tier() != 0 {
			row.Tier = tierNames[m.tier()]
		}
		row.Background, row.Dynamic, row.ReadyToRunRejected = m.background(), m.flags&isDynamic != 0, m.flags&readyToRunRejected != 0
	} else {
		_, end = p.trace.Bounds(p.id)
	}
	if m.hasStart {
		row.DurationNs = analysis.Known(p.trace.Between(m.start, end))
		row.PausedNs = p.pausedIn(m.start, end)
		row.Startup = m.startup && !row.Background
	}
	return row
}

// notes lists what is special about a compilation, as text has it.
func (r *Row) notes() string {
	var list []string
	for _, n := range []struct {
		is   bool
		note string
	}{
		{r.Background, "background"}, {r.Startup, "startup"}, {r.Dynamic, "dynamic"},
		{r.ReadyToRunRejected, "rejected"}, {r.Unfinished, "unfinished"}, {r.PausedNs > 0, fmt.Sprintf("paused %.2f ms", float64(r.PausedNs)/1e9*1e3)},
	} {
		if n.is {
			list = append(list, n.note)
		}
	}
	return strings.Join(list, ", ")
}
