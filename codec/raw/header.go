package raw

import (
	"bytes"
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

const (
	magic         = "Nettrace"
	serialization = "\x14\x00\x00\x00!FastSerialization.1"
	v6HeaderSize  = len(magic) + 12
)

// readHeader reads the stream header and chooses the framing.
//
// Spec: "Stream header" of the v6 text; "First Bytes", "Stream Header" of the
// v4/v5 text.
func (r *Reader) readHeader() error {
	if r.win.src == nil && r.win.err == nil {
		panic("raw: a zero Reader has no stream: call ResetStream or ResetMemory")
	}
	if !r.win.fill(4) {
		return r.shortHeader()
	}
	if bytes.Equal(r.win.peek(4), []byte(serialization[:4])) {
		return r.readSerialization(wire.TagBegin)
	}
	if err := r.expect(magic, rule.HDR001); err != nil {
		return err
	}
	if !r.win.fill(4) {
		return r.shortHeader()
	}
	switch reserved := binary.LittleEndian.Uint32(r.win.peek(4)); reserved {
	case 0:
		return r.readVersion()
	case uint32(serialization[0]):
		return r.readSerialization(wire.TagBeginPrivate)
	default:
		return r.notNetTrace(rule.HDR005)
	}
}

// readSerialization reads the name of the object framing.
func (r *Reader) readSerialization(begin byte) error {
	r.objects, r.begin = true, begin
	return r.expect(serialization, rule.HDR004)
}

// readVersion reads the version numbers of v6.
func (r *Reader) readVersion() error {
	if !r.win.fill(v6HeaderSize - len(magic)) {
		return r.shortHeader()
	}
	b := r.win.take(v6HeaderSize - len(magic))
	r.format = wire.Format{Major: binary.LittleEndian.Uint32(b[4:]), Minor: binary.LittleEndian.Uint32(b[8:])}
	newest := wire.Format{Major: MaxVersion}
	switch {
	case newest.Before(r.format):
		return &Fault{Rule: rule.HDR006, Offset: 12, Err: &VersionError{"NetTrace", r.format.Major, MinVersion, MaxVersion}}
	case r.format.Before(wire.V6):
		return &Fault{Rule: rule.HDR006, Offset: 12, Err: ErrNotNetTrace}
	}
	return nil
}

// expect consumes the given bytes. A stream that ends before them, and agrees so
// far, is truncated; one that differs is not NetTrace.
func (r *Reader) expect(text string, id rule.ID) error {
	complete := r.win.fill(len(text))
	n := min(len(text), r.win.have())
	if string(r.win.peek(n)) != text[:n] {
		return r.notNetTrace(id)
	}
	if !complete {
		return r.truncatedHeader()
	}
	r.win.take(n)
	return nil
}

// shortHeader is the error for a stream that ends inside its header.
func (r *Reader) shortHeader() error {
	b := r.win.peek(r.win.have())
	at := int(r.win.offset)
	for _, head := range []string{serialization, magic + serialization, magic + "\x00\x00\x00\x00"} {
		if at <= len(head) && (len(b) > len(head)-at || string(b) == head[at:at+len(b)]) {
			return r.truncatedHeader()
		}
	}
	return r.notNetTrace(rule.HDR001)
}

// truncatedHeader is the error for a stream that ends inside its header, so far right.
func (r *Reader) truncatedHeader() error { return r.truncatedBy(rule.HDR002, 0) }

func (r *Reader) notNetTrace(id rule.ID) error {
	if p, ok := CompressionOf(r.win.peek(min(r.win.have(), 4))); ok && r.win.offset == 0 {
		return &Fault{Rule: rule.HDR008, Err: &p}
	}
	return &Fault{Rule: id, Offset: r.win.offset, Err: ErrNotNetTrace}
}
