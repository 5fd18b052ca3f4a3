package rule

// framingRules are about the framing of the blocks of version 6, and
// about the size of event blocks.
var framingRules = [...]Rule{
	{
		ID: BLK001, Name: "NT6-BLK-001", Severity: Error, Basis: Text, Versions: V6, Heading: headingBlocks,
		Sentence: "Each block starts with a header of four bytes.",
		Hint:     "End the file with the four zero bytes of an EndOfStream block, and do not truncate it.",
	},
	{
		ID: BLK002, Name: "NT6-BLK-002", Severity: Error, Basis: Text, Versions: V6, Heading: headingBlocks,
		Sentence: "The stream holds as many bytes after a block header as BlockSize announces.",
		Hint:     "Compute BlockSize from the finished body. If the file was truncated, the block before this one is the last complete one.",
	},
	{
		ID: BLK003, Name: "NT6-BLK-003", Severity: Information, Basis: Fact, Versions: V6, Heading: headingBlocks,
		Sentence: "A block has a kind above 8, which readers skip.",
		Hint:     "Leave it if it is a private or later extension. If not, the block before it has the wrong size.",
	},
	{
		ID: BLK004, Name: "NT6-BLK-004", Severity: Error, Also: Warning, Basis: Text, Versions: V6, Heading: headingBlocks,
		Sentence: "BlockSize is the length of the body: the size of a body that does not fit 24 bits must not change the kind byte.",
		Hint:     "Close a block long before it reaches 16,777,216 bytes and start the next; check the size before it is combined with the kind.",
	},
	{
		ID: BLK005, Name: "NT6-BLK-005", Severity: Error, Basis: Text, Versions: V6, Heading: headingTraceBlock,
		Sentence: "The first block after the stream header is the Trace block.",
		Hint:     "Write the Trace block first: without it no timestamp or stack can be understood.",
	},
	{
		ID: BLK006, Name: "NT6-BLK-006", Severity: Error, Basis: Text, Versions: V6, Heading: headingTraceBlock,
		Sentence: "The stream has exactly one Trace block.",
		Hint:     "Do not concatenate traces: one file describes one trace, so write the second into a file of its own.",
	},
	{
		ID: BLK007, Name: "NT6-BLK-007", Severity: Error, Also: Information, Basis: Text, Versions: V6, Heading: headingBlocks,
		Sentence: "Trace, Event, Metadata, SequencePoint, Stack and LabelList blocks are not empty; an empty Thread or RemoveThread block is allowed but useless.",
		Hint:     "Write a block only once there is a row to put in it.",
	},
	{
		ID: BLK010, Name: "NT-BLK-010", Severity: Information, Basis: Fact, Versions: v456, Heading: headingOverview,
		Sentence: "Many event blocks are tiny: their median size is below 200 bytes in a file of more than 1 MB.",
		Hint:     "Collect rows and write them in batches, for example every 100 ms or 100 KB.",
	},
	{
		ID: BLK011, Name: "NT-BLK-011", Severity: Information, Basis: Fact, Versions: v456, Heading: headingOverview,
		Sentence: "An event block is longer than 1 MiB, which delays readers of a running session and comes nearer to the 24-bit limit of version 6.",
		Hint:     "Close event blocks at 100 KB to 1 MB, as the known writers do.",
	},
}
