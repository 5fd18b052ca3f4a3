package rule

// headerRules are about the first bytes of a stream. The rules that
// distinguish the versions apply to every version.
var headerRules = [...]Rule{
	{
		ID: HDR001, Name: "NT-HDR-001", Severity: Error, Basis: Text, Versions: v456, Heading: headingMagic,
		Sentence: "The first eight bytes of the stream are \"Nettrace\" in ASCII.",
		Hint:     "Write the eight bytes once, with a capital N only, before anything else.",
	},
	{
		ID: HDR002, Name: "NT-HDR-002", Severity: Error, Basis: Text, Except: Exception{V3, Reader}, Versions: all, Heading: headingMagic,
		Sentence: "The stream is long enough for its header: 20 bytes in version 6, 32 in versions 4 and 5, 24 in NetPerf.",
		Hint:     "Write the header as one piece before the first block. A shorter file usually means that nothing after it was flushed.",
	},
	{
		ID: HDR003, Name: "NT-HDR-003", Severity: Error, Also: Information, Basis: Text, Versions: all, Heading: headingMagic,
		Sentence: "A stream that begins with the FastSerialization header instead of the magic is NetPerf; its Trace object has version 3.",
		Hint:     "Versions 1 and 2 were never released and are refused; the rules of group NP apply to version 3. Have the target record in the nettrace format.",
	},
	{
		ID: HDR004, Name: "NT4-HDR-004", Severity: Error, Basis: Text, Versions: v45, Heading: headingStreamHeader45,
		Sentence: "After the magic come the length 20 as a 32-bit integer and the text \"!FastSerialization.1\".",
		Hint:     "Write 14 00 00 00 and the 20 characters, without a terminator.",
	},
	{
		ID: HDR005, Name: "NT6-HDR-005", Severity: Error, Basis: Text, Versions: V6, Heading: headingMagic,
		Sentence: "The Reserved field after the magic is 0.",
		Hint:     "Write four zero bytes. Readers take the value 20 for the string length of an older version; any other value belongs to no known version.",
	},
	{
		ID: HDR006, Name: "NT6-HDR-006", Severity: Error, Basis: Text, Versions: V6, Heading: headingMagic,
		Sentence: "MajorVersion is 6: a lower value has another header, and a higher one needs a later reader.",
		Hint:     "Write 6. Versions up to 5 have another header; with a higher number all existing readers refuse the file.",
	},
	{
		ID: HDR007, Name: "NT6-HDR-007", Severity: Information, Basis: Fact, Versions: V6, Heading: headingMagic,
		Sentence: "MinorVersion is not 0, so the stream may have additions that this catalogue does not have.",
		Hint:     "Keep 0 unless the additions are ones that older readers can skip.",
	},
	{
		ID: HDR008, Name: "NT-HDR-008", Severity: Error, Basis: Reader, Versions: all, Heading: headingMagic,
		Sentence: "Nothing precedes or wraps the stream: no byte order mark, no other bytes before the magic, no gzip, zip or zstd container.",
		Hint:     "Unpack the file before reading it; open the output in binary mode and at its start.",
	},
}
