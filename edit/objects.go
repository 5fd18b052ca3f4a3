package edit

import (
	"bytes"
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// objects finds the objects of v4 and v5 after damaged bytes. An object that does
// not end where its size says is extended to the next one; bytes between objects
// are left out. Objects are aligned again where bytes are missing.
//
// Spec: "Objects", "Type object" of the v4/v5 text.
type objects struct {
	*framing
	scratch []byte
}

const (
	objectTags  = 3 + 4 + 4 + 4 // tags, version, minimum reader version, length of the name
	maxTypeName = 255
	traceSize   = 48
)

// starts are the first bytes of the objects after the Trace object.
var starts = [][]byte{
	startOf("EventBlock"), startOf("StackBlock"), startOf("MetadataBlock"), startOf("SPBlock"),
}

func startOf(name string) []byte {
	b := []byte{wire.TagBeginPrivate, wire.TagBeginPrivate, wire.TagNull, 2, 0, 0, 0, 2, 0, 0, 0, byte(len(name)), 0, 0, 0}
	return append(append(b, name...), wire.TagEnd)
}

// advance returns the next object, or the remaining bytes.
func (o *objects) advance() bool {
	if !o.fill(1) || o.have()[0] == wire.TagNull {
		o.framing.advance = o.rest
		return o.rest()
	}
	head := o.head()
	if head == 0 {
		return o.search()
	}
	if string(o.have()[objectTags:head-1]) == "Trace" {
		o.pass(head + traceSize + 1)
		return true
	}
	if !o.fill(head + 4) {
		return o.rest()
	}
	size, expected := int(int32(binary.LittleEndian.Uint32(o.have()[head:]))), o.padding(head)
	for i := range 4 {
		pad := (expected + i) % 4
		if start := head + 4 + pad; o.ends(start, size) && (i == 0 || o.shifted(head, pad, size)) {
			o.object(head, start, start+size, start+size+1)
			return true
		}
	}
	return o.extendObject(head, head+4+expected)
}

// padding is the number of zeros after the size of an object.
func (o *objects) padding(head int) int { return int(-(o.taken + int64(head) + 4) & 3) }

// head returns the length of the tags and the type at the start of an object, 0
// when there is none.
func (o *objects) head() int {
	if !o.fill(objectTags) {
		return 0
	}
	b := o.have()
	n := binary.LittleEndian.Uint32(b[objectTags-4:])
	if b[0] != wire.TagBeginPrivate || b[1] != wire.TagBeginPrivate || b[2] != wire.TagNull || n > maxTypeName {
		return 0
	}
	head := objectTags + int(n) + 1
	if !o.fill(head) || o.have()[head-1] != wire.TagEnd {
		return 0
	}
	return head
}

// ends reports whether the end tag follows a body.
func (o *objects) ends(start, size int) bool {
	return size >= 0 && size <= o.most && o.fill(start+size+1) && o.have()[start+size] == wire.TagEnd
}

// shifted reports whether an object can be at a position where bytes before it
// are missing: its padding is zero, its body has a valid start, and another
// object or the end follows.
func (o *objects) shifted(head, pad, size int) bool {
	start := head + 4 + pad
	for _, b := range o.have()[head+4 : start] {
		if b != 0 {
			return false
		}
	}
	if !fits(string(o.have()[objectTags:head-1]), o.have()[start:start+size]) {
		return false
	}
	if !o.fill(start + size + 2) {
		return true
	}
	next := o.have()[start+size+1]
	return next == wire.TagBeginPrivate || next == wire.TagNull
}

// fits reports whether a body may be one of an object of that name. Any body may
// be that of an unknown object.
//
// Spec: "The EventBlock Object" and the other objects of the v4/v5 text.
func fits(name string, body []byte) bool {
	w := layout.NewWalker(layout.Options{Format: wire.V4})
	switch name {
	case "EventBlock", "MetadataBlock":
		return len(body) >= layout.EventHeaderSize && body[0] >= layout.EventHeaderSize && body[1] == 0
	case "StackBlock":
		return complete(w, wire.KindStack, body)
	case "SPBlock":
		return complete(w, wire.KindSequencePoint, body)
	}
	return true
}

// object returns an object with its body, aligned for the returned stream,
// instead of the next held bytes.
func (o *objects) object(head, start, end, held int) {
	b := o.have()
	pad := int(-(o.given + int64(head) + 4) & 3)
	if head+4+pad == start && held == end+1 && b[end] == wire.TagEnd && int(binary.LittleEndian.Uint32(b[head:])) == end-start {
		o.pass(held)
		return
	}
	o.scratch = append(o.scratch[:0], b[:head]...)
	o.scratch = binary.LittleEndian.AppendUint32(o.scratch, uint32(end-start))
	o.scratch = append(o.scratch, 0, 0, 0)[:head+4+pad]
	o.scratch = append(append(o.scratch, b[start:end]...), wire.TagEnd)
	o.replaceNext(o.scratch, held)
}

// extendObject extends an object that does not end where its size says to the
// next one. When none follows it is the last one, and truncated.
func (o *objects) extendObject(head, start int) bool {
	next := o.next(head)
	if next < 0 {
		o.pass(len(o.have()))
		return true
	}
	o.changes.add("objects with a wrong size, which reach to the next one", 1)
	end := next
	if end > start && o.have()[end-1] == wire.TagEnd {
		end--
	}
	o.object(head, min(start, end), end, next)
	return true
}

// search skips bytes that are no object.
func (o *objects) search() bool {
	next := o.next(1)
	if next < 0 {
		return o.rest()
	}
	o.changes.add("bytes between objects left out", next)
	o.skip(next)
	return o.advance()
}

// next looks for the next object from a position on, -1 for none.
func (o *objects) next(from int) int {
	for {
		found := -1
		for _, start := range starts {
			if i := bytes.Index(o.have()[min(from, len(o.have())):], start); i >= 0 && (found < 0 || from+i < found) {
				found = from + i
			}
		}
		if found >= 0 {
			return found
		}
		n := len(o.have())
		from = max(from, n-len(starts[2]))
		if n >= o.most || !o.fill(n+1) {
			return -1
		}
	}
}
