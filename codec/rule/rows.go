package rule

// compressedRules are about event rows with header compression. A reader decodes
// them relative to the row before.
var compressedRules = [...]Rule{
	{
		ID: CMP001, Name: "NT-CMP-001", Severity: Error, Basis: Text, Versions: v456, Heading: headingCompression,
		Sentence: "Every variable-length number ends inside its block.",
		Hint:     "Clear the high bit of the last byte, and do not continue a row in the next block.",
	},
	{
		ID: CMP002, Name: "NT-CMP-002", Severity: Error, Basis: Text, Versions: v456, Heading: headingCompression,
		Sentence: "A 32-bit variable-length number takes at most five bytes and stays below 2^32.",
		Hint:     "Encode the value as an unsigned 32-bit integer. A negative one that is first widened to 64 bits takes ten bytes.",
	},
	{
		ID: CMP003, Name: "NT-CMP-003", Severity: Error, Basis: Text, Versions: v456, Heading: headingCompression,
		Sentence: "A 64-bit variable-length number takes at most ten bytes and stays below 2^64.",
		Hint:     "Encode the value as an unsigned 64-bit integer. Compute differences of timestamps modulo 2^64.",
	},
	{
		ID: CMP004, Name: "NT-CMP-004", Severity: Warning, Basis: Text, Except: Exception{V6, Plausible}, Versions: v456, Heading: headingCompression,
		Sentence: "A variable-length number has no more bytes than it needs.",
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
		Hint:     "Check the payload size: without flag 128 it is the size in the row before.",
	},
	{
		ID: CMP007, Name: "NT-CMP-007", Severity: Error, Basis: Text, Versions: v456, Heading: headingCompression,
		Sentence: "The first compressed row of a block states its metadata id.",
		Hint:     "Set flag 1 on the first row of every block: without it the metadata id is 0.",
	},
	{
		ID: CMP008, Name: "NT-CMP-008", Severity: Information, Basis: Fact, Versions: v456, Heading: headingCompression,
		Sentence: "A row contains a field although its value is the one of the row before.",
		Hint:     "Omit fields that did not change and clear their flags (1, 4, 8, 16, 32 or 128), which makes the file smaller.",
	},
	{
		ID: CMP009, Name: "NT-CMP-009", Severity: Information, Basis: Fact, Versions: v456, Heading: headingCompression,
		Sentence: "A row sets flag 2 although its thread and processor did not change and its sequence number is the next one.",
		Hint:     "Set flag 2 only when one of the three fields differs.",
	},
	{
		ID: CMP011, Name: "NT-CMP-011", Severity: Warning, Basis: Reader, Versions: v456, Heading: headingCompression,
		Sentence: "A timestamp is below 2^63.",
		Hint:     "Check the differences of timestamps, and that the timestamp is initialized: readers use signed numbers.",
	},
	{
		ID: CMP012, Name: "NT-CMP-012", Severity: Error, Basis: Text, Versions: v456, Heading: headingCompression,
		Sentence: "The first row of a block is not relative to the last row of the block before.",
		Hint:     "Reset all fields of the encoder's previous row to 0 when a block begins.",
	},
	{
		ID: CMP013, Name: "NT4-CMP-013", Severity: Information, Basis: Fact, Versions: v45, Heading: headingCompression,
		Sentence: "A row writes an activity id of zeros although the row before has the same.",
		Hint:     "Write flags 16 and 32 only when the id changes.",
	},
	{
		ID: CMP014, Name: "NT4-CMP-014", Severity: Error, Basis: Text, Versions: v45, Heading: headingMetadataBlock45,
		Sentence: "The metadata id of a row of an EventBlock is not 0.",
		Hint:     "Write definitions, which have id 0, into a MetadataBlock, and number them from 1.",
	},
	{
		ID: CMP015, Name: "NT-CMP-015", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingCompression,
		Sentence: "The processor number is below the number of hardware threads, or it is 0xFFFFFFFF for unknown.",
		Hint:     "Write 0xFFFFFFFF if the processor is unknown, and the correct number of hardware threads into the Trace block.",
	},
}

// uncompressedRules are about event rows without header compression.
var uncompressedRules = [...]Rule{
	{
		ID: UNC001, Name: "NT4-UNC-001", Severity: Error, Basis: Text, Versions: v45, Heading: headingUncompressed,
		Sentence: "The EventSize of a row is 76 plus the size of the payload, rounded up to a multiple of 4.",
		Hint:     "Count all bytes after EventSize, with the padding.",
	},
	{
		ID: UNC002, Name: "NT6-UNC-002", Severity: Error, Basis: Text, Versions: V6, Heading: headingUncompressed,
		Sentence: "The EventSize of a row is 48 plus the size of the payload, and no padding follows.",
		Hint:     "Count all bytes after EventSize. Only versions 4 and 5 have padding.",
	},
	{
		ID: UNC003, Name: "NT-UNC-003", Severity: Error, Basis: Text, Versions: v456, Heading: headingUncompressed,
		Sentence: "An uncompressed row fits into the rest of the block.",
		Hint:     "Check EventSize, and that the block is long enough for its last row.",
	},
	{
		ID: UNC004, Name: "NT4-UNC-004", Severity: Warning, Basis: Text, Versions: v45, Heading: headingUncompressed,
		Sentence: "The padding after the payload of an uncompressed row is zeros.",
		Hint:     "Set these bytes, three at most, to zero. They often contain old bytes of the buffer.",
	},
	{
		ID: UNC005, Name: "NT-UNC-005", Severity: Warning, Basis: Reader, Versions: v456, Heading: headingUncompressed,
		Sentence: "The high bit of the metadata id is set on rows that are not sorted and clear on rows that are.",
		Hint:     "Set the bit on unsorted rows and clear it on sorted ones, as the .NET runtime does. Flag 64 of compressed rows has the opposite meaning.",
	},
	{
		ID: UNC006, Name: "NT-UNC-006", Severity: Error, Basis: Text, Versions: v456, Heading: headingUncompressed,
		Sentence: "The low 31 bits of the metadata id of an uncompressed row are not 0.",
		Hint:     "Define metadata for every event, with ids from 1, and write the id into the row.",
	},
	{
		ID: UNC007, Name: "NT4-UNC-007", Severity: Error, Basis: Text, Versions: v45, Heading: headingUncompressed,
		Sentence: "Each uncompressed row starts at a multiple of 4, counted from the start of the file.",
		Hint:     "Align the start of the block's content, and pad each row to a multiple of 4.",
	},
	{
		ID: UNC008, Name: "NT4-UNC-008", Severity: Warning, Basis: Reader, Versions: v45, Heading: headingUncompressed,
		Sentence: "The size of the payload of an uncompressed row is a multiple of 4.",
		Hint:     "Write compressed rows: TraceEvent does not skip the padding and misreads the rest of the block.",
	},
	{
		ID: UNC009, Name: "NT-UNC-009", Severity: Information, Basis: Fact, Versions: v456, Heading: headingEventRows,
		Sentence: "The trace has both compressed and uncompressed event blocks, which is allowed.",
		Hint:     "No change is necessary. Compressed blocks are several times smaller.",
	},
}
