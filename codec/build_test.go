package codec_test

import (
	"encoding/binary"
	"slices"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// bytesOf builds little-endian bytes: integers by their width, strings and
// byte slices as they are.
func bytesOf(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch v := p.(type) {
		case byte:
			b = append(b, v)
		case uint16:
			b = binary.LittleEndian.AppendUint16(b, v)
		case uint32:
			b = binary.LittleEndian.AppendUint32(b, v)
		case uint64:
			b = binary.LittleEndian.AppendUint64(b, v)
		case string:
			b = append(b, v...)
		case []byte:
			b = append(b, v...)
		default:
			panic("bytesOf: no encoding")
		}
	}
	return b
}

// varuint encodes a varuint.
func varuint(v uint64) []byte { return binary.AppendUvarint(nil, v) }

// text encodes a v6 string.
func text(s string) []byte { return bytesOf(varuint(uint64(len(s))), s) }

// utf16z encodes a zero-terminated UTF-16 string.
func utf16z(s string) []byte {
	var b []byte
	for _, u := range append(utf16.Encode([]rune(s)), 0) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}

// syncTime is 2026-11-21T02:00:14.171Z, a Saturday.
var syncTime = bytesOf(uint16(2026), uint16(11), uint16(6), uint16(21), uint16(2), uint16(0), uint16(14), uint16(171))

// sized puts a 16-bit size before its parts.
func sized(parts ...any) []byte {
	b := bytesOf(parts...)
	return bytesOf(uint16(len(b)), b)
}

// eventBlock puts the header of an event block before rows.
func eventBlock(flags uint16, rows ...[]byte) []byte {
	b := bytesOf(uint16(20), flags, uint64(0), uint64(0))
	for _, row := range rows {
		b = append(b, row...)
	}
	return b
}

// streamV6 builds a v6 stream.
type streamV6 struct{ b []byte }

func newV6(properties ...string) *streamV6 {
	s := &streamV6{bytesOf("Nettrace", uint32(0), uint32(6), uint32(0))}
	body := bytesOf(syncTime, uint64(1000), uint64(1e9), uint32(8), uint32(len(properties)/2))
	for _, p := range properties {
		body = append(body, text(p)...)
	}
	return s.block(wire.KindTrace, body)
}

func (s *streamV6) block(kind wire.Kind, parts ...any) *streamV6 {
	body := bytesOf(parts...)
	s.b = append(s.b, bytesOf(uint32(len(body))|uint32(kind)<<24, body)...)
	return s
}

// metadata defines a type of event without fields; optional is its optional
// part.
func (s *streamV6) metadata(id uint64, name string, optional ...any) *streamV6 {
	return s.metadataRow(varuint(id), text("Provider"), varuint(7), text(name), uint16(0), sized(optional...))
}

// metadataRow adds a metadata block of one row.
func (s *streamV6) metadataRow(parts ...any) *streamV6 {
	return s.block(wire.KindMetadata, uint16(0), sized(parts...))
}

func (s *streamV6) thread(index, process, thread uint64) *streamV6 {
	return s.block(wire.KindThread, sized(varuint(index), byte(wire.ThreadOSProcessID), varuint(process), byte(wire.ThreadOSThreadID), varuint(thread)))
}

func (s *streamV6) end() []byte { return s.block(wire.KindEndOfStream).b }

// rowV6 is an uncompressed v6 row.
func rowV6(metadata, sequence uint32, thread, capture uint64, stack uint32, ts uint64, labels uint32, payload string) []byte {
	return bytesOf(uint32(48+len(payload)), metadata, sequence, thread, capture, uint32(wire.UnknownProcessor), stack, ts, labels, uint32(len(payload)), payload)
}

// streamV4 builds a v4 stream.
type streamV4 struct{ b []byte }

func newV4(version, minReader uint32) *streamV4 {
	s := &streamV4{bytesOf("Nettrace", uint32(20), "!FastSerialization.1")}
	s.object("Trace", version, minReader, bytesOf(syncTime, uint64(1000), uint64(1e9), uint32(8), uint32(3371), uint32(2), uint32(1000000)))
	return s
}

func (s *streamV4) object(name string, version, minReader uint32, body []byte) {
	s.b = append(s.b, bytesOf(byte(5), byte(5), byte(1), version, minReader, uint32(len(name)), name, byte(6), body, byte(6))...)
}

func (s *streamV4) block(name string, body []byte) *streamV4 {
	return s.blockVersion(name, 2, 2, body)
}

func (s *streamV4) blockVersion(name string, version, minReader uint32, body []byte) *streamV4 {
	at := len(s.b) + 3 + 12 + len(name) + 1 + 4
	s.object(name, version, minReader, bytesOf(uint32(len(body)), make([]byte, -at&3), body))
	return s
}

// metadata defines a type of event; fields are the bytes after the level.
func (s *streamV4) metadata(id uint32, name string, fields ...any) *streamV4 {
	d := bytesOf(id, utf16z("Provider"), uint32(7), utf16z(name), uint64(0xF), uint32(1), uint32(4), bytesOf(fields...))
	row := bytesOf(byte(wire.RowSorted|wire.RowPayloadSize), byte(1), varuint(uint64(len(d))), d)
	return s.block("MetadataBlock", eventBlock(1, row))
}

func (s *streamV4) end() []byte { return append(slices.Clip(s.b), 1) }

// rowV4 is an uncompressed v4 row with pad bytes after it, of which EventSize
// includes counted.
func rowV4(metadata, sequence uint32, ts uint64, payload string, pad, counted int) []byte {
	return bytesOf(uint32(76+len(payload)+counted), metadata, sequence, uint64(11), uint64(11), uint32(0), uint32(0), ts,
		make([]byte, 32), uint32(len(payload)), payload, make([]byte, pad))
}
