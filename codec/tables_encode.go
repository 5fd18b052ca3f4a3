package codec

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// appendTraceObject appends the body of a Trace object of v4 and v5. It can have
// three properties, which must be numbers.
//
// Spec: "The First Object: The Trace Object" of the v4/v5 text.
func appendTraceObject(dst []byte, t *Trace, format wire.Format) ([]byte, error) {
	dst = appendClock(dst, t)
	numbers := [3]uint32{noProcess, 0, 0}
	for _, p := range t.Properties {
		n, err := strconv.ParseUint(p.Value, 10, 32)
		i := -1
		switch p.Key {
		case ProcessIDKey:
			i = 0
		case HardwareThreadCountKey:
			i = 1
		case ExpectedCPUSamplingRateKey:
			i = 2
		}
		if i < 0 || err != nil {
			return dst, &FormatError{format, "the trace's property " + strconv.Quote(p.Key)}
		}
		numbers[i] = uint32(n)
	}
	for _, n := range numbers {
		dst = binary.LittleEndian.AppendUint32(dst, n)
	}
	return dst, nil
}

// appendTraceBlock appends the body of a Trace block of v6.
//
// Spec: "Trace block".
func appendTraceBlock(dst []byte, t *Trace, _ wire.Format) ([]byte, error) {
	dst = appendClock(dst, t)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(t.Properties)))
	for _, kv := range t.Properties {
		dst = appendKeyValue(dst, kv)
	}
	return dst, nil
}

// appendClock appends the common start of the Trace blocks of all versions.
func appendClock(dst []byte, t *Trace) []byte {
	dst = wire.AppendSystemTime(dst, t.SyncTime)
	dst = binary.LittleEndian.AppendUint64(dst, t.SyncTicks)
	dst = binary.LittleEndian.AppendUint64(dst, t.TickFrequency)
	size := t.PointerSize
	if size == 0 {
		size = 8
	}
	return binary.LittleEndian.AppendUint32(dst, uint32(size))
}

// appendThread appends a thread row with its size.
//
// Spec: "Thread block".
func appendThread(dst []byte, t *Thread) ([]byte, error) {
	at := len(dst)
	dst = wire.AppendVarUint(append(dst, 0, 0), t.Index)
	if t.Name != "" {
		dst = wire.AppendString(append(dst, byte(wire.ThreadName)), t.Name)
	}
	if t.HasProcessID {
		dst = wire.AppendVarUint(append(dst, byte(wire.ThreadOSProcessID)), t.ProcessID)
	}
	if t.HasThreadID {
		dst = wire.AppendVarUint(append(dst, byte(wire.ThreadOSThreadID)), t.ThreadID)
	}
	for _, kv := range t.Attributes {
		dst = appendKeyValue(append(dst, byte(wire.ThreadKeyValue)), kv)
	}
	return dst, putSize16(dst, at, "Thread row")
}

// appendThreadSequences appends the entries of a RemoveThread block, and those
// of a sequence point of v6.
//
// Spec: "RemoveThread block", "SequencePoint block".
func appendThreadSequences(dst []byte, entries []ThreadSequence) []byte {
	for _, e := range entries {
		dst = wire.AppendVarUint(wire.AppendVarUint(dst, e.Thread), uint64(e.Sequence))
	}
	return dst
}

// appendPointBlock appends the body of a sequence point of v6.
//
// Spec: "SequencePoint block".
func appendPointBlock(dst []byte, p *SequencePoint) []byte {
	le := binary.LittleEndian
	dst = le.AppendUint64(dst, p.Timestamp)
	dst = le.AppendUint32(dst, p.Flags)
	dst = le.AppendUint32(dst, uint32(len(p.Threads)))
	return appendThreadSequences(dst, p.Threads)
}

// appendPointObject appends the body of a sequence point of v4 and v5.
//
// Spec: "SequencePointBlock Object" of the v4/v5 text.
func appendPointObject(dst []byte, p *SequencePoint) []byte {
	le := binary.LittleEndian
	dst = le.AppendUint64(dst, p.Timestamp)
	dst = le.AppendUint32(dst, uint32(len(p.Threads)))
	for _, e := range p.Threads {
		dst = le.AppendUint32(le.AppendUint64(dst, e.Thread), e.Sequence)
	}
	return dst
}

// appendStack appends a stack with its size in bytes. Addresses of a trace with
// pointers of 4 bytes are truncated to them.
//
// Spec: "Stack block".
func appendStack(dst []byte, addresses []uint64, pointer int) []byte {
	le := binary.LittleEndian
	if pointer == 4 {
		dst = le.AppendUint32(dst, uint32(4*len(addresses)))
		for _, a := range addresses {
			dst = le.AppendUint32(dst, uint32(a))
		}
		return dst
	}
	dst = le.AppendUint32(dst, uint32(8*len(addresses)))
	for _, a := range addresses {
		dst = le.AppendUint64(dst, a)
	}
	return dst
}

// appendLabels appends a label list, which has at least one label.
//
// Spec: "LabelList block".
func appendLabels(dst []byte, labels []Label) ([]byte, error) {
	for i := range labels {
		l := &labels[i]
		kind := byte(l.Kind)
		if i == len(labels)-1 {
			kind |= wire.LastLabel
		}
		dst = append(dst, kind)
		switch l.Kind {
		case wire.LabelActivityID, wire.LabelRelatedActivityID, wire.LabelTraceID:
			dst = append(dst, l.GUID[:]...)
		case wire.LabelSpanID, wire.LabelKeywords:
			dst = binary.LittleEndian.AppendUint64(dst, l.Number)
		case wire.LabelKeyString:
			dst = wire.AppendString(wire.AppendString(dst, l.Key), l.Value)
		case wire.LabelKeyNumber:
			dst = wire.AppendVarInt(wire.AppendString(dst, l.Key), int64(l.Number))
		case wire.LabelOpcode, wire.LabelLevel, wire.LabelVersion:
			if l.Number > math.MaxUint8 {
				return dst, &FormatError{formatV6, "the opcode, level or version of a label above 255"}
			}
			dst = append(dst, byte(l.Number))
		default:
			return dst, &FormatError{formatV6, "a label of kind " + strconv.Itoa(int(l.Kind))}
		}
	}
	return dst, nil
}
