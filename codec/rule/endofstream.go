package rule

// endOfStreamRules are about how a stream ends.
var endOfStreamRules = [...]Rule{
	{
		ID: EOS001, Name: "NT6-EOS-001", Severity: Error, Basis: Text, Versions: V6, Heading: headingEndOfStream,
		Sentence: "The stream ends with an EndOfStream block.",
		Hint:     "Write four zero bytes when the trace is closed, also on the way out of an error.",
	},
	{
		ID: EOS002, Name: "NT6-EOS-002", Severity: Information, Basis: Fact, Versions: V6, Heading: headingEndOfStream,
		Sentence: "The EndOfStream block has a body, which this version does not define.",
		Hint:     "Write size 0.",
	},
	{
		ID: EOS003, Name: "NT6-EOS-003", Severity: Warning, Basis: Text, Versions: V6, Heading: headingEndOfStream,
		Sentence: "Nothing follows the EndOfStream block.",
		Hint:     "Truncate the file when it is closed. Readers stop at the block, so what follows is lost.",
	},
	{
		ID: EOS004, Name: "NT4-EOS-004", Severity: Error, Basis: Text, Versions: v45, Heading: headingEndOfStream45,
		Sentence: "The stream ends with the null tag, 0x01.",
		Hint:     "Write it when the trace is closed. If the recorder is killed, the tag is missing, but everything before it is intact.",
	},
	{
		ID: EOS005, Name: "NT4-EOS-005", Severity: Warning, Basis: Text, Versions: v45, Heading: headingEndOfStream45,
		Sentence: "Nothing follows the null tag that ends the stream.",
		Hint:     "Truncate the file when it is closed. Readers stop at the tag, so what follows is lost.",
	},
	{
		ID: EOS006, Name: "NT-EOS-006", Severity: Error, Basis: Text, Except: Exception{V3, Reader}, Versions: all, Heading: headingOverview,
		Sentence: "The stream does not end inside a block.",
		Hint:     "Close the recording before copying the file. Everything up to the last complete row can be read.",
	},
	{
		ID: EOS008, Name: "NT-EOS-008", Severity: Information, Basis: Fact, Versions: all, Heading: headingOverview,
		Sentence: "The trace has no events.",
		Hint:     "Check that providers were enabled, and that the program ran while it was recorded.",
	},
}
