package info

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/codec"
)

const (
	topTypes   = 12 // event types of a provider that are listed without --all
	topThreads = 5  // threads with losses that are listed without --all
)

// labelWidth is the width of the labels of lines.
const labelWidth = 10

// text returns the summary for users.
func (s *summary) text(in *input.File, screen terminal.Screen, all bool) []byte {
	table := terminal.Table{NoTitle: true, Columns: []terminal.Column{{Min: labelWidth}, {Overflow: terminal.Break}}}
	for _, line := range []struct{ label, value string }{
		{"file", display.Printable(in.Name)},
		{"format", s.formatLine()},
		{"process", s.processLine()},
		{"properties", s.propertiesLine()},
		{"sync time", s.syncLine()},
		{"slice", s.sliceLine()},
		{"duration", s.durationLine()},
		{"size", sizeLine(in)},
		{"blocks", s.blocksLine()},
		{"events", display.Grouped(s.events)},
		{"lost", s.lostLine(all)},
		{"threads", display.Grouped(int64(len(s.threads)))},
		{"samples", samplingLine(&s.sampling, s.trace)},
		{"stacks", s.stacksLine()},
		{"metadata", display.Counted(s.metadata, "row")},
		{"features", strings.Join(s.features.names(), " ")},
		{"defects", s.defectsLine()},
		{"bad blocks", s.badLine()},
		{"trailing", s.trailingLine()},
		{"error", s.errorLine()},
	} {
		if line.value != "" {
			table.Add(terminal.Cell{Text: line.label, Color: terminal.Bold}, terminal.Cell{Text: line.value, Color: lineColor(line.label, line.value)})
		}
	}
	return s.appendProviders(table.Append(nil, screen), screen, all)
}

// lineColors are the colours of lines that report errors.
var lineColors = map[string]terminal.Color{
	"lost": terminal.Yellow, "defects": terminal.Yellow, "trailing": terminal.Yellow,
	"bad blocks": terminal.Red, "error": terminal.Red,
}

// lineColor returns the colour of the value of a line.
func lineColor(label, value string) terminal.Color {
	if value == none {
		return terminal.Plain
	}
	return lineColors[label]
}

// none is the value of a line for an empty list.
const none = "none"

func (s *summary) formatLine() string {
	return fmt.Sprintf("%s, %d-byte pointers", s.trace.Format, s.trace.PointerSize)
}

func (s *summary) processLine() string {
	for id := range s.processes {
		if len(s.processes) == 1 {
			return fmt.Sprint(id)
		}
		return display.Counted(int64(len(s.processes)), "process id")
	}
	return "unknown"
}

func (s *summary) propertiesLine() string {
	var words []string
	for _, p := range s.trace.Properties {
		words = append(words, display.Printable(p.Key)+"="+display.Printable(p.Value))
	}
	return strings.Join(words, " ")
}

func (s *summary) syncLine() string {
	t := s.trace
	text := "impossible"
	if !t.SyncTime.IsZero() {
		text = t.SyncTime.Format("2006-01-02 15:04:05.000 UTC")
	}
	return fmt.Sprintf("%s at tick %d, %s ticks a second", text, t.SyncTicks, display.GroupedUnsigned(t.TickFrequency))
}

func (s *summary) durationLine() string {
	ns, ok := s.duration()
	if !ok || !s.timed {
		return ""
	}
	if ns > 1<<63-1 {
		return "over 292 years from the first to the last event"
	}
	return string(display.AppendSeconds(nil, time.Duration(ns))) + " s from the first to the last event"
}

// sliceLine describes the part of a recording that the trace has.
func (s *summary) sliceLine() string {
	r := s.slice
	bound := func(ticks uint64) string {
		if s.trace.TickFrequency == 0 {
			return "tick " + display.GroupedUnsigned(ticks)
		}
		return string(display.AppendSeconds(nil, s.trace.Since(ticks))) + " s"
	}
	switch {
	case r.HasFrom && r.HasTo:
		return fmt.Sprintf("from %s up to %s of a recording", bound(r.From), bound(r.To))
	case r.HasFrom:
		return fmt.Sprintf("from %s on of a recording", bound(r.From))
	case r.HasTo:
		return fmt.Sprintf("up to %s of a recording", bound(r.To))
	}
	return ""
}

func sizeLine(in *input.File) string {
	size, known := in.Size()
	text := display.Counted(size, "byte")
	if !known {
		text += " read"
	}
	if in.Packed != "" && in.Stored >= 0 {
		text += ", " + display.Grouped(in.Stored) + " compressed"
	}
	return text
}

func (s *summary) blocksLine() string {
	var words []string
	total := s.unknown
	for _, kind := range kindOrder {
		n := s.blocks[kind]
		total += n
		if n > 0 {
			words = append(words, display.Grouped(n)+" "+kind.String())
		}
	}
	if s.unknown > 0 {
		words = append(words, display.Grouped(s.unknown)+" of unknown kind")
	}
	return display.Grouped(total) + ": " + strings.Join(words, ", ")
}

func (s *summary) lostLine(all bool) string {
	if s.lost == 0 {
		return none
	}
	threads := slices.Clone(s.lostOrder)
	slices.SortStableFunc(threads, func(a, b string) int { return cmp.Compare(s.lostBy[b], s.lostBy[a]) })
	var words []string
	for i, thread := range threads {
		if i == topThreads && !all {
			words = append(words, fmt.Sprintf("and %d more threads (--all lists them)", len(threads)-i))
			break
		}
		words = append(words, fmt.Sprintf("%s on thread %s", display.GroupedUnsigned(s.lostBy[thread]), thread))
	}
	return display.GroupedUnsigned(s.lost) + ": " + strings.Join(words, ", ")
}

func (s *summary) stacksLine() string {
	if s.stacks == 0 {
		return none
	}
	text := display.Counted(s.stacks, "event") + " with a stack, "
	if s.cut == 0 {
		return text + fmt.Sprintf("none truncated at %d frames", maxFrames)
	}
	return text + fmt.Sprintf("%s (%s) truncated at %d frames", display.Grouped(s.cut), display.Percent(s.cut, s.stacks), maxFrames)
}

func (s *summary) defectsLine() string {
	var words []string
	for _, d := range s.defects {
		words = append(words, fmt.Sprintf("%s %s", display.Grouped(d.Count), d.Rule))
	}
	if words == nil {
		return none
	}
	return strings.Join(words, ", ")
}

func (s *summary) badLine() string {
	if s.bad == 0 {
		return ""
	}
	return fmt.Sprintf("%d, the first: %s", s.bad, withSentence(s.firstBad))
}

func (s *summary) trailingLine() string {
	if s.trailing == 0 {
		return ""
	}
	return display.Counted(s.trailing, "byte") + " after the end of the trace"
}

func (s *summary) errorLine() string {
	if s.err == nil {
		return ""
	}
	return withSentence(s.err)
}

// withSentence returns the text of an error with the sentence of its rule.
func withSentence(err error) string {
	var e *codec.Error
	if errors.As(err, &e) && e.Rule.Rule() != nil {
		return input.ErrorText(err) + ": " + e.Rule.Rule().Sentence
	}
	return input.ErrorText(err)
}

// appendProviders appends the table of providers, busiest first.
func (s *summary) appendProviders(b []byte, screen terminal.Screen, all bool) []byte {
	if len(s.providers) == 0 {
		return b
	}
	table := terminal.Table{Columns: []terminal.Column{
		{Title: "EVENTS", Right: true, Min: 12}, {Title: "PAYLOAD BYTES", Right: true}, {Title: "PROVIDER, EVENT(ID)", Overflow: terminal.Cut},
	}}
	for _, p := range s.sortedProviders() {
		name := display.Printable(p.name)
		if p.unknown {
			name = "(unknown metadata)"
		}
		table.Add(terminal.Cell{Text: display.Grouped(p.events)}, terminal.Cell{Text: display.Grouped(p.payloadBytes)},
			terminal.Cell{Text: name, Color: terminal.Cyan})
		if !p.unknown {
			addTypes(&table, p.sortedTypes(), all)
		}
	}
	return table.Append(append(b, '\n'), screen)
}

// addTypes adds a row for each event type of a provider.
func addTypes(table *terminal.Table, types []*typeSummary, all bool) {
	add := func(events int64, text string) {
		table.Add(terminal.Cell{Text: display.Grouped(events)}, terminal.Cell{}, terminal.Cell{Text: text, Indent: 2})
	}
	for i, t := range types {
		if i == topTypes && len(types) > topTypes+1 && !all {
			rest := int64(0)
			for _, t := range types[i:] {
				rest += t.events
			}
			add(rest, fmt.Sprintf("%d more types (--all lists them)", len(types)-i))
			return
		}
		text := fmt.Sprintf("%s(%d)", display.Printable(t.name), t.id)
		if t.version > 0 {
			text += fmt.Sprintf(" version %d", t.version)
		}
		add(t.events, text)
	}
}

func (s *summary) sortedProviders() []*providerSummary {
	var list []*providerSummary
	for _, p := range s.providers {
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b *providerSummary) int {
		return cmp.Or(cmp.Compare(b.events, a.events), cmp.Compare(a.name, b.name))
	})
	return list
}

func (p *providerSummary) sortedTypes() []*typeSummary {
	var list []*typeSummary
	for _, t := range p.types {
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b *typeSummary) int {
		return cmp.Or(cmp.Compare(b.events, a.events), cmp.Compare(a.id, b.id),
			cmp.Compare(a.version, b.version), cmp.Compare(a.name, b.name))
	})
	return list
}
