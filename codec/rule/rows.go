package rule

// compressedRules are about event rows with header compression, where a row is
// decoded as a difference from the row before.
var compressedRules = [...]Rule{
	{
		ID: CMP001, Name: "NT-CMP-001", Severity: Error, Basis: Text, Versions: v456, Heading: headingCompression,
		Sentence: "Every variable-length number ends inside its block.",
		Hint:     "Clear the high bit of the last byte, and never continue a row in the next block.",
	},
	{
		ID: CMP002, Name: "NT-CMP-002", Severity: Error, Basis: Text, Versions: v456, Heading: headingCompression,
		Sentence: "A 32-bit variable-length number takes at most five bytes and stays below 2^32.",
		Hint:     "Encode the value as an unsigned 32-bit integer; a negative one that was widened first takes ten bytes.",
	},
	{
		ID: CMP003, Name: "NT-CMP-003", Severity: Error, Basis: Text, Versions: v456, Heading: headingCompression,
		Sentence: "A 64-bit variable-length number takes at most ten bytes and stays below 2^64.",
		Hint:     "Encode the value as an unsigned 64-bit integer; differences of timestamps wrap.",
	},
	{
		ID: CMP004, Name: "NT-CMP-004", Severity: Warning, Basis: Text, Except: Exception{V6, Plausible}, Versions: v456, Heading: headingCompression,
		Sentence: "A variable-length number has no superfluous zero bytes at its end.",
		Hint:     "Stop as soon as all remaining bits are zero.",
	},
	{
		ID: CMP005, Name: "NT6-CMP-005", Severity: Error, Basis: Text, Versions: V6, Heading: headingCompression,
		Sentence: "Flag 32 is not set in a compressed row of version 6, which has no RelatedActivityId.",
		Hint:     "Put the related activity into a label list and refer to it with flag 16.",
	},
	{
		ID: CMP006, Name: "NT-CMP-006", Severity: Error, Basis: Text, Versions: v456, Heading: headingCompression,
		Sentence: "The payload of a compressed row fits into the rest of the block.",
		Hint:     "Check the payload size: without flag 128 it is that of the row before.",
	},
	{
		ID: CMP007, Name: "NT-CMP-007", Severity: Error, Basis: Text, Versions: v456, Heading: headingCompression,
		Sentence: "The first compressed row of a block states its metadata id.",
		Hint:     "Set flag 1 on the first row of every block: the id before it counts as 0.",
	},
	{
		ID: CMP008, Name: "NT-CMP-008", Severity: Information, Basis: Fact, Versions: v456, Heading: headingCompression,
		Sentence: "A row repeats a field although its value is that of the row before.",
		Hint:     "Leave out what did not change and clear its flag (1, 4, 8, 16, 32 or 128): the file shrinks.",
	},
	{
		ID: CMP009, Name: "NT-CMP-009", Severity: Information, Basis: Fact, Versions: v456, Heading: headingCompression,
		Sentence: "A row sets flag 2 although thread and processor are the same and the sequence number is the next.",
		Hint:     "Set flag 2 only when one of the three cannot be derived.",
	},
	{
		ID: CMP011, Name: "NT-CMP-011", Severity: Warning, Basis: Reader, Versions: v456, Heading: headingCompression,
		Sentence: "A timestamp stays below 2^63.",
		Hint:     "Readers hold times as signed numbers. A huge sum usually means a wrong difference or an uninitialised field.",
	},
	{
		ID: CMP012, Name: "NT-CMP-012", Severity: Error, Basis: Text, Versions: v456, Heading: headingCompression,
		Sentence: "The first row of a block does not depend on the last row of the block before.",
		Hint:     "Reset every field of the encoder's previous row to 0 when a block begins.",
	},
	{
		ID: CMP013, Name: "NT4-CMP-013", Severity: Information, Basis: Fact, Versions: v45, Heading: headingCompression,
		Sentence: "A row of version 4 or 5 repeats an activity id of zeros.",
		Hint:     "Write flags 16 and 32 only when the id changes.",
	},
	{
		ID: CMP014, Name: "NT4-CMP-014", Severity: Error, Basis: Text, Versions: v45, Heading: headingMetadataBlock45,
		Sentence: "A row of an EventBlock has a metadata id other than 0.",
		Hint:     "Id 0 marks definitions, which belong into a MetadataBlock; number the definitions from 1.",
	},
	{
		ID: CMP015, Name: "NT-CMP-015", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingCompression,
		Sentence: "The processor number is below the number of hardware threads, or 0xFFFFFFFF for unknown.",
		Hint:     "Write 0xFFFFFFFF if the processor is not known, and the true count in the Trace block.",
	},
}

// uncompressedRules are about event rows whose fields all have their full width.
var uncompressedRules = [...]Rule{
	{
		ID: UNC001, Name: "NT4-UNC-001", Severity: Error, Basis: Text, Versions: v45, Heading: headingUncompressed,
		Sentence: "The EventSize of a row is 76 plus the payload, rounded up to a multiple of 4.",
		Hint:     "Count everything after EventSize itself, padding included.",
	},
	{
		ID: UNC002, Name: "NT6-UNC-002", Severity: Error, Basis: Text, Versions: V6, Heading: headingUncompressed,
		Sentence: "The EventSize of a row is 48 plus the payload, and no padding follows.",
		Hint:     "Count everything after EventSize itself. Only versions 4 and 5 pad.",
	},
	{
		ID: UNC003, Name: "NT-UNC-003", Severity: Error, Basis: Text, Versions: v456, Heading: headingUncompressed,
		Sentence: "An uncompressed row fits into the rest of the block.",
		Hint:     "Check EventSize, and that the block is long enough for its last row.",
	},
	{
		ID: UNC004, Name: "NT4-UNC-004", Severity: Warning, Basis: Text, Versions: v45, Heading: headingUncompressed,
		Sentence: "The padding after the payload of an uncompressed row consists of zeros.",
		Hint:     "Clear the up to three bytes instead of leaving old buffer content there.",
	},
	{
		ID: UNC005, Name: "NT-UNC-005", Severity: Warning, Basis: Reader, Versions: v456, Heading: headingUncompressed,
		Sentence: "The high bit of the metadata id is set on rows that are not sorted: it is clear only on rows that are sorted, and not set on every row.",
		Hint:     "Set the bit on unsorted rows and clear it on sorted ones, contrary to flag 64 of compressed rows: the .NET runtime and its readers use it so.",
	},
	{
		ID: UNC006, Name: "NT-UNC-006", Severity: Error, Basis: Text, Versions: v456, Heading: headingUncompressed,
		Sentence: "The low 31 bits of the metadata id of an uncompressed row are not 0.",
		Hint:     "Give every event a definition, numbered from 1, and write its id.",
	},
	{
		ID: UNC007, Name: "NT4-UNC-007", Severity: Error, Basis: Text, Versions: v45, Heading: headingUncompressed,
		Sentence: "Each uncompressed row starts at a multiple of 4, counted from the start of the file.",
		Hint:     "Align the start of the block's content and pad each row to a multiple of 4.",
	},
	{
		ID: UNC008, Name: "NT4-UNC-008", Severity: Warning, Basis: Reader, Versions: v45, Heading: headingUncompressed,
		Sentence: "The payload of an uncompressed row is a multiple of 4 bytes long.",
		Hint:     "Write such blocks with header compression: TraceEvent does not skip the padding, and reads the rest of the block wrongly.",
	},
	{
		ID: UNC009, Name: "NT-UNC-009", Severity: Information, Basis: Fact, Versions: v456, Heading: headingEventRows,
		Sentence: "The trace has both compressed and uncompressed event blocks, which is allowed.",
		Hint:     "Nothing need be done. Compressed blocks are several times smaller.",
	},
}
