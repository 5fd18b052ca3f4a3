package ndjson

import (
	"encoding/binary"
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// appendLabels appends the labels in file order, each an object.
func appendLabels(b []byte, labels []codec.Label) []byte {
	if len(labels) == 0 {
		return b
	}
	b = append(b, `,"labels":[`...)
	for i := range labels {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '{')
		b = appendLabel(b, &labels[i])
		b = append(b, '}')
	}
	return append(b, ']')
}

func appendLabel(b []byte, l *codec.Label) []byte {
	switch l.Kind {
	case wire.LabelActivityID:
		return appendGUID(append(b, `"activity":`...), l.GUID)
	case wire.LabelRelatedActivityID:
		return appendGUID(append(b, `"relatedActivity":`...), l.GUID)
	case wire.LabelTraceID:
		return appendHex(append(b, `"traceId":`...), l.GUID[:])
	case wire.LabelSpanID:
		var bytes [8]byte
		binary.LittleEndian.PutUint64(bytes[:], l.Number)
		return appendHex(append(b, `"spanId":`...), bytes[:])
	case wire.LabelKeyString:
		b = AppendString(append(b, `"key":`...), l.Key)
		return AppendString(append(b, `,"value":`...), l.Value)
	case wire.LabelKeyNumber:
		b = AppendString(append(b, `"key":`...), l.Key)
		b = append(b, `,"number":"`...)
		b = strconv.AppendInt(b, int64(l.Number), 10)
		return append(b, '"')
	case wire.LabelKeywords:
		return appendAddress(append(b, `"keywords":`...), l.Number)
	}
	return appendNumberLabel(b, l)
}

// appendNumberLabel appends a label that overrides a small number of the
// metadata.
func appendNumberLabel(b []byte, l *codec.Label) []byte {
	switch l.Kind {
	case wire.LabelOpcode:
		b = append(b, `"opcode":`...)
	case wire.LabelLevel:
		b = append(b, `"level":`...)
	case wire.LabelVersion:
		b = append(b, `"version":`...)
	default:
		return b
	}
	return strconv.AppendUint(b, l.Number, 10)
}

func appendGUID(b []byte, id wire.GUID) []byte {
	b = id.AppendText(append(b, '"'))
	return append(b, '"')
}
