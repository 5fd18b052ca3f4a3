package rule

// payloadRules are about the payload of an event compared with the fields of its
// metadata. No framing depends on a payload, and it is made by the program that
// logged it, not by the writer of the stream; so none of these is an error. Those
// with basis Text become one in strict checking, and when a writer is under test.
var payloadRules = [...]Rule{
	{
		ID: PAY001, Name: "NT-PAY-001", Severity: Warning, Basis: Text, Except: Exception{V3, Reader}, Versions: all, Heading: headingEventRows,
		Sentence: "The payload is long enough for all fields that its metadata declares.",
		Hint:     "Write all fields without padding and in their order, or declare fewer.",
	},
	{
		ID: PAY002, Name: "NT-PAY-002", Severity: Warning, Basis: Text, Except: Exception{v345, Reader}, Versions: all, Heading: headingEventRows,
		Sentence: "A Boolean takes four bytes in the payload.",
		Hint:     "Write four bytes, or declare Boolean8 (26) in version 6. Self-describing event sources and ICorProfiler write one byte.",
	},
	{
		ID: PAY003, Name: "NT-PAY-003", Severity: Warning, Basis: Plausible, Versions: all, Heading: headingEventRows,
		Sentence: "The payload ends after the last declared field.",
		Hint:     "Declare all fields. When you add a field to an event, increase the event's version.",
	},
	{
		ID: PAY004, Name: "NT-PAY-004", Severity: Warning, Also: Information, Basis: Plausible, Versions: all, Heading: headingEventRows,
		Sentence: "An event with a payload declares fields.",
		Hint:     "Declare the fields in the metadata. Without them, readers can decode only events with a published layout, such as those of the .NET runtime.",
	},
	{
		ID: PAY005, Name: "NT-PAY-005", Severity: Warning, Basis: Plausible, Versions: all, Heading: headingMetadataBlock,
		Sentence: "The value of a Boolean is 0 or 1.",
		Hint:     "Write 1 for true, and set the other bytes to zero.",
	},
	{
		ID: PAY006, Name: "NT-PAY-006", Severity: Warning, Basis: Text, Except: Exception{V3, Reader}, Versions: all, Heading: headingMetadataBlock,
		Sentence: "UTF-16 text ends with a NUL inside the payload.",
		Hint:     "Write two zero bytes after the text, also after an empty one.",
	},
	{
		ID: PAY007, Name: "NT-PAY-007", Severity: Warning, Basis: Plausible, Versions: all, Heading: headingMetadataBlock,
		Sentence: "Text has no unpaired surrogate and no control character except tab and line ends.",
		Hint:     "Replace invalid characters. Declare bytes as an Array of Byte, not as text.",
	},
	{
		ID: PAY008, Name: "NT-PAY-008", Severity: Warning, Basis: Text, Except: Exception{v345, Reader}, Versions: all, Heading: headingMetadataBlock,
		Sentence: "An array has a count of 16 bits and as many elements.",
		Hint:     "Write the count before the first element, also a count of 0.",
	},
	{
		ID: PAY009, Name: "NT6-PAY-009", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "An array of UTF8CodeUnit is valid UTF-8.",
		Hint:     "Convert the text, and do not truncate it inside a character.",
	},
	{
		ID: PAY010, Name: "NT6-PAY-010", Severity: Warning, Basis: Text, Versions: V6, Heading: headingPrimitives,
		Sentence: "A VarInt or VarUInt takes at most ten bytes and fits 64 bits.",
		Hint:     "Encode it as an unsigned 64-bit number, after zig-zag for VarInt.",
	},
	{
		ID: PAY011, Name: "NT6-PAY-011", Severity: Warning, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "The data of a RelLoc is inside the payload; its position counts from the end of the field.",
		Hint:     "Write size << 16 | position. Position 0 is the byte after the four bytes of the field.",
	},
	{
		ID: PAY012, Name: "NT6-PAY-012", Severity: Warning, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "The data of a DataLoc is inside the payload; its position counts from the start of the payload.",
		Hint:     "Write size << 16 | position. Position 0 is the first byte of the payload.",
	},
	{
		ID: PAY013, Name: "NT6-PAY-013", Severity: Warning, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "The size in a RelLoc or DataLoc is a multiple of the element's size.",
		Hint:     "Write the size in bytes, not in elements.",
	},
	{
		ID: PAY014, Name: "NT6-PAY-014", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "The data of a locator overlaps neither the fixed fields nor the data of another locator.",
		Hint:     "Write the data after the last field, one after the other. The upper half of a locator is the size.",
	},
	{
		ID: PAY015, Name: "NT-PAY-015", Severity: Warning, Basis: Reader, Versions: all, Heading: headingMetadataBlock,
		Sentence: "A DateTime is a FILETIME of 8 bytes up to the year 9999, or a valid SYSTEMTIME of 16 bytes.",
		Hint:     "Write 8 bytes: units of 100 ns since 1601, in UTC. All readers in use expect them, although the text describes 16 bytes.",
	},
	{
		ID: PAY016, Name: "NT-PAY-016", Severity: Information, Basis: Fact, Versions: all, Heading: headingMetadataBlock,
		Sentence: "A GUID in the payload is zero, or its bytes seem to be swapped.",
		Hint:     "Check the byte order: the first three parts are little-endian.",
	},
	{
		ID: PAY017, Name: "NT-PAY-017", Severity: Warning, Basis: Plausible, Versions: all, Heading: headingEventRows,
		Sentence: "A payload has at most 65,536 bytes.",
		Hint:     "Split the event. The .NET runtime drops longer ones, and the count of an array has 16 bits.",
	},
	{
		ID: PAY018, Name: "NT-PAY-018", Severity: Information, Basis: Fact, Versions: all, Heading: headingMetadataBlock,
		Sentence: "A floating-point value is infinite or not a number.",
		Hint:     "No change is necessary. JSON cannot express such values.",
	},
	{
		ID: PAY019, Name: "NT-PAY-019", Severity: Warning, Basis: Plausible, Versions: all, Heading: headingEventRows,
		Sentence: "The payload of an event of a well-known provider has the layout published for its version.",
		Hint:     "Use the published layout, or give the event another version or provider.",
	},
	{
		ID: PAY020, Name: "NT6-PAY-020", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingEventRows,
		Sentence: "The Universal.System events are consistent: symbols are in their mappings, ids are known and unique, metadata is valid JSON.",
		Hint:     "Write a mapping before its symbols, each id once, and an end address that is not below the start address.",
	},
	{
		ID: PAY021, Name: "NT-PAY-021", Severity: Warning, Basis: Reader, Versions: all, Heading: headingMetadataBlock,
		Sentence: "A Decimal is not written as an 8-byte floating-point number.",
		Hint:     "Declare Double (14). Self-describing event sources of .NET declare Decimal, and TraceEvent misreads the rest of the payload.",
	},
	{
		ID: PAY022, Name: "NT-PAY-022", Severity: Warning, Basis: Reader, Versions: all, Heading: headingMetadataBlock,
		Sentence: "A Byte takes one byte in the payload.",
		Hint:     "Declare Int32 (9) for an enumeration of four bytes. Manifest event sources of .NET declare Byte.",
	},
}
