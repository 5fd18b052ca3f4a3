package check

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// headerState is the state of the end of the stream.
type headerState struct {
	cut bool // the stream ends before its end mark
}

// rule is the rule that a fault breaks in a stream of this version.
func (c *checker) rule(id rule.ID) rule.ID {
	if !c.format.HasSpecification() {
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

// checkEnd reports how the stream ended: by its end mark, truncated, or in
// malformed framing.
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

// checkTrailing checks the bytes after the end mark.
func (c *checker) checkTrailing() error {
	offset := c.r.Offset()
	n, err := c.r.TrailingBytes()
	if n > 0 {
		id := rule.EOS003
		if c.format.HasObjects() {
			id = c.rule(rule.EOS005)
		}
		if f := c.foundAs(id, rule.Warning, 0, c.at(offset, -1)); f != nil {
			f.want("the end of the stream", counted(n, "byte"))
		}
	}
	return err
}

// checkCut reports where the stream ends too early.
func (c *checker) checkCut(fault *codec.Error) {
	id := c.rule(fault.Rule)
	switch {
	case fault.Rule == rule.HDR002:
		c.place.Ordinal = -1
		if f := c.found(id, 0, c.at(fault.Offset, -1)); f != nil {
			f.Actual = counted(fault.Offset, "byte")
		}
	case fault.Offset == fault.BlockOffset:
		c.place = Place{Ordinal: c.place.Ordinal + 1, Kind: wire.KindEndOfStream, Offset: fault.Offset}
		if f := c.found(id, 0, c.at(fault.Offset, -1)); f != nil {
			f.want("an end mark", "the end of the stream, after a complete block")
		}
	default:
		c.cutInside(id, fault)
	}
}

func (c *checker) cutInside(id rule.ID, fault *codec.Error) {
	if fault.BlockOffset != c.place.Offset || c.place.Ordinal < 0 {
		c.place = Place{Ordinal: c.place.Ordinal + 1, Kind: fault.Block, Offset: fault.BlockOffset}
	}
	inBody := c.b != nil && c.b.Offset == fault.BlockOffset
	at := fault.Offset
	switch fault.Rule {
	case rule.BLK001, rule.BLK002:
		at = fault.BlockOffset
	case rule.OBJ008, rule.NP003:
		if c.src.object.size >= 0 {
			at = c.src.object.size
		}
	}
	missing := ""
	if inBody {
		missing = ", " + counted(c.b.Size-int64(len(c.b.Body)), "byte") + " of its body missing"
	}
	if f := c.found(id, 0, c.at(at, -1)); f != nil {
		f.want("a complete block", fmt.Sprintf("the stream ends at %d%s; the last good offset is %d, %s before the end",
			fault.Offset, missing, fault.BlockOffset, counted(c.r.Count(), "complete event")))
	}
}

// broken reports malformed framing.
func (c *checker) broken(fault *codec.Error) {
	if c.trace == nil {
		c.place = Place{Ordinal: -1}
		if at := bytes.Index(c.src.head, []byte(magic)); at > 0 && fault.Rule == rule.HDR001 {
			if f := c.found(fault.Rule, 0, c.at(0, -1)); f != nil {
				f.Actual = counted(int64(at), "byte") + " before the magic"
			}
			return
		}
	}
	if fault.BlockOffset > 0 && (c.place.Ordinal < 0 || c.place.Offset != fault.BlockOffset) {
		c.place = Place{Ordinal: c.place.Ordinal + 1, Kind: fault.Block, Offset: fault.BlockOffset}
	}
	if c.src.objects && c.src.header == int64(len(objectMagic)) {
		c.format = wire.V3
	}
	id, offset := c.rule(fault.Rule), fault.Offset
	if at := c.src.object.first; at > 0 && (fault.Rule == rule.OBJ001 || fault.Rule == rule.NP001) && c.src.object.offset == fault.BlockOffset && at == offset-fault.BlockOffset {
		offset++ // the tag that begins the type is right: it is the next one
	}
	severity := id.Rule().Severity
	if fault.Rule == rule.HDR003 {
		severity = rule.Error
	}
	if c.b != nil && c.b.Offset == fault.BlockOffset { // the byte after its body is no end tag
		c.dropBlock(c.place.Offset)
	}
	f := c.foundAs(id, severity, 0, c.at(offset, fault.Row))
	if f == nil {
		return
	}
	f.Row = -1
	f.Actual = fault.Err.Error()
}

// counted formats a number and its unit.
func counted(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.FormatInt(n, 10) + " " + what
}
