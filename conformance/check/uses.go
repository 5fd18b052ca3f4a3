package check

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// labelUse counts the events of a type that have a label which overrides the
// metadata, and those whose label is equal to it.
type labelUse struct{ given, same int64 }

// uses counts the references of an event, for information.
func (c *checker) uses(e *codec.Event) {
	if e.StackID != 0 && len(c.used) < mostUsed {
		if c.used == nil {
			c.used = map[uint32]struct{}{}
		}
		c.used[e.StackID] = struct{}{}
	}
	if !c.format.HasThreadTable() {
		return
	}
	if t := c.live[e.ThreadIndex]; t != nil {
		t.used = true
	}
	if t := c.live[e.CaptureThreadIndex]; t != nil {
		t.used = true
	}
	if list := labelList(e); list != 0 {
		if c.listUsed == nil {
			c.listUsed = map[uint32]struct{}{}
		}
		if len(c.listUsed) < mostUsed {
			c.listUsed[list] = struct{}{}
		}
		c.labelUses(e)
	}
}

// labelUses compares the labels of an event with its metadata.
func (c *checker) labelUses(e *codec.Event) {
	t := c.typeOf(e)
	if t == nil {
		return
	}
	for i := range e.Labels() {
		l := &e.Labels()[i]
		have := uint64(0)
		switch l.Kind {
		case wire.LabelOpcode:
			have = uint64(t.m.Opcode)
		case wire.LabelKeywords:
			have = t.m.Keywords
		case wire.LabelLevel:
			have = uint64(t.m.Level)
		case wire.LabelVersion:
			have = uint64(t.m.Version)
		default:
			continue
		}
		use := &t.labels[l.Kind-wire.LabelOpcode]
		if use.given++; have == l.Number {
			use.same++
		}
	}
}

// idleLabels reports types whose labels repeat the metadata on every event.
func (c *checker) idleLabels() {
	for _, t := range c.types {
		if t == nil {
			continue
		}
		for _, use := range t.labels {
			if use.given > 0 && use.same == use.given && use.given == t.seen {
				if f := c.found(rule.LBL014, 0, t.spot); f != nil {
					f.id("metadata", uint64(t.m.ID))
				}
			}
		}
	}
}
