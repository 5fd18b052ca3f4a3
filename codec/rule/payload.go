package rule

// payloadRules are about the payload of an event compared with the fields of its
// metadata. No framing depends on a payload, and it is made by the program that
// logged it, not by the writer of the stream; so none of these is an error. Those
// with basis Text become one in strict checking, and when a writer is under test.
var payloadRules = [...]Rule{
	{
		ID: PAY001, Name: "NT-PAY-001", Severity: Warning, Basis: Text, Except: Exception{V3, Reader}, Versions: all, Heading: headingEventRows,
		Sentence: "The payload is long enough for every field that its metadata declares.",
		Hint:     "Write all fields, packed and in their order, or declare fewer.",
	},
	{
		ID: PAY002, Name: "NT-PAY-002", Severity: Warning, Basis: Text, Except: Exception{v345, Reader}, Versions: all, Heading: headingEventRows,
		Sentence: "A Boolean takes four bytes in the payload.",
		Hint:     "Write four bytes, or declare Boolean8 (26) in version 6. Self-describing event sources and ICorProfiler write one byte.",
	},
	{
		ID: PAY003, Name: "NT-PAY-003", Severity: Warning, Basis: Plausible, Versions: all, Heading: headingEventRows,
		Sentence: "No bytes are left in the payload after the last declared field.",
		Hint:     "Declare every field that is written. When fields are added to an event, raise its version.",
	},
	{
		ID: PAY004, Name: "NT-PAY-004", Severity: Warning, Also: Information, Basis: Plausible, Versions: all, Heading: headingEventRows,
		Sentence: "An event type that has payload declares fields.",
		Hint:     "Describe the fields in the metadata. Only events whose layout is published, such as those of the .NET runtime, can be read without.",
	},
	{
		ID: PAY005, Name: "NT-PAY-005", Severity: Warning, Basis: Plausible, Versions: all, Heading: headingMetadataBlock,
		Sentence: "The value of a Boolean is 0 or 1.",
		Hint:     "Write 1 for true and clear the other bytes.",
	},
	{
		ID: PAY006, Name: "NT-PAY-006", Severity: Warning, Basis: Text, Except: Exception{V3, Reader}, Versions: all, Heading: headingMetadataBlock,
		Sentence: "UTF-16 text ends with a NUL inside the payload.",
		Hint:     "Write two zero bytes after the text, also after an empty one.",
	},
	{
		ID: PAY007, Name: "NT-PAY-007", Severity: Warning, Basis: Plausible, Versions: all, Heading: headingMetadataBlock,
		Sentence: "Text has no unpaired surrogate and no control character besides tab and line ends.",
		Hint:     "Replace what is not well-formed. Bytes declared as text belong into an Array of Byte.",
	},
	{
		ID: PAY008, Name: "NT-PAY-008", Severity: Warning, Basis: Text, Except: Exception{v345, Reader}, Versions: all, Heading: headingMetadataBlock,
		Sentence: "An array has a count of 16 bits, and as many elements follow.",
		Hint:     "Write the count before the first element, also when it is 0. If the remaining bytes are a multiple of the element's size, the count is missing.",
	},
	{
		ID: PAY009, Name: "NT6-PAY-009", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "An array of UTF8CodeUnit is valid UTF-8.",
		Hint:     "Convert the text, and never truncate it inside a character.",
	},
	{
		ID: PAY010, Name: "NT6-PAY-010", Severity: Warning, Basis: Text, Versions: V6, Heading: headingPrimitives,
		Sentence: "A VarInt or VarUInt takes at most ten bytes and fits 64 bits.",
		Hint:     "Encode as an unsigned 64-bit number, after zig-zag for VarInt.",
	},
	{
		ID: PAY011, Name: "NT6-PAY-011", Severity: Warning, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "The data of a RelLoc is inside the payload; its position counts from the end of the field.",
		Hint:     "Write size << 16 | position with the position counted from the end of the four bytes.",
	},
	{
		ID: PAY012, Name: "NT6-PAY-012", Severity: Warning, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "The data of a DataLoc is inside the payload; its position counts from the payload's start.",
		Hint:     "Write size << 16 | position with the position counted from the first byte of the payload.",
	},
	{
		ID: PAY013, Name: "NT6-PAY-013", Severity: Warning, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "The size in a RelLoc or DataLoc is a multiple of the element's size.",
		Hint:     "Write the size in bytes, not in elements.",
	},
	{
		ID: PAY014, Name: "NT6-PAY-014", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "The data of locators overlaps neither the fixed fields nor that of other locators.",
		Hint:     "Lay the data out after the last field, one after the other; the size is the upper half of the locator.",
	},
	{
		ID: PAY015, Name: "NT-PAY-015", Severity: Warning, Basis: Reader, Versions: all, Heading: headingMetadataBlock,
		Sentence: "A DateTime is a FILETIME of 8 bytes up to the year 9999, or a valid SYSTEMTIME of 16 if the payload is long enough for that.",
		Hint:     "Write 8 bytes, UTC, in units of 100 ns since 1601: all existing readers expect them, although the specification describes 16.",
	},
	{
		ID: PAY016, Name: "NT-PAY-016", Severity: Information, Basis: Fact, Versions: all, Heading: headingMetadataBlock,
		Sentence: "A GUID in the payload is all zeros, or looks byte-swapped.",
		Hint:     "Check the byte order: the first three parts are little-endian.",
	},
	{
		ID: PAY017, Name: "NT-PAY-017", Severity: Warning, Basis: Plausible, Versions: all, Heading: headingEventRows,
		Sentence: "A payload has at most 65,536 bytes.",
		Hint:     "Split the event. The .NET runtime drops longer ones, and counts of arrays have 16 bits.",
	},
	{
		ID: PAY018, Name: "NT-PAY-018", Severity: Information, Basis: Fact, Versions: all, Heading: headingMetadataBlock,
		Sentence: "A floating-point value is infinite or not a number.",
		Hint:     "Nothing need be done. JSON has no form for such values.",
	},
	{
		ID: PAY019, Name: "NT-PAY-019", Severity: Warning, Basis: Plausible, Versions: all, Heading: headingEventRows,
		Sentence: "The payload of an event of a well-known provider has the length and shape published for its version.",
		Hint:     "Follow the published layout, or give the event a version or provider of its own.",
	},
	{
		ID: PAY020, Name: "NT6-PAY-020", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingEventRows,
		Sentence: "The Universal.System events agree: symbols lie in their mappings, ids are known and unique, metadata is valid JSON.",
		Hint:     "Write a mapping before its symbols, each id once, and the end address not below the start.",
	},
	{
		ID: PAY021, Name: "NT-PAY-021", Severity: Warning, Basis: Reader, Versions: all, Heading: headingMetadataBlock,
		Sentence: "A Decimal is not written as an 8-byte floating-point number.",
		Hint:     "Declare Double (14). Self-describing event sources of .NET do otherwise, and TraceEvent garbles the rest of the payload.",
	},
	{
		ID: PAY022, Name: "NT-PAY-022", Severity: Warning, Basis: Reader, Versions: all, Heading: headingMetadataBlock,
		Sentence: "A Byte takes one byte in the payload.",
		Hint:     "Declare Int32 (9) for an enumeration written in four bytes, as manifest event sources of .NET do.",
	},
}
