package codec

import (
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// checkTrace finds values that no reader can use: no clock, or pointers of an
// unknown size.
func (c *catalog) checkTrace(t *Trace) error {
	switch {
	case c.passOn:
		return nil
	case t.TickFrequency == 0:
		return &FormatError{c.format, "a trace without a TickFrequency"}
	case t.SyncTime.IsZero():
		return &FormatError{c.format, "a trace without a SyncTime"}
	case t.SyncTime.UTC().Year() < 1 || t.SyncTime.UTC().Year() > 9999:
		return &FormatError{c.format, "a SyncTime in the year " + t.SyncTime.UTC().Format("2006") + ": years are 1 to 9999"}
	case t.PointerSize != 0 && t.PointerSize != 4 && t.PointerSize != 8:
		return &FormatError{c.format, fmt.Sprintf("pointers of %d bytes: sizes are 4 and 8", t.PointerSize)}
	}
	return c.checkPairs("property of the trace", t.Properties)
}

// checkText finds text that is not valid UTF-8.
func (c *catalog) checkText(what, text string) error {
	if c.passOn || utf8.ValidString(text) {
		return nil
	}
	return &FormatError{c.format, fmt.Sprintf("a %s that is not valid UTF-8: %.40q", what, text)}
}

func (c *catalog) checkPairs(what string, pairs []KeyValue) error {
	for i := range pairs {
		if err := c.checkText("key of a "+what, pairs[i].Key); err != nil {
			return err
		}
		if err := c.checkText("value of a "+what, pairs[i].Value); err != nil {
			return err
		}
	}
	return nil
}

func (c *catalog) checkThread(t *Thread) error {
	if err := c.checkText("thread name", t.Name); err != nil {
		return err
	}
	return c.checkPairs("thread attribute", t.Attributes)
}

// checkMetadata finds values that readers cannot read, or would read differently.
func (c *catalog) checkMetadata(m *Metadata) error {
	for _, text := range [...]struct{ what, text string }{
		{"provider name", m.Provider}, {"event name", m.Name}, {"message template", m.Message}, {"description", m.Description},
	} {
		if err := c.checkText(text.what, text.text); err != nil {
			return err
		}
	}
	if err := c.checkPairs("metadata attribute", m.Attributes); err != nil {
		return err
	}
	if !c.passOn && c.to.indexed && m.recordTrace() {
		return &FormatError{c.format, "a field of type UTF8CodeUnit in a row of Universal.System: readers take it for a counted string"}
	}
	fields := int64(0)
	return c.checkFields(m.Fields, 1, &fields)
}

// checkFields finds types that the format does not have, and field lists that are
// larger than a Reader with default limits allows.
func (c *catalog) checkFields(list []Field, depth int64, fields *int64) error {
	if *fields += int64(len(list)); *fields > readerLimits.Fields && !c.passOn {
		return &LimitError{Name: "Fields", Size: *fields, Limit: readerLimits.Fields}
	}
	for i := range list {
		if err := c.checkText("field name", list[i].Name); err != nil {
			return err
		}
		if err := c.checkType(&list[i].Type, depth, fields); err != nil {
			return err
		}
	}
	return nil
}

// maxNesting bounds types in types also where PassOn lifts the limit of a Reader.
const maxNesting = 1 << 10

func (c *catalog) checkType(t *Type, depth int64, fields *int64) error {
	limit := readerLimits.Nesting
	if c.passOn {
		limit = maxNesting
	}
	if depth > limit {
		return &LimitError{Name: "Nesting", Size: depth, Limit: limit}
	}
	name := t.Code.String()
	switch hasElement := t.Code.HasElement(); {
	case !t.Code.InStream() || t.CountField > 0:
		return &FormatError{c.format, "a field of type " + name}
	case hasElement && t.Element == nil:
		return &FormatError{c.format, "a field of type " + name + " without the type of its elements"}
	case !hasElement && t.Element != nil:
		return &FormatError{c.format, "a field of type " + name + " with elements"}
	case t.Code != wire.Object && len(t.Fields) > 0:
		return &FormatError{c.format, "a field of type " + name + " with fields"}
	case t.Element == nil:
		return c.checkFields(t.Fields, depth+1, fields)
	}
	err := c.checkType(t.Element, depth+1, fields)
	if locator := t.Code == wire.RelLoc || t.Code == wire.DataLoc; err == nil && locator && !t.Element.locatable() {
		err = &FormatError{c.format, "a " + name + " of " + t.Element.Code.String() + ": elements must be of fixed size"}
	}
	return err
}

// checkLabels finds labels that the version does not have.
func (c *catalog) checkLabels(labels []Label) error {
	size := 0
	for i := range labels {
		l := &labels[i]
		size += 32 + len(l.Key) + len(l.Value)
		switch l.Kind {
		case wire.LabelActivityID, wire.LabelRelatedActivityID:
			continue
		case wire.LabelTraceID, wire.LabelSpanID, wire.LabelKeywords:
		case wire.LabelKeyString, wire.LabelKeyNumber:
			if err := c.checkText("key of a label", l.Key); err != nil {
				return err
			}
			if err := c.checkText("value of a label", l.Value); err != nil {
				return err
			}
		case wire.LabelOpcode, wire.LabelLevel, wire.LabelVersion:
			if l.Number > math.MaxUint8 {
				return &FormatError{c.format, fmt.Sprintf("a label %v of %d: values are 0 to 255", l.Kind, l.Number)}
			}
		default:
			return &FormatError{c.format, fmt.Sprintf("a label of kind %d", l.Kind)}
		}
		if !c.to.indexed {
			return &FormatError{c.format, "labels other than activity ids"}
		}
	}
	if size > maxRecord {
		return &LimitError{Name: "Labels", Size: int64(size), Limit: maxRecord}
	}
	if n := int64(len(labels)); n > readerLimits.Labels/2 && !c.passOn {
		return &LimitError{Name: "Labels", Size: n, Limit: readerLimits.Labels / 2}
	}
	return nil
}
