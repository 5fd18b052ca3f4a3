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
		Hint:     "Write the complete header before the first block. A shorter file usually means that the writer never flushed its buffer.",
	},
	{
		ID: HDR003, Name: "NT-HDR-003", Severity: Error, Also: Information, Basis: Text, Versions: all, Heading: headingMagic,
		Sentence: "A stream that begins with the FastSerialization header and not with the magic is NetPerf, version 3.",
		Hint:     "Record in the nettrace format. Version 3 is checked by the rules of group NP; readers refuse versions 1 and 2, which were never released.",
	},
	{
		ID: HDR004, Name: "NT4-HDR-004", Severity: Error, Basis: Text, Versions: v45, Heading: headingStreamHeader45,
		Sentence: "The magic is followed by the length 20 as a 32-bit integer and by the text \"!FastSerialization.1\".",
		Hint:     "Write 14 00 00 00 and the 20 characters, without a terminator.",
	},
	{
		ID: HDR005, Name: "NT6-HDR-005", Severity: Error, Basis: Text, Versions: V6, Heading: headingMagic,
		Sentence: "The Reserved field after the magic is 0.",
		Hint:     "Write four zero bytes. Readers take the value 20 for the header of version 4; no version has another value.",
	},
	{
		ID: HDR006, Name: "NT6-HDR-006", Severity: Error, Basis: Text, Versions: V6, Heading: headingMagic,
		Sentence: "MajorVersion is 6, because lower versions have another header and readers refuse higher ones.",
		Hint:     "Write 6.",
	},
	{
		ID: HDR007, Name: "NT6-HDR-007", Severity: Information, Basis: Fact, Versions: V6, Heading: headingMagic,
		Sentence: "MinorVersion is not 0, so the stream may have additions that these rules do not cover.",
		Hint:     "Write 0 unless the stream has additions that older readers can skip.",
	},
	{
		ID: HDR008, Name: "NT-HDR-008", Severity: Error, Basis: Reader, Versions: all, Heading: headingMagic,
		Sentence: "No byte order mark or other byte precedes the magic, and the stream is not inside a gzip, zip or zstd container.",
		Hint:     "Decompress the file before you read it. In the writer, open the output in binary mode and write from its start.",
	},
}
