package counters

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

const (
	maxKinds        = 1 << 8  // kinds of events whose series a Decoder recognizes
	maxRepeated     = 1 << 11 // series that it recognizes
	maxRepeatedSize = 1 << 10 // largest payload of one
	maxSearched     = 64      // series that an event is compared with
)

// eventKind has the time series of the events of one metadata row, in the order in which a
// process writes them, which is the same in each interval.
type eventKind struct {
	of     *codec.Metadata
	series []*repeated
	next   int // the series that is expected
}

// repeated is what all events of one time series have in common. One more is decoded by
// comparing its texts and loading its numbers.
type repeated struct {
	parts   []part
	message Message // of its last event: each event sets all numbers again
}

// part is a part of a payload: bytes that are the same in all events, or one member.
type part struct {
	same   []byte
	member member        // not set if nothing reads it
	code   wire.TypeCode // of the member
}

// kindOf returns the kind of a metadata row.
func (d *Decoder) kindOf(m *codec.Metadata) *eventKind {
	for _, k := range d.recent {
		if k != nil && k.of == m {
			return k
		}
	}
	k := d.kinds[m]
	if k == nil {
		if len(d.kinds) == maxKinds {
			d.forget()
		}
		if d.kinds == nil {
			d.kinds = map[*codec.Metadata]*eventKind{}
		}
		k = &eventKind{of: m}
		d.kinds[m] = k
	}
	d.recent = [2]*eventKind{k, d.recent[0]}
	return k
}

// forget forgets all series. Those that still have events are learned again.
func (d *Decoder) forget() {
	clear(d.kinds)
	d.recent, d.repeated = [2]*eventKind{}, 0
}

// read decodes a payload of one of the known series. It returns nil if it is of none.
func (k *eventKind) read(payload []byte, d *Decoder) *Message {
	at := k.next
	for range min(len(k.series), maxSearched) {
		r := k.series[at]
		if at++; at == len(k.series) {
			at = 0
		}
		if r.read(payload, d) {
			k.next = at
			return &r.message
		}
	}
	return nil
}

// keep inserts a series where its first event came.
func (d *Decoder) keep(m *codec.Metadata, r *repeated) {
	if d.repeated == maxRepeated {
		d.forget()
	}
	d.repeated++
	k := d.kindOf(m)
	k.series = slices.Insert(k.series, k.next, r)
	if k.next++; k.next == len(k.series) {
		k.next = 0
	}
}

// read decodes a payload if it is of the series. Otherwise it leaves the numbers of the
// message undefined.
func (r *repeated) read(payload []byte, d *Decoder) bool {
	if !bytes.HasPrefix(payload, r.parts[0].same) {
		return false
	}
	msg, rest := &r.message, payload
	for i := range r.parts {
		p := &r.parts[i]
		switch {
		case p.same != nil:
			if !bytes.HasPrefix(rest, p.same) {
				return false
			}
			rest = rest[len(p.same):]
		case p.code == wire.NullTerminatedUTF16String:
			units, end := wire.UTF16Z(rest, 0)
			if end < 0 {
				return false
			}
			d.text = wire.AppendUTF16(d.text[:0], units)
			if p.member.text != nil && !p.member.text(d, &msg.Value, d.text) {
				return false
			}
			rest = rest[end:]
		default:
			size := p.code.Size()
			if len(rest) < size {
				return false
			}
			if p.member.number != nil {
				p.member.number(&msg.Value, loadNumber(p.code, rest))
			}
			rest = rest[size:]
		}
	}
	return true
}

// isNumber reports whether a type is one of those that writers of counters use for numbers.
func isNumber(code wire.TypeCode) bool {
	return code == wire.Double || code == wire.Single || code == wire.Int32 || code == wire.Int64
}

// loadNumber loads a number of a type that isNumber accepts.
func loadNumber(code wire.TypeCode, b []byte) float64 {
	switch code {
	case wire.Double:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	case wire.Single:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case wire.Int32:
		return float64(int32(binary.LittleEndian.Uint32(b)))
	}
	return float64(int64(binary.LittleEndian.Uint64(b)))
}

// learner makes a repeated of the members of the first event of a series.
type learner struct {
	rest  []byte // of the payload, from the next member on
	parts []part
	bad   bool // the series cannot be recognized
}

// learn starts with a payload, whose members follow each other from its begin.
func learn(payload []byte) *learner {
	return &learner{rest: payload, bad: len(payload) == 0 || len(payload) > maxRepeatedSize}
}

// add adds a member.
func (l *learner) add(x codec.Value, m member) {
	b, code := x.Bytes(), x.Code()
	isText := code == wire.NullTerminatedUTF16String
	if l.bad = l.bad || len(b) == 0 || len(b) > len(l.rest) || &b[0] != &l.rest[0] || !isText && !isNumber(code) ||
		isText && m.number != nil || !isText && (m.name != nil || m.text != nil); l.bad {
		return
	}
	l.rest = l.rest[len(b):]
	switch last := len(l.parts) - 1; {
	case m.name == nil:
		l.parts = append(l.parts, part{member: m, code: code})
	case last >= 0 && l.parts[last].same != nil:
		l.parts[last].same = append(l.parts[last].same, b...)
	default:
		l.parts = append(l.parts, part{same: bytes.Clone(b)})
	}
}
