package rule

// endOfStreamRules are about how a stream ends.
var endOfStreamRules = [...]Rule{
	{
		ID: EOS001, Name: "NT6-EOS-001", Severity: Error, Basis: Text, Versions: V6, Heading: headingEndOfStream,
		Sentence: "The stream ends with an EndOfStream block.",
		Hint:     "Write four zero bytes when you close the trace, also after an error.",
	},
	{
		ID: EOS002, Name: "NT6-EOS-002", Severity: Information, Basis: Fact, Versions: V6, Heading: headingEndOfStream,
		Sentence: "The EndOfStream block has a body, which this version does not define.",
		Hint:     "Write size 0.",
	},
	{
		ID: EOS003, Name: "NT6-EOS-003", Severity: Warning, Basis: Text, Versions: V6, Heading: headingEndOfStream,
		Sentence: "Nothing follows the EndOfStream block.",
		Hint:     "Truncate the file when you close it. Readers stop at the block and ignore the rest.",
	},
	{
		ID: EOS004, Name: "NT4-EOS-004", Severity: Error, Basis: Text, Versions: v45, Heading: headingEndOfStream45,
		Sentence: "The stream ends with the null tag, 0x01.",
		Hint:     "Write it when you close the trace. A killed recorder does not write it; all events before the end are intact.",
	},
	{
		ID: EOS005, Name: "NT4-EOS-005", Severity: Warning, Basis: Text, Versions: v45, Heading: headingEndOfStream45,
		Sentence: "Nothing follows the null tag that ends the stream.",
		Hint:     "Truncate the file when you close it. Readers stop at the tag and ignore the rest.",
	},
	{
		ID: EOS006, Name: "NT-EOS-006", Severity: Error, Basis: Text, Except: Exception{V3, Reader}, Versions: all, Heading: headingOverview,
		Sentence: "The stream does not end inside a block.",
		Hint:     "Close the recording before you copy the file. Readers can read all events up to the end.",
	},
	{
		ID: EOS008, Name: "NT-EOS-008", Severity: Information, Basis: Fact, Versions: all, Heading: headingOverview,
		Sentence: "The trace has no events.",
		Hint:     "Check that providers were enabled, and that the process ran during the recording.",
	},
}
