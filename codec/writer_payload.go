package codec

import (
	"fmt"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// payloadPlan checks the payloads of one metadata row. It is made once for each
// row; a check allocates nothing.
type payloadPlan struct {
	size   int    // bytes that every payload has, variable, or unchecked
	fields []node // when the size is variable
	dates  []node // the same with a DateTime of 16 bytes, nil without a DateTime
}

// Values of payloadPlan.size.
const (
	variable  = -1
	unchecked = -2 // the row declares no fields
)

// newPayloadPlan makes the plan of a field list, which is kept. The types are
// read by the text, as with Options.NoLeniency; a DateTime may take 8 bytes or
// 16, because readers and writers disagree.
func newPayloadPlan(fields []Field, pointer int) payloadPlan {
	if len(fields) == 0 {
		return payloadPlan{size: unchecked}
	}
	p := plan{fields: fields, pointer: pointer}
	by := reading{decimal16: true}
	list, size := p.list(fields, by)
	checked := payloadPlan{size: size, fields: list}
	if holds(fields, wire.DateTime) && !holds(fields, wire.Decimal) {
		by.dateTime16 = true
		checked.size = variable
		checked.dates, _ = p.list(fields, by)
	}
	return checked
}

// check returns the rule that a payload breaks and where, or None.
func (p *payloadPlan) check(payload []byte) (bad rule.ID, at int) {
	switch {
	case p.size >= 0 && len(payload) > p.size:
		return rule.PAY003, p.size
	case p.size >= 0:
		return rule.PAY001, len(payload)
	}
	if bad, at = misfitOf(payload, p.fields); bad != rule.None && p.dates != nil {
		if other, _ := misfitOf(payload, p.dates); other == rule.None {
			return rule.None, 0
		}
	}
	return bad, at
}

// misfitOf returns the rule that a payload breaks and where, or None.
func misfitOf(payload []byte, fields []node) (rule.ID, int) {
	w := walker{b: payload}
	for i := range fields {
		if w.field(&fields[i], fields) > hole {
			return w.bad, w.badPos
		}
	}
	if end := max(w.pos, w.far); w.bad == rule.None && end < len(payload) {
		return rule.PAY003, end
	}
	return w.bad, w.badPos
}

// PayloadError reports where a payload does not fit the fields of its metadata.
type PayloadError struct {
	// MetadataID is the id of the metadata.
	MetadataID uint32
	Rule       rule.ID // the broken rule
	Offset     int     // position in the payload, in bytes
	Size       int     // bytes of the payload
}

// Error names the metadata, the place and the rule.
func (e *PayloadError) Error() string {
	return fmt.Sprintf("codec: payload of %d bytes does not fit the fields of metadata %d at byte %d: %v: %s",
		e.Size, e.MetadataID, e.Offset, e.Rule, e.Rule.Rule().Sentence)
}

// Unwrap returns ErrPayload.
func (e *PayloadError) Unwrap() error { return ErrPayload }
