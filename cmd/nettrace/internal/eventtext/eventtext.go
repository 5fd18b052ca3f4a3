// Package eventtext formats the parts of an event's line: its thread, name, labels and
// other properties.
package eventtext

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
)

// AppendThread appends the operating-system ID of the event's thread, or # and its index.
func AppendThread(b []byte, e *codec.Event) []byte {
	if id, ok := e.ThreadID(); ok {
		return strconv.AppendUint(b, id, 10)
	}
	return strconv.AppendUint(append(b, '#'), e.ThreadIndex, 10)
}

// AppendName appends provider/name(id), or a text with the ID of unknown metadata.
func AppendName(b []byte, e *codec.Event) []byte {
	m := e.Metadata()
	if m == nil {
		b = append(b, "(unknown metadata "...)
		b = strconv.AppendUint(b, uint64(e.MetadataID), 10)
		return append(b, ')')
	}
	b = append(display.AppendPrintable(b, m.Provider), '/')
	b = append(display.AppendPrintable(b, ndjson.EventName(m, e.Version())), '(')
	b = strconv.AppendUint(b, uint64(m.EventID), 10)
	return append(b, ')')
}

// AppendDetails appends the properties of the event that are not 0.
func AppendDetails(b []byte, e *codec.Event) []byte {
	for _, word := range [...]struct {
		name  string
		value uint64
	}{{" version=", uint64(e.Version())}, {" level=", uint64(e.Level())}, {" opcode=", uint64(e.Opcode())}} {
		if word.value != 0 {
			b = AppendWord(b, word.name, word.value)
		}
	}
	if keywords := e.Keywords(); keywords != 0 {
		b = strconv.AppendUint(append(b, " keywords=0x"...), keywords, 16)
	}
	if e.Processor != wire.UnknownProcessor {
		b = AppendWord(b, " processor=", uint64(e.Processor))
	}
	b = appendThreadRow(b, e.Thread())
	if id := e.Activity(); !id.IsZero() {
		b = id.AppendText(append(b, " activity="...))
	}
	if id := e.RelatedActivity(); !id.IsZero() {
		b = id.AppendText(append(b, " related="...))
	}
	return appendLabels(b, e.Labels())
}

// appendThreadRow appends the properties of the thread in the thread table of
// v6.
func appendThreadRow(b []byte, t *codec.Thread) []byte {
	if t != nil && t.HasProcessID {
		b = AppendWord(b, " process=", t.ProcessID)
	}
	if t != nil && t.Name != "" {
		b = display.AppendPrintable(append(b, " threadName="...), t.Name)
	}
	return b
}

// appendLabels appends the labels that are not printed in another place.
func appendLabels(b []byte, labels []codec.Label) []byte {
	for i := range labels {
		switch labels[i].Kind {
		case wire.LabelTraceID, wire.LabelSpanID, wire.LabelKeyString, wire.LabelKeyNumber:
			b = AppendLabel(b, &labels[i])
		}
	}
	return b
}

// AppendLabel appends a label as name=value.
func AppendLabel(b []byte, l *codec.Label) []byte {
	switch l.Kind {
	case wire.LabelActivityID:
		return l.GUID.AppendText(append(b, " activity="...))
	case wire.LabelRelatedActivityID:
		return l.GUID.AppendText(append(b, " related="...))
	case wire.LabelTraceID:
		return hex.AppendEncode(append(b, " trace="...), l.GUID[:])
	case wire.LabelSpanID:
		var id [8]byte
		binary.LittleEndian.PutUint64(id[:], l.Number)
		return hex.AppendEncode(append(b, " span="...), id[:])
	case wire.LabelKeyString:
		b = append(display.AppendPrintable(append(b, ' '), l.Key), '=')
		return display.AppendPrintable(b, l.Value)
	case wire.LabelKeyNumber:
		b = append(display.AppendPrintable(append(b, ' '), l.Key), '=')
		return strconv.AppendInt(b, int64(l.Number), 10)
	case wire.LabelKeywords:
		return strconv.AppendUint(append(b, " keywords=0x"...), l.Number, 16)
	}
	return AppendWord(b, numberLabels[l.Kind], l.Number)
}

// numberLabels are the names of labels that override a small number.
var numberLabels = map[wire.LabelKind]string{
	wire.LabelOpcode: " opcode=", wire.LabelLevel: " level=", wire.LabelVersion: " version=",
}

// AppendWord appends a name and a number.
func AppendWord(b []byte, name string, value uint64) []byte {
	return strconv.AppendUint(append(b, name...), value, 10)
}
