package wire

import "strconv"

// TypeCode is the encoding of a payload field.
//
// Spec: "TypeCode" of the v6 text; 15 (Decimal) and 26 (Boolean8) are not in
// it, but real writers and the reference reader use them.
type TypeCode uint8

// The type codes, with the width of their encoding.
const (
	Object                    TypeCode = 1  // its fields, one after another
	Boolean                   TypeCode = 3  // 4 bytes
	UTF16CodeUnit             TypeCode = 4  // 2 bytes
	SByte                     TypeCode = 5  // 1 byte
	Byte                      TypeCode = 6  // 1 byte
	Int16                     TypeCode = 7  // 2 bytes
	UInt16                    TypeCode = 8  // 2 bytes
	Int32                     TypeCode = 9  // 4 bytes
	UInt32                    TypeCode = 10 // 4 bytes
	Int64                     TypeCode = 11 // 8 bytes
	UInt64                    TypeCode = 12 // 8 bytes
	Single                    TypeCode = 13 // 4 bytes
	Double                    TypeCode = 14 // 8 bytes
	Decimal                   TypeCode = 15 // 16 bytes by .NET, 8 as runtimes write it
	DateTime                  TypeCode = 16 // 8 bytes FILETIME as written, 16 by the text
	GUIDCode                  TypeCode = 17 // 16 bytes
	NullTerminatedUTF16String TypeCode = 18 // code units to a zero one
	Array                     TypeCode = 19 // 2-byte count, then the elements
	VarInt                    TypeCode = 20 // zig-zag, 1 to 10 bytes
	VarUInt                   TypeCode = 21 // 1 to 10 bytes
	FixedLengthArray          TypeCode = 22 // the elements; their number is in the metadata
	UTF8CodeUnit              TypeCode = 23 // 1 byte
	RelLoc                    TypeCode = 24 // 4 bytes: size, and position relative to the end of this field
	DataLoc                   TypeCode = 25 // 4 bytes: size and position in the payload
	Boolean8                  TypeCode = 26 // 1 byte
)

// Codes that are not in the format. They are for the schemas of known events,
// and for what a recognized writer means by another code.
const (
	Pointer                  TypeCode = 128 // 4 or 8 bytes, by the trace's pointer size
	NullTerminatedUTF8String TypeCode = 129 // bytes to a zero one
	CountedUTF8String        TypeCode = 130 // 2-byte length, then the bytes
	SystemTimeCode           TypeCode = 131 // 16 bytes: a DateTime as the v6 text has it
)

// typeRow has the name of a type code and the size of a value in bytes (0: not
// fixed by the code alone).
type typeRow struct {
	name string
	size int
}

var typeRows = [...]typeRow{
	Object: {"Object", 0}, Boolean: {"Boolean", 4}, UTF16CodeUnit: {"UTF16CodeUnit", 2},
	SByte: {"SByte", 1}, Byte: {"Byte", 1}, Int16: {"Int16", 2}, UInt16: {"UInt16", 2},
	Int32: {"Int32", 4}, UInt32: {"UInt32", 4}, Int64: {"Int64", 8}, UInt64: {"UInt64", 8},
	Single: {"Single", 4}, Double: {"Double", 8}, Decimal: {"Decimal(15)", 16},
	DateTime: {"DateTime", 8}, GUIDCode: {"Guid", 16},
	NullTerminatedUTF16String: {"NullTerminatedUTF16String", 0}, Array: {"Array", 0},
	VarInt: {"VarInt", 0}, VarUInt: {"VarUInt", 0}, FixedLengthArray: {"FixedLengthArray", 0},
	UTF8CodeUnit: {"UTF8CodeUnit", 1}, RelLoc: {"RelLoc", 4}, DataLoc: {"DataLoc", 4},
	Boolean8: {"Boolean8", 1},

	Pointer: {"Pointer", 0}, NullTerminatedUTF8String: {"NullTerminatedUTF8String", 0},
	CountedUTF8String: {"CountedUTF8String", 0}, SystemTimeCode: {"DateTime", 16},
}

// InStream reports whether a stream may contain the code.
func (c TypeCode) InStream() bool { return c.Known() && c < Pointer }

// Known reports whether the code is one of the constants.
func (c TypeCode) Known() bool { return int(c) < len(typeRows) && typeRows[c].name != "" }

// Size returns the number of bytes of one value, or 0 if it depends on more
// than the code.
func (c TypeCode) Size() int {
	if !c.Known() {
		return 0
	}
	return typeRows[c].size
}

// HasElement reports whether an element type follows the code.
func (c TypeCode) HasElement() bool {
	return c == Array || c == FixedLengthArray || c == RelLoc || c == DataLoc
}

// String returns the specification's name, or "Type(n)".
func (c TypeCode) String() string {
	if c.Known() {
		return typeRows[c].name
	}
	return "Type(" + strconv.Itoa(int(c)) + ")"
}
