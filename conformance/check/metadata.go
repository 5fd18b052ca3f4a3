package check

import (
	"maps"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

const (
	sampleProvider = "Microsoft-DotNETCore-SampleProfiler"
	eventPipe      = "Microsoft-DotNETCore-EventPipe" // the provider of the runtime's ProcessInfo
	universal      = "Universal.System"
	mostEventID    = 65_535
	mostLevel      = 5
	nearRowLimit   = 65_000 // bytes of a metadata row of v6
	sparseIDs      = 100    // times as many as there are rows
	mostNesting    = 1000   // levels of types that are read
	mostFields     = 1 << 16
	textNesting    = 32
	textFields     = 10_000
	denseTypes     = 1 << 16
	recentTypes    = 32
)

// metadataState is the state of metadata rows.
type metadataState struct {
	types           []*eventType // by id, up to denseTypes
	sparseTypes     map[uint32]*eventType
	recent          [recentTypes]*eventType // of sparseTypes, by the lowest bits of the id
	names           map[typeName]uint32     // live id
	guids           map[string]wire.GUID
	flushedMetadata memory
	missingMetadata waiting
	defined         int64
	highest         uint32
	recordTrace     bool // one-collect has written it
	filtered        bool // a row has level, keywords or version (v6)
	firstRow6       spot
}

// typeName is the unique name of an event type.
type typeName struct {
	provider, name string
	id, version    uint32
}

// eventType is a metadata row with the properties of its events.
type eventType struct {
	m         *codec.Metadata
	spot      spot
	plan      *plan
	known     bool // its fields are published
	universal bool
	labels    [4]labelUse // opcode, keywords, level and version (lint)
	seen      int64
	wrong     rule.ID // the last reading of its payloads
	way       int     // the reading that last fitted
	unit      spot    // its first field of a single code unit
}

func (c *checker) beginMetadata() {
	c.names, c.guids, c.undeclared = map[typeName]uint32{}, map[string]wire.GUID{}, map[typeName]bool{}
}

// known is the metadata row of a small or recently used id, or nil.
func (c *checker) known(id uint32) *eventType {
	if id < uint32(len(c.types)) {
		return c.types[id]
	}
	if t := c.recent[id%recentTypes]; t != nil && t.m.ID == id {
		return t
	}
	return nil
}

// typeOf is the metadata row of an event, nil when it has none.
func (c *checker) typeOf(e *codec.Event) *eventType {
	id := e.MetadataID
	if t := c.known(id); t != nil {
		return t
	}
	if t := c.sparseTypes[id]; t != nil {
		c.recent[id%recentTypes] = t
		return t
	}
	m := e.Metadata()
	if m == nil {
		return nil
	}
	t := &eventType{m: m, spot: c.at(e.Offset(), c.rows-1)}
	c.setType(id, t)
	return t
}

func (c *checker) setType(id uint32, t *eventType) {
	if id >= denseTypes {
		if c.sparseTypes == nil {
			c.sparseTypes = map[uint32]*eventType{}
		}
		c.sparseTypes[id], c.recent[id%recentTypes] = t, nil
		return
	}
	for uint32(len(c.types)) <= id {
		c.types = append(c.types, nil)
	}
	c.types[id] = t
}

// checkMetadata checks a metadata block.
//
// Spec: "MetadataBlock"; "The MetadataBlock Object" of the v4/v5 text.
func (c *checker) checkMetadata(bad bool) {
	if c.format.HasMetadataHeaders() {
		c.checkMetadataV4(bad)
	} else {
		c.checkMetadataV6(bad)
	}
}

// define compares a complete row with the others.
func (c *checker) define(row *codec.MetadataRow, w *rowWalk) {
	m := row.Metadata
	c.defined++
	c.highest = max(c.highest, m.ID)
	if old := c.typeAt(m.ID); old != nil {
		c.unused(old)
	}
	t := &eventType{m: m, spot: c.at(row.Offset, w.row)}
	if w.at.unit > 0 {
		t.unit = c.in(w.at.unit, w.row)
	}
	c.setType(m.ID, t)
	delete(c.flushedMetadata, uint64(m.ID))
	if p := c.missingMetadata[uint64(m.ID)]; p != nil {
		c.foundPending(rule.REF002, "metadata", uint64(m.ID), p)
		delete(c.missingMetadata, uint64(m.ID))
	}
	key := typeName{m.Provider, m.Name, m.EventID, m.Version}
	if other, twice := c.names[key]; twice && other != m.ID && (m.Name != "" || m.EventID != 0) {
		if f := w.found(rule.MD009, w.at.id); f != nil {
			f.id("otherMetadata", uint64(other)).Actual = m.Provider + " " + m.Name
		}
	}
	if len(c.names) < 2*mostPending {
		c.names[key] = m.ID
	}
	w.checkNames(m)
	if c.format.HasOptionalMetadata() {
		w.checkNames6(m)
	} else {
		w.checkRanges(m)
		c.runtime = c.runtime || m.Provider == eventPipe
	}
	c.countUnits(m)
}

func (c *checker) typeAt(id uint32) *eventType {
	if id < uint32(len(c.types)) {
		return c.types[id]
	}
	return c.sparseTypes[id]
}

// named counts a finding about the properties of a row's event.
func (w *rowWalk) named(id rule.ID, as rule.Severity, at int, m *codec.Metadata) {
	if f := w.foundAs(id, as, at); f != nil {
		f.Actual = strings.TrimSpace(m.Provider + " " + m.Name)
	}
}

// checkNames checks the properties of an event in a row of any version.
func (w *rowWalk) checkNames(m *codec.Metadata) {
	if m.Provider == "" {
		w.named(rule.MD011, rule.Warning, w.at.provider, m)
	}
	if m.EventID > mostEventID {
		if f := w.found(rule.MD015, w.at.event); f != nil {
			f.want("at most 65,535", m.EventID)
		}
	}
	if m.Name != "" {
		return
	}
	w.named(rule.MD013, rule.Information, w.at.name, m)
	switch {
	case m.EventID != 0:
	case m.Provider == sampleProvider:
		w.named(rule.MD012, rule.Information, w.at.event, m)
	default:
		w.named(rule.MD012, rule.Warning, w.at.event, m)
	}
}

// checkNames6 checks the properties that only v6 has.
func (w *rowWalk) checkNames6(m *codec.Metadata) {
	switch {
	case m.ID == 0:
		w.named(rule.MD006, rule.Error, w.at.id, m)
	case m.ID >= 1<<31:
		w.named(rule.MD007, rule.Warning, w.at.id, m)
	}
	switch {
	case holdsGUID(m.Provider):
		w.named(rule.MD017, rule.Warning, w.at.provider, m)
	case holdsGUID(m.Name) || m.Provider != "" && strings.HasPrefix(m.Name, m.Provider+"/"):
		w.named(rule.MD017, rule.Warning, w.at.name, m)
	}
	if name := missingField(m); name != "" && !w.renamed {
		if f := w.found(rule.OPT009, w.at.message); f != nil {
			f.want("a field of the event", "{"+name+"}")
		}
	}
	w.c.recordTrace = w.c.recordTrace || m.Provider == universal && holdsUnit(m.Fields)
}

// checkRanges checks the numbers of a row of v4 or v5.
func (w *rowWalk) checkRanges(m *codec.Metadata) {
	if m.ID == 0 {
		if f := w.found(rule.MD008, w.at.id); f != nil {
			f.want("an id above 0", 0)
		}
	}
	const most = 255
	if m.Version > most {
		if f := w.found(rule.MD4007, w.at.version); f != nil {
			f.want("a version of at most 255", m.Version)
		}
	}
	switch {
	case m.Level > most:
		if f := w.found(rule.MD4007, w.at.level); f != nil {
			f.want("a level of at most 255", m.Level)
		}
	case m.Level > mostLevel:
		if f := w.found(rule.OPT006, w.at.level); f != nil {
			f.want("0 to 5", m.Level)
		}
	}
}

// holdsGUID reports whether a name has a GUID in braces after a colon.
func holdsGUID(name string) bool {
	const text = 36
	_, rest, found := strings.Cut(name, ":{")
	return found && len(rest) > text && rest[text] == '}' && strings.Count(rest[:text], "-") == 4
}

func holdsUnit(fields []codec.Field) bool {
	for i := range fields {
		if fields[i].Type.Code == wire.UTF8CodeUnit {
			return true
		}
	}
	return false
}

// unused reports a row without events.
func (c *checker) unused(t *eventType) {
	if t.seen > 0 || !c.lint || c.cut {
		return
	}
	if f := c.found(rule.MD016, 0, t.spot); f != nil {
		f.id("metadata", uint64(t.m.ID))
	}
}

func (c *checker) unusedTypes() {
	for _, t := range c.types {
		if t != nil {
			c.unused(t)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(c.sparseTypes)) {
		c.unused(c.sparseTypes[id])
	}
}

// flushMetadata removes all rows, for flag 2 of a sequence point.
func (c *checker) flushMetadata() {
	c.unusedTypes()
	for id, t := range c.types {
		if t != nil {
			c.flushedMetadata.add(uint64(id))
		}
	}
	for id := range c.sparseTypes {
		c.flushedMetadata.add(uint64(id))
	}
	clear(c.types)
	clear(c.sparseTypes)
	c.recent = [recentTypes]*eventType{}
	clear(c.names)
	c.spoiled.metadata = false
}

// endMetadata reports the findings about all rows.
func (c *checker) endMetadata() {
	for _, id := range c.missingMetadata.ids() {
		c.foundPending(rule.REF001, "metadata", id, c.missingMetadata[id])
	}
	if c.lint {
		c.unusedTypes()
		c.idleLabels()
	}
	if c.defined == 0 || !c.format.HasMetadataBlocks() {
		return
	}
	if int64(c.highest) > sparseIDs*c.defined {
		if f := c.found(rule.MD010, 0, c.firstRow6); f != nil {
			f.Actual = counted(c.defined, "row") + ", the highest id is " + counted(int64(c.highest), "")
		}
	}
	if c.format.HasOptionalMetadata() && !c.filtered {
		c.found(rule.OPT011, 0, c.firstRow6)
	}
}
