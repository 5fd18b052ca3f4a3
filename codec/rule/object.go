package rule

// objectRules are about the objects of versions 4 and 5, which contain the blocks,
// and their alignment.
var objectRules = [...]Rule{
	{
		ID: OBJ001, Name: "NT4-OBJ-001", Severity: Error, Basis: Text, Versions: v45, Heading: headingObjects45,
		Sentence: "An object consists of the tags 5, 5, 1, its type, tag 6, its payload and tag 6.",
		Hint:     "Write these tags. A type is version, minimum reader version and name, in this order.",
	},
	{
		ID: OBJ002, Name: "NT4-OBJ-002", Severity: Error, Basis: Text, Versions: v45, Heading: headingObjects45,
		Sentence: "No tag other than 1, 5 and 6 occurs.",
		Hint:     "Begin objects with tag 5, BeginPrivateObject. Tag 4 and references are from before version 4.",
	},
	{
		ID: OBJ003, Name: "NT4-OBJ-003", Severity: Error, Basis: Text, Versions: v45, Heading: headingTraceBlock45,
		Sentence: "No object precedes the Trace object.",
		Hint:     "Write it first: readers need it to understand timestamps and stacks.",
	},
	{
		ID: OBJ004, Name: "NT4-OBJ-004", Severity: Error, Also: Warning, Basis: Text, Versions: v45, Heading: headingTraceBlock45,
		Sentence: "The Trace object has version 4 and minimum reader version 4.",
		Hint:     "Write 4 and 4, also with the metadata tags of version 5: readers in use refuse higher versions.",
	},
	{
		ID: OBJ005, Name: "NT4-OBJ-005", Severity: Error, Also: Information, Basis: Reader, Versions: v45, Heading: headingForwardCompatibility45,
		Sentence: "The minimum reader version of a block object is 2, and not above the version of the object.",
		Hint:     "Write 2 and 2. Readers refuse a higher minimum; a higher version alone is harmless.",
	},
	{
		ID: OBJ006, Name: "NT4-OBJ-006", Severity: Warning, Basis: Reader, Versions: v45, Heading: headingRemaining45,
		Sentence: "An object is a Trace, EventBlock, MetadataBlock, StackBlock or SPBlock.",
		Hint:     "Write no other types: TraceEvent rejects an unknown type, although the format allows more.",
	},
	{
		ID: OBJ007, Name: "NT4-OBJ-007", Severity: Error, Basis: Reader, Versions: v45, Heading: headingObjects45,
		Sentence: "A type name has 1 to 255 ASCII characters, none of them NUL.",
		Hint:     "Write the length as a 32-bit integer and the name without a terminator.",
	},
	{
		ID: OBJ008, Name: "NT4-OBJ-008", Severity: Error, Basis: Text, Versions: v45, Heading: headingEventBlock45,
		Sentence: "BlockSize is above 0, and the stream has as many bytes.",
		Hint:     "Compute BlockSize from the content, without the field itself and the padding before the content.",
	},
	{
		ID: OBJ009, Name: "NT4-OBJ-009", Severity: Error, Basis: Text, Versions: v45, Heading: headingEventBlock45,
		Sentence: "Up to three bytes after BlockSize align the content to a multiple of 4 from the start of the file.",
		Hint:     "Count from the first byte of the magic, also in a stream over a socket.",
	},
	{
		ID: OBJ010, Name: "NT4-OBJ-010", Severity: Warning, Basis: Text, Versions: v45, Heading: headingEventBlock45,
		Sentence: "The padding after BlockSize is zeros.",
		Hint:     "Set these bytes to zero. They often contain old bytes of the buffer.",
	},
	{
		ID: OBJ011, Name: "NT4-OBJ-011", Severity: Error, Basis: Text, Versions: v45, Heading: headingObjects45,
		Sentence: "Tag 6 follows the content of a block.",
		Hint:     "Check BlockSize and the padding: if the tag is one to three bytes away, the padding was computed from another origin.",
	},
	{
		ID: OBJ012, Name: "NT4-OBJ-012", Severity: Error, Basis: Text, Versions: v45, Heading: headingTraceBlock45,
		Sentence: "The stream has exactly one Trace object.",
		Hint:     "Write each trace into a file of its own. Two traces cannot be joined by concatenating their files.",
	},
	{
		ID: OBJ013, Name: "NT4-OBJ-013", Severity: Information, Basis: Fact, Versions: v45, Heading: headingEventBlock45,
		Sentence: "A block of a trace of the .NET runtime is longer than 100 KB, although the runtime closes blocks earlier.",
		Hint:     "No change is necessary. Another tool has probably written the file.",
	},
}
