package check

import (
	"encoding/json"
	"fmt"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
)

// Ids of the events of Universal.System.
const (
	processMapping  = 3
	processSymbol   = 4
	mappingMetadata = 5
)

// universalState has the content of the earlier events of Universal.System.
type universalState struct {
	mappings  map[uint64][2]uint64 // first and last address
	metadatas memory
}

// universalEvent compares an event of Universal.System with those before it. A
// missing field counts as 0.
//
// Source: UniversalProviders.md next to the format's description.
func (c *checker) universalEvent(t *eventType, e *codec.Event) {
	number := func(name string) uint64 {
		v, _ := e.Field(name)
		return v.Uint64()
	}
	wrong := ""
	switch t.m.EventID {
	case processMapping:
		wrong = c.mapping(number("Id"), number("StartAddress"), number("EndAddress"), number("MetadataId"))
	case processSymbol:
		wrong = c.symbol(number("MappingId"), number("StartAddress"), number("EndAddress"))
	case mappingMetadata:
		wrong = c.mappingMetadata(e)
	}
	if wrong == "" {
		return
	}
	if f := c.found(rule.PAY020, uint64(t.m.EventID), c.payloadStart(e)); f != nil {
		f.id("metadata", uint64(t.m.ID)).Actual = t.m.Name + ": " + wrong
	}
}

func (c *checker) mapping(id, start, end, metadata uint64) string {
	_, twice := c.mappings[id]
	if c.mappings == nil {
		c.mappings = map[uint64][2]uint64{}
	}
	if len(c.mappings) < mostPending {
		c.mappings[id] = [2]uint64{start, end}
	}
	switch {
	case twice:
		return fmt.Sprintf("mapping %d is there twice", id)
	case end < start:
		return fmt.Sprintf("ends at %#x, before its start at %#x", end, start)
	case metadata != 0 && !c.metadatas.has(metadata) && len(c.metadatas) < mostPending:
		return fmt.Sprintf("metadata %d is not known", metadata)
	}
	return ""
}

func (c *checker) symbol(mapping, start, end uint64) string {
	m, known := c.mappings[mapping]
	switch {
	case end < start:
		return fmt.Sprintf("ends at %#x, before its start at %#x", end, start)
	case !known && len(c.mappings) < mostPending:
		return fmt.Sprintf("mapping %d is not known", mapping)
	case known && (start < m[0] || end > m[1]):
		return fmt.Sprintf("%#x to %#x lies outside of its mapping, %#x to %#x", start, end, m[0], m[1])
	}
	return ""
}

func (c *checker) mappingMetadata(e *codec.Event) string {
	number, _ := e.Field("Id")
	id := number.Uint64()
	twice := c.metadatas.has(id)
	c.metadatas.add(id)
	for _, name := range []string{"SymbolMetadata", "VersionMetadata"} {
		v, _ := e.Field(name)
		if text := v.AppendText(nil); len(text) > 0 && !json.Valid(text) {
			return name + " is no JSON"
		}
	}
	if twice {
		return fmt.Sprintf("metadata %d is there twice", id)
	}
	return ""
}
