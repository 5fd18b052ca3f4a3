package rule

// framingRules are about the framing of the blocks of version 6, and
// about the size of event blocks.
var framingRules = [...]Rule{
	{
		ID: BLK001, Name: "NT6-BLK-001", Severity: Error, Basis: Text, Versions: V6, Heading: headingBlocks,
		Sentence: "Each block starts with a header of four bytes.",
		Hint:     "Write a complete header for each block, and end the file with the four zero bytes of an EndOfStream block.",
	},
	{
		ID: BLK002, Name: "NT6-BLK-002", Severity: Error, Basis: Text, Versions: V6, Heading: headingBlocks,
		Sentence: "The stream has as many bytes after a block header as BlockSize says.",
		Hint:     "Compute BlockSize from the complete body. In a truncated file, the block before this one is the last complete one.",
	},
	{
		ID: BLK003, Name: "NT6-BLK-003", Severity: Information, Basis: Fact, Versions: V6, Heading: headingBlocks,
		Sentence: "A block has a kind above 8, and readers skip it.",
		Hint:     "Ignore this for a private or later extension. Otherwise the block before it has the wrong size.",
	},
	{
		ID: BLK004, Name: "NT6-BLK-004", Severity: Error, Also: Warning, Basis: Text, Versions: V6, Heading: headingBlocks,
		Sentence: "BlockSize is the length of the body and fits 24 bits, so that its upper bits do not change the kind byte.",
		Hint:     "Close a block long before it reaches 16,777,216 bytes, and check the size before you combine it with the kind.",
	},
	{
		ID: BLK005, Name: "NT6-BLK-005", Severity: Error, Basis: Text, Versions: V6, Heading: headingTraceBlock,
		Sentence: "The first block after the stream header is the Trace block.",
		Hint:     "Write the Trace block first: readers need it to understand timestamps and stacks.",
	},
	{
		ID: BLK006, Name: "NT6-BLK-006", Severity: Error, Basis: Text, Versions: V6, Heading: headingTraceBlock,
		Sentence: "The stream has exactly one Trace block.",
		Hint:     "Write each trace into a file of its own. Two traces cannot be joined by concatenating their files.",
	},
	{
		ID: BLK007, Name: "NT6-BLK-007", Severity: Error, Also: Information, Basis: Text, Versions: V6, Heading: headingBlocks,
		Sentence: "No block is empty, except that an empty Thread or RemoveThread block is allowed and useless.",
		Hint:     "Write a block only when there is a row for it.",
	},
	{
		ID: BLK010, Name: "NT-BLK-010", Severity: Information, Basis: Fact, Versions: v456, Heading: headingOverview,
		Sentence: "The median size of the event blocks is below 200 bytes, in a file of more than 1 MB.",
		Hint:     "Collect rows and write them in batches, for example every 100 ms or 100 KB.",
	},
	{
		ID: BLK011, Name: "NT-BLK-011", Severity: Information, Basis: Fact, Versions: v456, Heading: headingOverview,
		Sentence: "An event block is longer than 1 MiB, so that readers of a running process get its events late.",
		Hint:     "Close event blocks at 100 KB to 1 MB, as other writers do. Version 6 limits blocks to 16 MiB.",
	},
}
