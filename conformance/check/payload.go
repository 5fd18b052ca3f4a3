package check

import (
	"fmt"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Of events with a published schema the first of each type are read, of the
// others one in so many.
const (
	knownFirst = 16
	knownEvery = 64
)

// payloadState is the state of payloads.
type payloadState struct {
	walk       walk
	undeclared map[typeName]bool // reported types without a description of their payload
	counted    bool              // a code unit is counted text
	misfit     int64
	unitRows   int64 // metadata rows with code units that stand alone
	units      int64 // and those
	unitSpot   spot
}

// payload holds the payload of an event against the fields of its metadata.
//
// Spec: "Event rows", Payload; "MetadataBlock", FieldDescriptions.
func (c *checker) payload(e *codec.Event, b []byte) {
	t := c.known(e.MetadataID)
	if t == nil {
		if t = c.typeOf(e); t == nil {
			return
		}
	}
	t.seen++
	if len(b) > largestPayload {
		if f := c.found(rule.PAY017, uint64(e.MetadataID), c.payloadStart(e)); f != nil {
			f.id("metadata", uint64(e.MetadataID)).want("at most 65,536 bytes", len(b))
		}
	}
	if t.seen == 1 {
		c.prepare(t)
	}
	switch {
	case t.plan != nil:
		c.walk.reset(b)
		if !c.walk.fits(t.plan.steps(t.way)) || t.way != 0 || c.walk.odd || c.walk.locator != rule.None {
			c.unusual(t, e, b)
		}
	case len(b) > 0 && (t.seen <= knownFirst || t.seen%knownEvery == 0):
		c.undescribed(t, e)
	}
	if t.universal && len(b) > 0 {
		c.universalEvent(t, e)
	}
}

// prepare makes the plan of a type.
func (c *checker) prepare(t *eventType) {
	t.universal = c.format.HasOptionalMetadata() && t.m.Provider == universal
	if len(t.m.Fields) == 0 {
		return
	}
	t.plan = newPlan(t.m.Fields, c.trace.PointerSize)
}

// undescribed is for a payload without declared fields.
func (c *checker) undescribed(t *eventType, e *codec.Event) {
	if t.wrong == rule.None {
		t.wrong = rule.PAY004
		_, t.known = clr.Describe(t.m, e.Version())
		c.undeclaredType(t, len(e.Payload()))
	}
	if !t.known {
		return
	}
	c.misfit = 0
	bad := codec.RuleOf(e.FieldsError())
	if bad == rule.None {
		return
	}
	at := c.payloadStart(e)
	if c.misfit == at.offset+int64(len(e.Payload())) && t.m.Provider == universal {
		return // fields at the end came with later writers
	}
	at.offset = max(at.offset, c.misfit)
	if f := c.found(rule.PAY019, uint64(e.MetadataID), at); f != nil {
		f.id("metadata", uint64(e.MetadataID)).want("the published fields of version "+fmt.Sprint(e.Version()),
			fmt.Sprintf("%s %d: %s do not hold them (%s)", t.m.Provider, t.m.EventID, counted(int64(len(e.Payload())), "byte"), bad))
	}
}

// undeclaredType reports a type of event once, whatever the number of its rows.
func (c *checker) undeclaredType(t *eventType, size int) {
	name := typeName{provider: t.m.Provider, name: t.m.Name, id: t.m.EventID}
	if c.undeclared[name] {
		return
	}
	if len(c.undeclared) < mostPending {
		c.undeclared[name] = true
	}
	as := rule.Warning
	if t.known {
		as = rule.Information
	}
	if f := c.foundAs(rule.PAY004, as, 0, t.spot); f != nil {
		f.id("metadata", uint64(t.m.ID))
		f.Actual = fmt.Sprintf("%s %d %s: %s", t.m.Provider, t.m.EventID, t.m.Name, counted(int64(size), "byte"))
	}
}

// unusual is for a payload that does not fit the way that was expected, or does
// so with something odd in it.
func (c *checker) unusual(t *eventType, e *codec.Event, b []byte) {
	if !c.tryText(t, b) && !c.tryOthers(t, b) {
		c.misfits(t, e, b)
		return
	}
	w := &c.walk
	tells := t.plan.ways[t.way].tells
	start := c.payloadStart(e)
	switch {
	case tells == rule.TYP014:
		c.countedText(t, start)
		return
	case tells != rule.None:
		if f := c.found(tells, uint64(e.MetadataID), start); f != nil {
			c.describe(f, t, b)
		}
		return
	}
	if w.locator != rule.None {
		at := start
		at.offset += int64(w.where)
		if f := c.found(w.locator, uint64(e.MetadataID), at); f != nil {
			c.describe(f, t, b)
		}
	}
	if w.odd {
		c.oddities(t, e, b, start)
	}
}

// tryText reads the payload by the text.
func (c *checker) tryText(t *eventType, b []byte) bool {
	c.walk.reset(b)
	fits := c.walk.fits(t.plan.steps(0))
	if fits && c.walk.locator != rule.None && len(t.plan.ways) > 1 {
		// A locator to another position may be a sign that the types before it
		// have another meaning.
		if c.tryOthers(t, b) && c.walk.locator == rule.None {
			return true
		}
		c.walk.reset(b)
		c.walk.fits(t.plan.steps(0))
	}
	if fits {
		t.way = 0
	}
	return fits
}

// tryOthers reads it in the ways that writers mean.
func (c *checker) tryOthers(t *eventType, b []byte) bool {
	for i := 1; i < len(t.plan.ways); i++ {
		if t.plan.ways[i].tells == rule.PAY022 && !c.format.HasObjects() {
			continue
		}
		c.walk.reset(b)
		if c.walk.fits(t.plan.steps(i)) {
			t.way = i
			return true
		}
	}
	t.way = 0
	return false
}

// misfits reports a payload that fits no reading.
func (c *checker) misfits(t *eventType, e *codec.Event, b []byte) {
	c.walk.reset(b)
	i := 0
	if c.counted {
		for j := range t.plan.ways {
			if t.plan.ways[j].tells == rule.TYP014 {
				i = j
			}
		}
	}
	c.walk.fits(t.plan.steps(i))
	at := c.payloadStart(e)
	at.offset += int64(c.walk.at)
	if f := c.found(c.walk.bad, uint64(e.MetadataID), at); f != nil {
		c.describe(f, t, b)
		f.Actual += fmt.Sprintf(", fault at byte %d", c.walk.at)
	}
}

// oddities reports unusual values.
func (c *checker) oddities(t *eventType, e *codec.Event, b []byte, start spot) {
	w := &c.walk
	for o, n := range w.counts {
		if n == 0 {
			continue
		}
		at := start
		at.offset += int64(w.first[o])
		if f := c.found(oddityRules[o], uint64(e.MetadataID), at); f != nil {
			c.describe(f, t, b)
		}
	}
}

func (c *checker) describe(f *Finding, t *eventType, b []byte) {
	f.id("metadata", uint64(t.m.ID))
	f.Actual = fmt.Sprintf("%s %d %s: %s", t.m.Provider, t.m.EventID, t.m.Name, counted(int64(len(b)), "byte"))
}

// countedText reports once that code units are counted text.
func (c *checker) countedText(t *eventType, at spot) {
	if c.counted {
		return
	}
	c.counted = true
	if t.unit.offset > 0 {
		at = t.unit
	}
	c.unitSpot = at
}

// payloadStart is where the payload of an event is.
func (c *checker) payloadStart(e *codec.Event) spot { return c.at(e.PayloadOffset(), c.rows-1) }

// endPayloads reports the findings about all payloads.
func (c *checker) endPayloads() {
	if !c.counted {
		return
	}
	if f := c.found(rule.TYP014, 0, c.unitSpot); f != nil {
		f.want("Array(19) of code units", fmt.Sprintf("counted text in %s of %s", counted(c.units, "field"), counted(c.unitRows, "row")))
	}
}

// countUnits counts single code units in a row.
func (c *checker) countUnits(m *codec.Metadata) {
	n := int64(0)
	for i := range m.Fields {
		if code := m.Fields[i].Type.Code; code == wire.UTF8CodeUnit || code == wire.UTF16CodeUnit {
			n++
		}
	}
	if n > 0 {
		c.units += n
		c.unitRows++
	}
}
