package codec

import (
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// headerV3 is the size of a row header of v3, the EventSize field included; the
// payload, the size of the stack and the stack follow.
const headerV3 = 56

// decodeV3 decodes rows of a v3 event block. A row with metadata id 0 defines
// metadata: the loop stops before it unless it is the first, and flags it.
//
// No text describes v3; this is what the runtimes 2.1 to 10 write.
func decodeV3(s *rowState, body []byte, dst []Event) (n int, bad rule.ID) {
	for n < len(dst) && s.pos < len(body) {
		if n > 0 && len(body)-s.pos >= 8 && binary.LittleEndian.Uint32(body[s.pos+4:]) == 0 {
			break
		}
		if bad = s.rowV3(body, dst, n); bad != rule.None {
			break
		}
		n++
		if dst[n-1].MetadataID == 0 {
			break
		}
	}
	s.row += n
	return n, bad
}

func (s *rowState) rowV3(body []byte, dst []Event, n int) rule.ID {
	b := body[s.pos:]
	if len(b) < headerV3+sizeField {
		return s.fail(rule.NP004, s.pos, true)
	}
	le := binary.LittleEndian
	total := int64(int32(le.Uint32(b))) + sizeField
	size := int64(int32(le.Uint32(b[headerV3-4:])))
	switch {
	case size < 0:
		return s.fail(rule.NP005, s.pos+headerV3-4, false)
	case total < headerV3+size+sizeField:
		return s.fail(rule.NP004, s.pos, false)
	case total > int64(len(b)):
		return s.fail(rule.NP004, s.pos, true)
	}
	stack := int64(int32(le.Uint32(b[headerV3+size:])))
	if stack < 0 || headerV3+size+sizeField+stack > total {
		return s.fail(rule.NP005, s.pos+headerV3+int(size), false)
	}
	v := rowValues{
		metadataID: le.Uint32(b[4:]), thread: uint64(le.Uint32(b[8:])), timestamp: le.Uint64(b[12:]),
		size: uint32(size), processor: wire.UnknownProcessor,
	}
	v.captureThread = v.thread
	s.setActivity(activityPair{wire.GUID(b[20:36]), wire.GUID(b[36:52])})
	v.labels = s.prev.labels
	if v.metadataID != 0 {
		s.checkIDs(&v)
	}
	dst[n].set(&v, s.pos, s.pos+headerV3, 0)
	s.commit(v, s.pos+int(total))
	return rule.None
}

// inlineStack returns the bytes of the stack after a v3 payload that ends at end.
func inlineStack(body []byte, end int) []byte {
	size := int(binary.LittleEndian.Uint32(body[end:]))
	return body[end+sizeField : end+sizeField+size]
}
