package raw

import (
	"encoding/binary"
	"fmt"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

const (
	typeSize        = 3 + 4 + 4 + 4 // tags, version, minimum reader version, length of the name
	traceObjectSize = 48
	maxTypeName     = 255
	oldTraceName    = "Microsoft.DotNet.Runtime.EventPipeFile"
)

// objectKinds maps the objects of the text to their block kind and the newest
// minimum reader version that is read.
//
// Spec: "Remaining Stream objects" of the v4/v5 text.
var objectKinds = []struct {
	name      string
	kind      wire.Kind
	minReader uint32
}{
	{"EventBlock", wire.KindEvent, 2},
	{"MetadataBlock", wire.KindMetadata, 2},
	{"StackBlock", wire.KindStack, 2},
	{"SPBlock", wire.KindSequencePoint, 2},
	{"Trace", wire.KindTrace, 5},
	{oldTraceName, wire.KindTrace, 5},
}

// nextObject reads one object of v3 to v5, or the null tag that ends the
// stream.
//
// Spec: "Objects" of the v4/v5 text.
func (r *Reader) nextObject() error {
	r.block = Block{Offset: r.win.offset, Kind: wire.KindUnknown}
	if !r.win.fill(1) {
		return r.cut(r.block.Offset)
	}
	switch tag := r.win.peek(1)[0]; {
	case tag == wire.TagNull && !r.first:
		r.win.take(1)
		r.block.Kind, r.block.BodyOffset = wire.KindEndOfStream, r.win.offset
		return nil
	case tag != r.begin:
		return r.fault(rule.OBJ002, r.win.offset, ErrFraming)
	}
	if err := r.readType(); err != nil {
		return err
	}
	if r.first && r.block.Kind != wire.KindTrace {
		return r.fault(rule.OBJ003, r.block.Offset, ErrFraming)
	}
	return r.objectBody()
}

// readType reads the tags and the type of an object.
//
// Spec: "Type object" of the v4/v5 text.
func (r *Reader) readType() error {
	const fixed = typeSize
	b := &r.block
	if !r.win.fill(fixed) {
		return r.truncatedType()
	}
	head := r.win.peek(fixed)
	if head[1] != r.begin || head[2] != wire.TagNull {
		return r.fault(rule.OBJ001, b.Offset+1, ErrFraming)
	}
	b.Version = int32(binary.LittleEndian.Uint32(head[3:]))
	b.MinReader = int32(binary.LittleEndian.Uint32(head[7:]))
	length := binary.LittleEndian.Uint32(head[11:])
	if length == 0 || length > maxTypeName {
		return r.fault(rule.OBJ007, b.Offset+11, ErrFraming)
	}
	if !r.win.fill(fixed + int(length) + 1) {
		return r.truncatedType()
	}
	r.win.take(fixed)
	b.TypeName = r.intern(r.win.take(int(length)))
	if r.win.take(1)[0] != wire.TagEnd {
		return r.fault(rule.OBJ001, r.win.offset-1, ErrFraming)
	}
	return r.classify()
}

// truncatedType is the error for a stream that ends inside a type: the tags that are
// there must be right.
func (r *Reader) truncatedType() error {
	have := r.win.peek(min(r.win.have(), 3))
	for i, tag := range []byte{r.begin, r.begin, wire.TagNull} {
		if i < len(have) && have[i] != tag {
			return r.fault(rule.OBJ001, r.win.offset+int64(i), ErrFraming)
		}
	}
	return r.cut(r.block.Offset)
}

// classify finds the kind of the object and refuses versions that are not
// read.
func (r *Reader) classify() error {
	b := &r.block
	for _, o := range objectKinds {
		if o.name != b.TypeName {
			continue
		}
		b.Kind = o.kind
		if o.kind == wire.KindTrace {
			return r.traceVersion(o.minReader)
		}
		if b.MinReader > int32(o.minReader) {
			return r.fault(rule.OBJ005, b.Offset+7, &VersionError{b.TypeName, uint32(b.MinReader), 0, o.minReader})
		}
	}
	return nil
}

// traceVersion checks the version of the first Trace object, which is the version
// of the stream. A newer one that a known reader can read is returned as the
// newest known one, so that nobody regards it as the layout of v6.
func (r *Reader) traceVersion(newest uint32) error {
	b := &r.block
	if !r.first {
		return nil
	}
	version := uint32(b.Version)
	if version < MinVersion {
		return r.fault(rule.HDR003, b.Offset+3, &VersionError{"NetTrace", version, MinVersion, MaxVersion})
	}
	if b.MinReader > int32(newest) {
		return r.fault(rule.OBJ004, b.Offset+7, &VersionError{"NetTrace", uint32(b.MinReader), MinVersion, MaxVersion})
	}
	if (version == MinVersion) != (r.begin == wire.TagBegin) {
		return r.fault(rule.OBJ004, b.Offset+3, ErrFraming)
	}
	r.format = wire.Format{Major: min(version, newest)}
	return nil
}

// objectBody reads the size, the padding, the body and the end tag of an
// object. A Trace object has a fixed size and no padding.
//
// Spec: "The EventBlock Object" and its sisters of the v4/v5 text.
func (r *Reader) objectBody() error {
	b := &r.block
	size := int64(traceObjectSize)
	if b.Kind != wire.KindTrace {
		var err error
		if size, err = r.objectSize(); err != nil {
			return err
		}
	}
	if err := r.body(size, 1); err != nil || b.Truncated {
		return err
	}
	return r.endTag()
}

func (r *Reader) objectSize() (int64, error) {
	if !r.win.fill(4) {
		return 0, r.cut(r.block.Offset)
	}
	size := int32(binary.LittleEndian.Uint32(r.win.take(4)))
	if size < 0 {
		return 0, r.fault(rule.OBJ008, r.win.offset-4, ErrFraming)
	}
	pad := int(-r.win.offset & 3)
	if !r.win.fill(pad) {
		return 0, r.cut(r.block.Offset)
	}
	r.win.take(pad)
	return int64(size), nil
}

// endTag consumes the end tag after the body. When another byte is there the body
// stays readable and the error comes with the next block.
func (r *Reader) endTag() error {
	if r.win.peek(1)[0] == wire.TagEnd {
		r.win.take(1)
		return nil
	}
	if r.block.Kind == wire.KindUnknown {
		return r.fault(rule.OBJ006, r.win.offset, ErrFraming)
	}
	r.block.WrongSize = true
	r.err = r.fault(rule.OBJ011, r.win.offset, ErrFraming)
	return nil
}

// findEndTag looks for the end tag of the current object up to three bytes from
// its expected position. If it finds it, the padding before the body is wrong,
// which becomes the error.
func (r *Reader) findEndTag() {
	const maxPadding = 3
	body := r.block.Body
	r.block.WrongSize = false
	if r.begin == wire.TagBegin || r.block.Kind == wire.KindTrace {
		return // v3 has one rule for both; a Trace object has no padding
	}
	near := append([]byte(nil), body[max(0, len(body)-maxPadding):]...)
	back := len(near)
	r.win.fill(maxPadding + 2)
	near = append(near, r.win.peek(min(r.win.have(), maxPadding+2))...)
	for n := 1; n <= maxPadding; n++ {
		for _, shift := range []int{n, -n} {
			at := back + shift
			if at < 0 || at+2 > len(near) || near[at] != wire.TagEnd || near[at+1] != r.begin && near[at+1] != wire.TagNull {
				continue
			}
			padding := r.block.Offset + typeSize + int64(len(r.block.TypeName)) + 1 + 4
			r.err = r.fault(rule.OBJ009, padding, fmt.Errorf("%w: the end tag is at offset %d, expected at %d", ErrFraming, r.win.offset+int64(shift), r.win.offset))
			return
		}
	}
}

// intern returns the type name as a string that is allocated once.
func (r *Reader) intern(b []byte) string {
	for i := range objectKinds {
		if string(b) == objectKinds[i].name {
			return objectKinds[i].name
		}
	}
	return string(b)
}
