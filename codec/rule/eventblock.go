package rule

// eventBlockRules are about the header, the size and the times of an event
// block.
var eventBlockRules = [...]Rule{
	{
		ID: EVB001, Name: "NT-EVB-001", Severity: Error, Basis: Text, Versions: v456, Heading: headingEventBlock,
		Sentence: "An event block is at least as long as its header of 20 bytes.",
		Hint:     "Write HeaderSize, Flags and both timestamps before the first row.",
	},
	{
		ID: EVB002, Name: "NT-EVB-002", Severity: Error, Basis: Text, Versions: v456, Heading: headingEventBlock,
		Sentence: "The HeaderSize of an event block is at least 20, includes itself, and is not larger than the block.",
		Hint:     "Write 20 unless bytes of an extension follow the two timestamps.",
	},
	{
		ID: EVB003, Name: "NT-EVB-003", Severity: Information, Basis: Fact, Versions: v456, Heading: headingEventBlock,
		Sentence: "The header of an event block is longer than 20 bytes, and readers skip the rest.",
		Hint:     "Ignore this if your reader uses the extra bytes. Otherwise write 20.",
	},
	{
		ID: EVB004, Name: "NT-EVB-004", Severity: Warning, Basis: Reader, Versions: v456, Heading: headingEventBlock,
		Sentence: "The Flags of an event block have no bit set except bit 0, header compression.",
		Hint:     "Clear the other bits. NetTraceGen sets bit 1 for its own ULZ compression, which no other reader supports.",
	},
	{
		ID: EVB005, Name: "NT-EVB-005", Severity: Error, Basis: Text, Versions: v456, Heading: headingEventBlock,
		Sentence: "An event block has at least one row.",
		Hint:     "Do not write a block when the buffer is empty.",
	},
	{
		ID: EVB006, Name: "NT-EVB-006", Severity: Error, Basis: Text, Versions: v456, Heading: headingEventBlock,
		Sentence: "The last row of an event block ends where the block ends.",
		Hint:     "Compute the block's size from the rows. Bytes after the last row mean that a row has the wrong size or wrong padding.",
	},
	{
		ID: EVB007, Name: "NT-EVB-007", Severity: Error, Basis: Text, Versions: v456, Heading: headingEventBlock,
		Sentence: "The minimum timestamp of an event block is not above its maximum.",
		Hint:     "Check the order of the two fields: the minimum is the first.",
	},
	{
		ID: EVB008, Name: "NT-EVB-008", Severity: Error, Basis: Text, Versions: v456, Heading: headingEventBlock,
		Sentence: "The timestamp of every event is between the minimum and the maximum of its block.",
		Hint:     "Update both with each row, or compute them when you close the block. Readers that search by time skip the block otherwise.",
	},
	{
		ID: EVB009, Name: "NT-EVB-009", Severity: Warning, Basis: Text, Versions: v456, Heading: headingEventBlock,
		Sentence: "The minimum and maximum timestamps of a block are timestamps of events in it, and not only bounds.",
		Hint:     "Write the lowest and highest timestamp of the rows, not the times at which the block was opened and closed.",
	},
	{
		ID: EVB010, Name: "NT-EVB-010", Severity: Error, Basis: Text, Versions: v456, Heading: headingEventBlock,
		Sentence: "The minimum and maximum timestamps of a block are not both 0 when its events have other timestamps.",
		Hint:     "Set both fields when the block is complete.",
	},
	{
		ID: EVB011, Name: "NT-EVB-011", Severity: Warning, Basis: Text, Versions: v456, Heading: headingEventBlock,
		Sentence: "The minimum and maximum timestamps of a block are not initial values of a search, such as 2^63-1 or 2^64-1.",
		Hint:     "Update both with every row of the block.",
	},
	{
		ID: EVB012, Name: "NT4-EVB-012", Severity: Error, Basis: Text, Versions: v45, Heading: headingMetadataBlock45,
		Sentence: "The header and the rows of a MetadataBlock follow the rules of an EventBlock.",
		Hint:     "Use the same code for both: only the payloads differ.",
	},
}
