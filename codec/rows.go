package codec

import (
	"encoding/binary"
	"math"

	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// batchSize is the number of rows decoded at a time. A mark is a byte, and a
// batch of events fits the first-level cache.
const batchSize = 256

// rowState is the state of decoding a block's event rows: the position of the
// next row and the values of the row before, which start at zero in each block.
//
// Spec: "Event block", header compression.
type rowState struct {
	prev rowValues
	pos  int // of the next row in the body
	row  int // number of rows decoded in the block

	// The extent of the tables, so that the loops see an unknown reference when
	// they read it. unknown reports that the block may have one.
	metadata, stacks, threads, labels reach
	unknown                           bool
	back                              bool // the batch may have a row that is older than the row before

	// Rows of the batch that may show a loss: those that write another capture
	// thread or a number that does not follow. The first row of a block is one.
	marks  [batchSize]uint8
	marked int

	activities []activityPair // v4, v5: those met in the block

	badPos int  // where the row that failed is wrong
	past   bool // it failed because the body ends
}

// reach is the range of ids that a table surely holds.
type reach struct{ base, known uint64 }

func (r reach) has(id uint32) bool { return uint64(id)-r.base < r.known }

// without0 leaves out id 0.
func (r reach) without0() reach {
	if r.base == 0 && r.known > 0 {
		return reach{1, r.known - 1}
	}
	return r
}

func (t *idTable[T]) reach() reach { return reach{t.base, t.known} }

// activityPair holds the activity ids of a row (v3 to v5). Events refer to it
// by position plus one.
type activityPair struct{ activity, related wire.GUID }

// eventHeader reads the header of an event block, and of a v4 metadata block, and
// sets s to the first row.
//
// Spec: "Event block", Header.
func (r *stream) eventHeader(b *raw.Block, s *rowState) bool {
	const minSize = 20
	body := b.Body
	if len(body) < minSize {
		id := rule.EVB001
		if b.Size >= minSize {
			id = rule.EVB002
		}
		r.badBlock(b, id, b.BodyOffset, ErrBadBlock, b.Size >= minSize)
		return false
	}
	size := int(binary.LittleEndian.Uint16(body))
	if size < minSize || int64(size) > b.Size {
		r.badBlock(b, rule.EVB002, b.BodyOffset, ErrBadBlock, false)
		return false
	}
	r.block.HeaderSize = size
	r.block.Flags = binary.LittleEndian.Uint16(body[2:])
	r.block.MinTimestamp = binary.LittleEndian.Uint64(body[4:])
	r.block.MaxTimestamp = binary.LittleEndian.Uint64(body[12:])
	r.beginRows(s, min(size, len(body)))
	return true
}

// beginRows sets s to the first row of a block.
func (r *stream) beginRows(s *rowState, pos int) {
	s.prev, s.pos, s.row, s.marked = rowValues{}, pos, 0, 0
	s.metadata, s.stacks = r.metadata.reach().without0(), r.stacks.spans.reach()
	s.threads, s.labels = r.threads.reach(), r.labels.spans.reach()
	if !r.dialect.indexed {
		s.threads = reach{0, math.MaxUint64}
	}
	s.activities, s.unknown = s.activities[:0], false
}

// beginBatch keeps of the activity ids only those that rows still refer to. (In
// v6 there are none, and labels are ids of lists.)
func (s *rowState) beginBatch() {
	s.marked, s.back = 0, false
	if len(s.activities) == 0 {
		return
	}
	if s.prev.labels > 0 {
		s.activities[0] = s.activities[s.prev.labels-1]
		s.activities, s.prev.labels = s.activities[:1], 1
	} else {
		s.activities = s.activities[:0]
	}
}

// decodeCompressed decodes rows into dst until it is full, the body ends, or a row
// is wrong: those that are usual in a tight loop, all others with care. needed are
// the flags without which the first row of a block refers to row 0 of a table.
func (s *rowState) decodeCompressed(body []byte, dst []Event, needed byte,
	usual func(*rowState, []byte, []Event, int) int, careful func(*rowState, []byte, []Event, int) rule.ID) (n int, bad rule.ID) {
	if s.row == 0 {
		s.mark(0)
		s.unknown = s.pos < len(body) && body[s.pos]&needed != needed
	}
	for n < len(dst) && s.pos < len(body) && bad == rule.None {
		if n = usual(s, body, dst, n); n < len(dst) && s.pos < len(body) {
			if bad = careful(s, body, dst, n); bad == rule.None {
				n++
			}
		}
	}
	s.row += n
	return n, bad
}

// checkIDs sets unknown when a row refers to metadata or a stack that the
// tables may not hold. Stack 0 is "no stack".
func (s *rowState) checkIDs(v *rowValues) {
	if !s.metadata.has(v.metadataID) || v.stackID != 0 && !s.stacks.has(v.stackID) {
		s.unknown = true
	}
}

// checkIndexes does the same for the threads and labels of v6. Label list 0 is
// empty.
func (s *rowState) checkIndexes(v *rowValues) {
	if v.thread-s.threads.base >= s.threads.known || v.captureThread-s.threads.base >= s.threads.known ||
		v.labels != 0 && !s.labels.has(v.labels) {
		s.unknown = true
	}
}

// fail records where a row is wrong.
func (s *rowState) fail(id rule.ID, pos int, past bool) rule.ID {
	s.badPos, s.past = pos, past
	return id
}

// shifted returns four views of the same length: b1[p] is body[p+1], and so on.
// One look at that length serves for the four bytes from p on.
func shifted(body []byte) (b0, b1, b2, b3 []byte) {
	n := len(body) - 3
	return body[:n:n], body[1 : 1+n : 1+n], body[2 : 2+n : 2+n], body[3 : 3+n : 3+n]
}

// sequence reads the fields up to the processor of row n, which is at p and has a
// sequence number, and returns the position after them. It returns 0 if they are
// malformed, or without metadata, because only rows with metadata count (v4).
//
// Spec: "Event block", header compression.
func (s *rowState) sequence(body []byte, p, n uint) uint {
	metadata, next := s.prev.metadataID, int(p)+1
	if body[p]&wire.RowMetadataID != 0 {
		metadata, next = wire.VarUint32(body, next)
	}
	var delta, processor uint32
	var thread uint64
	if next >= 0 && next+2 < len(body) && (body[next]|body[next+1]|body[next+2]) < 1<<7 { // usual in v6
		delta, thread, processor, next = uint32(body[next]), uint64(body[next+1]), uint32(body[next+2]), next+3
	} else {
		delta, next = wire.VarUint32(body, next)
		thread, next = wire.VarUint64(body, next)
		processor, next = wire.VarUint32(body, next)
	}
	if next < 0 || metadata == 0 {
		return 0
	}
	if delta != 0 || thread != s.prev.captureThread {
		s.mark(int(n))
	}
	if !s.metadata.has(metadata) || thread-s.threads.base >= s.threads.known {
		s.unknown = true
	}
	s.prev.metadataID, s.prev.captureThread, s.prev.processor = metadata, thread, processor
	s.prev.sequence += delta
	return uint(next)
}

// settle sets s to the end of a batch of decoded rows, after a loop began a row
// and left it to other code. before is the sequence number to continue from when
// there are none.
func (s *rowState) settle(decoded []Event, before uint32) {
	n := len(decoded)
	if n == 0 {
		s.prev.sequence = before
	} else {
		e := &decoded[n-1]
		s.back = s.back || e.Timestamp < s.prev.timestamp // beyond the last tick
		s.prev.sequence, s.prev.timestamp, s.prev.size = e.Sequence, e.Timestamp, e.size
		s.pos = int(e.payload) + int(e.size)
	}
	if s.marked > 0 && s.marks[s.marked-1] == uint8(n) && n < batchSize && (n > 0 || s.row > 0) {
		s.marked-- // the first row of a block stays marked
	}
}

// commit makes the values of a decoded row those of the row before the next.
func (s *rowState) commit(v rowValues, next int) {
	s.prev, s.pos = v, next
}

// mark notes row n of the batch as one that may show a loss.
func (s *rowState) mark(n int) {
	if s.marked == 0 || s.marks[s.marked-1] != uint8(n) {
		s.marks[s.marked] = uint8(n)
		s.marked++
	}
}

// varReader reads the fields of one compressed row with checks: the slow path of
// the loops, for the last rows of a block and for malformed ones.
type varReader struct {
	b   []byte
	pos int
	bad rule.ID
	at  int // start of the malformed field
}

func (v *varReader) uint32() uint32 {
	x, next := wire.VarUint32(v.b, v.pos)
	if next < 0 {
		return uint32(v.fail(next, rule.CMP002))
	}
	v.pos = next
	return x
}

func (v *varReader) uint64() uint64 {
	x, next := wire.VarUint64(v.b, v.pos)
	if next < 0 {
		return v.fail(next, rule.CMP003)
	}
	v.pos = next
	return x
}

func (v *varReader) guid() wire.GUID {
	x, next := wire.ReadGUID(v.b, v.pos)
	if next < 0 {
		v.fail(next, rule.CMP001)
		return x
	}
	v.pos = next
	return x
}

// fail notes where the first field is wrong, and lets all others fail too.
func (v *varReader) fail(next int, tooLarge rule.ID) (none uint64) {
	if v.bad == rule.None {
		v.bad, v.at, v.b = rule.CMP001, v.pos, nil
		if next == wire.TooLarge {
			v.bad = tooLarge
		}
	}
	return 0
}
