package layout

import "github.com/nettrace-go/nettrace/codec/rule"

// Header is the row of a field that is in the header of its block, or after the
// last row.
const Header = -1

// Field is a field of a block.
type Field struct {
	// Name is the name of the field in the specification, without spaces. Bytes
	// that have none are called Undefined, Reserved or Padding.
	Name string

	// Part is the name of the structure that the field belongs to: FieldSize is in
	// "FieldDescriptions".
	Part string

	// Row is the row of the block, from 0 on, or Header.
	Row int

	// Depth is the nesting. What a field counts or contains is one level deeper.
	Depth int

	// Pos is the position of the first byte in the body, and Size the number of
	// bytes. The fields of a Group are yielded after it.
	Pos, Size int

	// Encoding is how the value is encoded.
	Encoding Encoding

	// Counts reports that Value is the size of the bytes from From to To, as
	// the field claims.
	Counts bool
	// From and To are positions in the body, also of the text of a String and
	// of UTF16, otherwise 0. To may exceed the body; it is the
	// highest int where an int cannot hold it.
	From, To int

	// Value is the number, sign-extended where it is signed. It is the length of a
	// String, and 0 for GUID, UTF16, Bytes and Group.
	Value uint64
}

// Encoding is how a field is encoded.
type Encoding uint8

// The encodings. Fixed-size numbers are little-endian.
const (
	none      Encoding = iota // of an item without a field
	Uint8                     // 1 byte
	Uint16                    // 2 bytes
	Uint32                    // 4 bytes
	Int32                     // 4 bytes
	Uint64                    // 8 bytes
	VarUint32                 // 1 to 5 bytes
	VarUint64                 // 1 to 10 bytes
	VarInt64                  // 1 to 10 bytes, zig-zag
	GUID                      // 16 bytes
	String                    // a VarUint32 and as many bytes of UTF-8
	UTF16                     // code units and a zero code unit
	Bytes                     // bytes without a structure
	Group                     // bytes whose fields follow
)

var encodingNames = [...]string{
	Uint8: "uint8", Uint16: "uint16", Uint32: "uint32", Int32: "int32", Uint64: "uint64", VarUint32: "varuint32",
	VarUint64: "varuint64", VarInt64: "varint64", GUID: "Guid", String: "string", UTF16: "utf16", Bytes: "bytes", Group: "group",
}

// String returns the name that the specification uses, such as "varuint32".
func (e Encoding) String() string {
	if int(e) < len(encodingNames) {
		return encodingNames[e]
	}
	return ""
}

// Fault is the first place where a body does not have the form of its kind of
// block. The zero value means that there is none.
type Fault struct {
	Rule rule.ID // the broken rule; rule.None if there is no fault
	Name string  // of the field, "" for bytes after the last one
	Row  int     // of the block, or Header
	Pos  int     // position of the field in the body, or where it is missing

	// Ended reports that the body ends inside a field, so that it may have been
	// truncated. Left reports that bytes follow the last field.
	Ended, Left bool
}
