package check

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// headerState is what is known of the end of the stream.
type headerState struct {
	cut  bool // the stream ends before its end mark
	rest int  // where bytes are left behind the rows of a block that the stream cuts
}

// rule is what a fault breaks in a stream of this version.
func (c *checker) rule(id rule.ID) rule.ID {
	switch id {
	case rule.LIM003, rule.LIM004:
		return rule.TYP011
	}
	if c.v3 {
		switch id {
		case rule.OBJ001, rule.OBJ002, rule.OBJ007, rule.OBJ011, rule.EOS004, rule.EOS005:
			return rule.NP001
		case rule.OBJ003, rule.OBJ004, rule.OBJ012:
			return rule.NP002
		case rule.OBJ008, rule.EVB005:
			return rule.NP003
		case rule.MD008, rule.MD4003, rule.MD4004, rule.MD4005, rule.MD4008, rule.TYP016, rule.TYP017, rule.TAG001:
			return rule.NP006
		}
	}
	return id
}

// checkEnd says how the stream ended: by its end mark, cut, or in framing that
// cannot be followed.
//
// Spec: "EndOfStreamBlock" of the v6 text, "Ending the stream" of the v4/v5 text.
func (c *checker) checkEnd(fault *codec.Error) error {
	switch {
	case fault == nil:
		return c.checkTrailing()
	case errors.Is(fault, codec.ErrTruncated):
		c.cut = true
		c.checkCut(fault)
	default:
		c.broken(fault)
	}
	return nil
}

// checkTrailing looks at what follows the end mark.
func (c *checker) checkTrailing() error {
	offset := c.r.Offset()
	n, err := c.r.TrailingBytes()
	if n > 0 {
		id := rule.EOS003
		if !c.v6 {
			id = c.rule(rule.EOS005)
		}
		if f := c.foundAs(id, rule.Warning, 0, c.at(offset, -1)); f != nil {
			f.want("the end of the stream", counted(n, "byte"))
		}
	}
	return err
}

// checkCut tells where the stream ends too early. Bytes that look like an end
// mark say that it was not cut: the size of the last block is wrong.
func (c *checker) checkCut(fault *codec.Error) {
	switch {
	case c.src.header == 0 || fault.Offset < c.src.header:
		c.place.Ordinal = -1
		if f := c.found(rule.HDR002, 0, c.at(fault.Offset, -1)); f != nil {
			f.Actual = counted(fault.Offset, "byte")
		}
	case fault.Offset == fault.BlockOffset:
		c.place = Place{Ordinal: c.place.Ordinal + 1, Kind: wire.EndOfStream, Offset: fault.Offset}
		id := c.rule(rule.EOS004)
		if !c.src.objects {
			id = rule.EOS001
		}
		if f := c.found(id, 0, c.at(fault.Offset, -1)); f != nil {
			f.want("an end mark", "the end of the stream, behind a whole block")
		}
	default:
		c.cutInside(fault)
	}
}

func (c *checker) cutInside(fault *codec.Error) {
	if fault.BlockOffset != c.place.Offset || c.place.Ordinal < 0 {
		c.place = Place{Ordinal: c.place.Ordinal + 1, Kind: fault.Block, Offset: fault.BlockOffset}
	}
	inBody := c.b != nil && c.b.Offset == fault.BlockOffset
	id, at := rule.EOS006, fault.Offset
	switch {
	case !inBody && !c.src.objects:
		id, at = rule.BLK001, fault.BlockOffset
	case !inBody:
	case c.src.objects && bytes.HasSuffix(c.src.last, []byte{wire.TagEnd, wire.TagNull}) && c.src.object.size >= 0:
		id, at = c.rule(rule.OBJ008), c.src.object.size
	case !c.src.objects && c.swallows():
		id, at = rule.BLK002, fault.BlockOffset
	}
	missing := ""
	if inBody {
		missing = ", " + counted(c.b.Size-int64(len(c.b.Body)), "byte") + " of its body missing"
	}
	if f := c.found(id, 0, c.at(at, -1)); f != nil {
		f.want("a whole block", fmt.Sprintf("the stream ends at %d%s; the last good offset is %d, %s before the end",
			fault.Offset, missing, fault.BlockOffset, counted(c.r.Count(), "whole event")))
	}
}

// swallows says whether the body of the block in which a stream of v6 ends holds
// the blocks that should follow it, up to the end mark: behind its last row, or
// at least two of them.
func (c *checker) swallows() bool {
	body := c.b.Body
	if c.rest > 0 && chain(body[c.rest:]) > 0 {
		return true
	}
	for i := range body {
		if chain(body[i:]) > 1 {
			return true
		}
	}
	return false
}

// chain counts the blocks that bytes consist of when the last of them, and only
// that, is the end mark; else it is 0.
func chain(b []byte) (n int) {
	for len(b) >= blockHeader {
		head := binary.LittleEndian.Uint32(b)
		kind, size := wire.Kind(head>>24), int(head&(1<<24-1))
		n++
		switch {
		case kind == wire.EndOfStream && size == 0 && len(b) == blockHeader:
			return n
		case kind == wire.EndOfStream, !kind.Known(), size > len(b)-blockHeader:
			return 0
		}
		b = b[blockHeader+size:]
	}
	return 0
}

// broken tells of framing that cannot be followed.
func (c *checker) broken(fault *codec.Error) {
	if c.trace == nil {
		c.place = Place{Ordinal: -1}
		if id, what := c.packaging(); id != rule.None && fault.Rule == rule.HDR001 {
			if f := c.found(id, 0, c.at(0, -1)); f != nil {
				f.Actual = what
			}
			return
		}
	}
	if fault.BlockOffset > 0 && (c.place.Ordinal < 0 || c.place.Offset != fault.BlockOffset) {
		c.place = Place{Ordinal: c.place.Ordinal + 1, Kind: fault.Block, Offset: fault.BlockOffset}
	}
	c.v3 = c.src.objects && c.src.header == int64(len(objectMagic))
	id, offset := c.rule(fault.Rule), fault.Offset
	if fault.Rule == rule.OBJ001 && c.src.object.offset == fault.BlockOffset && c.src.object.first == offset-fault.BlockOffset {
		offset++ // the tag that begins the type is right: it is the next one
	}
	shifted := 0
	if fault.Rule == rule.OBJ011 && !c.v3 {
		if shifted = c.shiftedEnd(); shifted != 0 && c.src.object.size >= 0 {
			id, offset = rule.OBJ009, c.src.object.size+4
		}
	}
	severity := id.Rule().Severity
	if fault.Rule == rule.HDR003 {
		severity = rule.Error
	}
	if fault.Rule == rule.OBJ011 {
		c.dropBlock(c.place.Offset)
	}
	f := c.foundAs(id, severity, 0, c.at(offset, fault.Row))
	if f == nil {
		return
	}
	f.Row = -1
	if f.Actual = fault.Err.Error(); shifted != 0 {
		f.Actual = "the end tag stands " + strconv.Itoa(shifted) + " bytes from where it should"
	}
}

// shiftedEnd looks for the end tag of an object near where it should stand.
func (c *checker) shiftedEnd() int {
	after, body := c.src.object.after, c.b.Body
	begins := func(b []byte) bool {
		return len(b) >= 2 && b[0] == wire.TagEnd && (b[1] == wire.TagBeginPrivate || b[1] == wire.TagNull)
	}
	for n := 1; n <= 3; n++ {
		if n < len(after) && begins(after[n:]) {
			return n
		}
		if n <= len(body) && begins(append(bytes.Clone(body[len(body)-n:]), after...)) {
			return -n
		}
	}
	return 0
}

// packaging knows what wraps a stream that does not begin like one.
func (c *checker) packaging() (rule.ID, string) {
	head := c.src.head
	for _, p := range []struct{ start, what string }{
		{"\x1F\x8B", "a gzip container"}, {"PK\x03\x04", "a zip container"}, {"\x28\xB5\x2F\xFD", "a zstd container"},
		{"\xEF\xBB\xBF", "a UTF-8 byte order mark"}, {"\xFF\xFE", "a UTF-16 byte order mark"},
	} {
		if bytes.HasPrefix(head, []byte(p.start)) {
			return rule.HDR008, p.what
		}
	}
	if at := bytes.Index(head, []byte(magic)); at > 0 {
		return rule.HDR008, counted(int64(at), "byte") + " before the magic"
	}
	return rule.None, ""
}

// counted is a number and what it counts.
func counted(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.FormatInt(n, 10) + " " + what
}
