package main

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
)

// appendThread appends the operating system's id of the event's thread, or #
// and its index.
func appendThread(b []byte, e *codec.Event) []byte {
	if id, ok := e.ThreadID(); ok {
		return strconv.AppendUint(b, id, 10)
	}
	return strconv.AppendUint(append(b, '#'), e.ThreadIndex, 10)
}

// appendName appends provider/name(id), or what stands for it.
func appendName(b []byte, e *codec.Event) []byte {
	m := e.Metadata()
	if m == nil {
		b = append(b, "(unknown metadata "...)
		b = strconv.AppendUint(b, uint64(e.MetadataID), 10)
		return append(b, ')')
	}
	b = append(appendPrintable(b, m.Provider), '/')
	b = append(appendPrintable(b, ndjson.EventName(m, e.Version())), '(')
	b = strconv.AppendUint(b, uint64(m.EventID), 10)
	return append(b, ')')
}

// appendDetails appends what the event says besides, where it says something.
func appendDetails(b []byte, e *codec.Event) []byte {
	for _, word := range [...]struct {
		name  string
		value uint64
	}{{" version=", uint64(e.Version())}, {" level=", uint64(e.Level())}, {" opcode=", uint64(e.Opcode())}} {
		if word.value != 0 {
			b = appendWord(b, word.name, word.value)
		}
	}
	if keywords := e.Keywords(); keywords != 0 {
		b = strconv.AppendUint(append(b, " keywords=0x"...), keywords, 16)
	}
	if e.Processor != wire.UnknownProcessor {
		b = appendWord(b, " processor=", uint64(e.Processor))
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

// appendThreadRow appends what the thread table of v6 says of the thread.
func appendThreadRow(b []byte, t *codec.Thread) []byte {
	if t != nil && t.HasProcessID {
		b = appendWord(b, " process=", t.ProcessID)
	}
	if t != nil && t.Name != "" {
		b = appendPrintable(append(b, " threadName="...), t.Name)
	}
	return b
}

// appendLabels appends the labels that show in no other place.
func appendLabels(b []byte, labels []codec.Label) []byte {
	for i := range labels {
		switch labels[i].Kind {
		case wire.LabelTraceID, wire.LabelSpanID, wire.LabelKeyString, wire.LabelKeyNumber:
			b = appendLabel(b, &labels[i])
		}
	}
	return b
}

// appendLabel appends a label as name=value.
func appendLabel(b []byte, l *codec.Label) []byte {
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
		b = append(appendPrintable(append(b, ' '), l.Key), '=')
		return appendPrintable(b, l.Value)
	case wire.LabelKeyNumber:
		b = append(appendPrintable(append(b, ' '), l.Key), '=')
		return strconv.AppendInt(b, int64(l.Number), 10)
	case wire.LabelKeywords:
		return strconv.AppendUint(append(b, " keywords=0x"...), l.Number, 16)
	}
	return appendWord(b, numberLabels[l.Kind], l.Number)
}

// numberLabels are the names of labels that override a small number.
var numberLabels = map[wire.LabelKind]string{
	wire.LabelOpcode: " opcode=", wire.LabelLevel: " level=", wire.LabelVersion: " version=",
}

func appendWord(b []byte, name string, value uint64) []byte {
	return strconv.AppendUint(append(b, name...), value, 10)
}
