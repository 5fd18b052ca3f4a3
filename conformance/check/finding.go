package check

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Finding is one departure from a rule: the first place, and how often the same
// cause was met.
type Finding struct {
	Rule     rule.ID
	Severity rule.Severity // by the profile
	Offset   int64         // in the stream: of the first byte of the field that breaks the rule, or of a block
	Block    Place
	Row      int    // in the block, from 0; -1 when the finding is about no single row
	IDs      []ID   // of what is involved
	Expected string // "" when the rule says all
	Actual   string
	Count    int64
	Hint     string
	// Suppressed is the reason that a suppression gives, "" when there is none.
	Suppressed string
}

// Place is a block. Its Ordinal is -1 outside of blocks.
type Place struct {
	Ordinal int // from 0, the Trace block
	Kind    wire.Kind
	Offset  int64
}

// ID names a row of a table.
type ID struct{ Name, Value string }

// id adds what is involved.
func (f *Finding) id(name string, value uint64) *Finding {
	f.IDs = append(f.IDs, ID{name, strconv.FormatUint(value, 10)})
	return f
}

// want says what was expected and what was there.
func (f *Finding) want(expected, actual any) {
	f.Expected, f.Actual = fmt.Sprint(expected), fmt.Sprint(actual)
}

// Report is what a check found.
type Report struct {
	Findings []Finding // in order of offset, then of rule
	// Numbers of findings by severity; those that are suppressed do not count.
	Errors, Warnings, Information, Suppressed int
	// Complete says that the stream was read to its end mark.
	Complete bool
	Format   wire.Format
	Version  bool // the stream is of a version that is not read
	Blocks   int
	Events   int64
}

// Worst is the gravest severity of all findings that are not suppressed, 0 when
// there are none.
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

// cause tells findings of one rule apart.
type cause struct {
	rule     rule.ID
	severity rule.Severity
	subject  uint64
}

// collector keeps findings by cause.
type collector struct {
	severity [rule.Count]severities // by the profile; none: not asked for
	found    map[cause]*Finding
	causes   [rule.Count]int
	last     [rule.Count]*Finding
}

// severities are what a profile makes of a rule's two severities: of one that
// the catalogue calls an error, a warning, a piece of information.
type severities [rule.Error + 1]rule.Severity

// add counts a finding. It returns it when it is the first of its cause, so that
// the details are filled in, else nil.
func (c *collector) add(id rule.ID, as rule.Severity, subject uint64, offset int64) *Finding {
	severity := c.severity[id][as]
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

// drop takes back all findings of a rule.
func (c *collector) drop(ids ...rule.ID) {
	for key := range c.found {
		if slices.Contains(ids, key.rule) {
			delete(c.found, key)
		}
	}
}

// dropBlock takes back all findings in a block.
func (c *collector) dropBlock(offset int64) {
	for key, f := range c.found {
		if f.Block.Offset == offset && f.Block.Ordinal >= 0 {
			delete(c.found, key)
		}
	}
}

// has says whether a rule was found broken.
func (c *collector) has(id rule.ID) bool {
	for key := range c.found {
		if key.rule == id {
			return true
		}
	}
	return false
}

// wants says whether a rule about a piece of information is asked for.
func (c *collector) wants(id rule.ID) bool { return c.severity[id][rule.Information] != 0 }

// list gives the findings in order.
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
