package check

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Finding is a violation of a rule: the first place, and the number of places
// with the same cause.
type Finding struct {
	// Rule is the broken rule.
	Rule     rule.ID
	Severity rule.Severity // in the profile of the check
	Offset   int64         // file offset of the first byte of the field that breaks the rule, or of a block
	// Block is the block with Offset.
	Block    Place
	Row      int    // in the block, from 0; -1 if the finding is not about one row
	IDs      []ID   // rows of tables that are involved
	Expected string // "" if the rule is sufficient
	// Actual is the value in the stream as text, or "".
	Actual string
	// Count is the number of places, at least 1.
	Count int64
	// Hint is a likely cause or a remedy, or "".
	Hint string
	// Suppressed is the reason in the suppression that applies, "" if there is
	// none.
	Suppressed string
}

// Place identifies a block.
type Place struct {
	Ordinal int // number of the block from 0, the Trace block; -1 outside of blocks
	// Kind is the kind of the block.
	Kind wire.Kind
	// Offset is the block's file offset.
	Offset int64
}

// ID identifies a row of a table.
type ID struct {
	Name  string // of the id: "stack"
	Value string // the id in decimal
}

// id adds an id to the details.
func (f *Finding) id(name string, value uint64) *Finding {
	f.IDs = append(f.IDs, ID{name, strconv.FormatUint(value, 10)})
	return f
}

// want sets the expected and the found value.
func (f *Finding) want(expected, actual any) {
	f.Expected, f.Actual = fmt.Sprint(expected), fmt.Sprint(actual)
}

// Report is the result of a check.
type Report struct {
	Findings []Finding // ordered by offset, then by rule
	// Errors, Warnings and Information are the numbers of findings by severity,
	// without those that are suppressed. Suppressed is the number of the
	// latter.
	Errors, Warnings, Information, Suppressed int
	// Complete reports that the stream was read to its end mark.
	Complete bool
	// Format is the version of the stream.
	Format  wire.Format
	Version bool // the version is not supported
	// Blocks is the number of blocks that were read.
	Blocks int
	// Events is the number of events that were read.
	Events int64
}

// Worst returns the highest severity of the findings that are not suppressed, 0
// if there are none.
func (r *Report) Worst() rule.Severity {
	switch {
	case r.Errors > 0:
		return rule.Error
	case r.Warnings > 0:
		return rule.Warning
	case r.Information > 0:
		return rule.Information
	}
	return 0
}

// mostCauses bounds the findings of one rule: further causes count for the last.
const mostCauses = 100

// cause distinguishes findings of one rule.
type cause struct {
	rule     rule.ID
	severity rule.Severity
	subject  uint64
}

// collector keeps findings by cause.
type collector struct {
	profile Profile
	version rule.Versions // of the trace, 0 until it is known
	ignore  []rule.ID
	found   map[cause]*Finding
	causes  [rule.Count]int
	last    [rule.Count]*Finding
}

// severity returns the severity of a finding that the catalogue grades as as, 0
// if it is not requested.
func (c *collector) severity(id rule.ID, as rule.Severity) rule.Severity {
	if slices.Contains(c.ignore, id) {
		return 0
	}
	return c.profile.grade(as, id.Rule(), c.version)
}

// add counts a finding. It returns it when it is the first of its cause, so that
// the details are filled in, else nil.
func (c *collector) add(id rule.ID, as rule.Severity, subject uint64, offset int64) *Finding {
	severity := c.severity(id, as)
	if severity == 0 {
		return nil
	}
	key := cause{id, severity, subject}
	f := c.found[key]
	if f == nil && c.causes[id] >= mostCauses {
		f = c.last[id]
	}
	if f != nil {
		f.Count++
		return nil
	}
	f = &Finding{Rule: id, Severity: severity, Offset: offset, Row: -1, Count: 1, Hint: id.Rule().Hint}
	if c.found == nil {
		c.found = map[cause]*Finding{}
	}
	c.found[key], c.last[id] = f, f
	c.causes[id]++
	return f
}

// drop removes all findings of a rule.
func (c *collector) drop(ids ...rule.ID) {
	for key := range c.found {
		if slices.Contains(ids, key.rule) {
			delete(c.found, key)
		}
	}
}

// dropBlock removes all findings in a block.
func (c *collector) dropBlock(offset int64) {
	for key, f := range c.found {
		if f.Block.Offset == offset && f.Block.Ordinal >= 0 {
			delete(c.found, key)
		}
	}
}

// has reports whether a rule has a finding.
func (c *collector) has(id rule.ID) bool {
	for key := range c.found {
		if key.rule == id {
			return true
		}
	}
	return false
}

// wants reports whether a rule about information is requested.
func (c *collector) wants(id rule.ID) bool { return c.severity(id, rule.Information) != 0 }

// list returns the findings in order.
func (c *collector) list() []Finding {
	list := make([]Finding, 0, len(c.found))
	for _, f := range c.found {
		list = append(list, *f)
	}
	slices.SortFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(b.Severity, a.Severity), cmp.Compare(a.Row, b.Row), cmp.Compare(a.Actual, b.Actual),
			slices.CompareFunc(a.IDs, b.IDs, func(a, b ID) int { return cmp.Compare(a.Value, b.Value) }))
	})
	return list
}
