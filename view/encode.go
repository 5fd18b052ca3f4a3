package view

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/klauspost/compress/gzip"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/parts"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
	"github.com/nettrace-go/nettrace/profile/folded"
)

// ProfileOptions returns the options of a profile for Source: all samples, and
// the frames of the runtime's helpers.
func ProfileOptions(limits profile.Limits) profile.Options {
	return profile.Options{RuntimeHelpers: true, Limits: limits}
}

// Source is the content of a document.
type Source struct {
	Tool    string            // name and version of the program
	File    string            // name of the trace
	Command string            // command line of the process, "" to leave it out
	Profile *profile.Profile  // read with ProfileOptions
	Trace   *analysis.Trace   // of Reports
	Reports []analysis.Report // of all parts
	// Counters collected the counters of the trace.
	Counters *Counters
	Threads  int      // with events, 0 if the number is not known
	Heap     bool     // the trace has a heap dump
	Error    string   // why the trace could not be read to its end, "" if it was
	Joins    string   // name of the flag that says how stacks of async code are joined, "" for none
	Joined   string   // how many stacks are joined, and by what; "" if none can be
	Diff     string   // name of the older trace that the page compares with, "" for none
	Address  string   // page.Fragment of the page that a report opens, "" for the summary
	Warnings []string // what makes the samples less than they seem, such as names that are missing
	LeftOut  []string // what the document does not have
	// Live names the process, and what is kept of its events, if it is being
	// recorded. Its document is compressed fast.
	Live string
	// Most is the largest number of samples of the document; 0 means MaxSamples.
	// Of a trace with more samples, the document has the shortest time with that
	// number of samples.
	Most int
	// Range is the beginning and the end, in ns since the sync time, of the part
	// of such a trace that the document is to have. The zero value is the
	// complete trace.
	Range [2]int64
}

// Encode returns the document, compressed. It fails if a page cannot hold a
// number of the trace exactly.
func (s *Source) Encode() ([]byte, error) {
	head := s.head()
	columns, err := s.samples(head)
	if err != nil {
		return nil, err
	}
	level := gzip.BestCompression
	if s.Live != "" {
		level = gzip.BestSpeed
	}
	return pack(head, columns, level)
}

// number returns an integer as text.
func number(n uint64) string { return strconv.FormatUint(n, 10) }

// since returns the time of a timestamp of the profile.
func (s *Source) since(ticks uint64) int64 {
	return int64(s.Profile.Trace.Since(s.Profile.Start)) + s.Profile.Nanos(ticks)
}

// head returns the head without the samples.
func (s *Source) head() *Head {
	p := s.Profile
	h := &Head{
		Schema: Schema, Tool: s.Tool, File: s.File, Live: s.Live, Process: calltree.ProcessName(p), Command: s.Command,
		SyncTime: p.Trace.SyncTime, Frequency: number(p.Trace.TickFrequency), SyncTicks: number(p.Trace.SyncTicks), Start: number(p.Start),
		StartNs: s.since(p.Start), EndNs: s.since(p.End), IntervalNs: p.Interval,
		Lost: s.lost(), LostEvents: number(s.Trace.Lost), Error: s.Error,
		Processes: []Process{}, Threads: []Thread{}, AllThreads: s.Threads, Hidden: profile.HiddenFrames, NoFrames: folded.NoFrames,
		Types: []Type{}, Why: map[string]string{}, Columns: []string{}, PartNames: []string{}, Tables: map[string]*analysis.Listing{},
		Marks: s.marks(), Counters: []Counter{}, Parts: s.parts(), Findings: s.findings(), Diff: s.Diff, Joins: s.Joins, Joined: s.Joined, Address: s.Address, Heap: s.Heap, Warnings: append([]string{}, s.Warnings...), LeftOut: append([]string{}, s.LeftOut...),
	}
	for _, r := range s.Reports {
		if !slices.Contains(h.PartNames, r.Part) {
			h.PartNames = append(h.PartNames, r.Part)
		}
		if l := parts.Listing(r.Part); l != nil && r.Recorded() {
			h.Tables[r.Part] = l
		}
	}
	if id, ok := p.Trace.ProcessID(); ok {
		h.PID = number(id)
	}
	for _, process := range calltree.Processes(p) {
		one := Process{ID: number(process.ID), Name: process.Name}
		if source := calltree.Source(p.Trace, process.ID, s.File); source != s.File {
			one.Source = source
		}
		h.Processes = append(h.Processes, one)
	}
	for _, t := range p.Threads() {
		h.Threads = append(h.Threads, Thread{number(t.ID), number(t.ProcessID), t.Name})
	}
	if s.Counters != nil {
		for _, c := range s.Counters.Timelines() {
			h.Counters = append(h.Counters, counter(c))
		}
	}
	return h
}

// lost returns the events that the writer dropped.
func (s *Source) lost() []Lost {
	list := []Lost{}
	for _, l := range s.Trace.Losses {
		list = append(list, Lost{s.Trace.Nanos(l.From), s.Trace.Nanos(l.To), number(l.Count)})
	}
	return list
}

// marks returns the collections and pauses.
func (s *Source) marks() []Mark {
	kinds := map[profile.MarkKind]string{profile.Span: "pause", profile.Async: "collection"}
	list := []Mark{}
	for m := range s.Profile.Marks() {
		kind, ok := kinds[m.Kind]
		if !ok {
			continue
		}
		mark := Mark{Kind: kind, Name: m.Name, Thread: m.Thread, FromNs: s.since(m.From), ToNs: s.since(m.Until), Labels: map[string]string{}}
		for _, l := range m.Labels {
			mark.Labels[l.Key] = l.Text
			if l.Text == "" {
				mark.Labels[l.Key] = strconv.FormatInt(l.Num, 10)
			}
		}
		list = append(list, mark)
	}
	return list
}

// parts returns the reports as the program prints them.
func (s *Source) parts() map[string][]json.RawMessage {
	parts := map[string][]json.RawMessage{}
	for i := range s.Reports {
		r := &s.Reports[i]
		whole := *r
		whole.Waits = nil // --details prints them
		parts[r.Part] = append(parts[r.Part], whole.JSON(s.File))
	}
	return parts
}

// Finding is a finding of a part.
type Finding struct {
	Part string `json:"part"` // name of the part
	analysis.Finding
}

// findings returns those of all parts, the most important one first.
func (s *Source) findings() []Finding {
	var sorted []analysis.Finding
	parts := map[string]string{} // by rule
	for _, r := range s.Reports {
		for _, f := range r.Findings {
			sorted = append(sorted, f)
			parts[f.Rule] = r.Part
		}
	}
	analysis.SortFindings(sorted)
	list := []Finding{}
	for _, f := range sorted {
		list = append(list, Finding{parts[f.Rule], f})
	}
	return list
}

// samples adds the types of samples to the head and returns their columns, with
// those of the tree and the functions.
func (s *Source) samples(head *Head) ([]*column, error) {
	p := s.Profile
	t := newTree(p)
	head.Part = s.part(head)
	s.each(func(sample *profile.Sample, of profile.Type) {
		if head.Part.has(head.StartNs+p.Nanos(sample.Ticks), head.StartNs+p.Nanos(sample.Until)) {
			t.leaf(sample.Stack)
		}
	})
	head.Types, head.Why = types(p)
	var helpers []helper
	for _, of := range profile.RuntimeHelpers() {
		for _, kind := range of.Types {
			helpers = append(helpers, helper{kind, helperFlag(kind)})
		}
	}
	f := newFunctions(p, helpers)
	columns := append(t.order(f), f.columns()...)
	if s.Reports != nil {
		columns = append(columns, s.lines(head)...)
	}
	classes := newClasses()
	for i := range head.Types {
		of := &head.Types[i]
		if of.Of != "" {
			continue
		}
		w := newSamples(p, p.Types()[i])
		w.tree, w.classes, w.startNs, w.part = t, classes, head.StartNs, head.Part
		var err error
		if of.Offsets, err = w.write(); err != nil {
			return nil, err
		}
		columns = append(columns, w.columns()...)
	}
	head.Nodes, head.Functions, head.Names = len(t.nodes), len(f.ids), f.nameList
	head.Modules, head.Namespaces, head.Assemblies, head.Classes = f.modules.list, f.namespaces.list, f.assemblies.list, classes.list
	head.OtherTypes = f.otherTypes.list
	return columns, nil
}

// helperFlag returns the bit in function.flags of the helpers of a type.
func helperFlag(of profile.Type) int64 { return firstHelperFlag << of }

// types returns the types of samples, and for the values of --type without
// samples the reason.
func types(p *profile.Profile) (list []Type, why map[string]string) {
	list, why = []Type{}, map[string]string{}
	has := map[profile.Type]bool{}
	for _, of := range p.Types() {
		has[of] = true
	}
	options := map[profile.Type]string{}
	for _, name := range profile.TypeNames() {
		reasons, found := "", false
		for _, of := range profile.TypesByName(name) {
			options[of] = name
			found = found || has[of]
			reasons = p.ReasonText(of)
		}
		if !found {
			why[name] = reasons
		}
	}
	for _, of := range p.Types() {
		t := Type{Name: of.String(), Option: options[of], Unit: of.Value().Unit, Timed: of.IsDuration(), HelperFlag: int(helperFlag(of))}
		if of == profile.CPUApprox {
			t.Of = profile.Wall.String()
		}
		list = append(list, t)
	}
	return list, why
}
