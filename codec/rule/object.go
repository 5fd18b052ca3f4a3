package rule

// objectRules are about the objects of versions 4 and 5, in which blocks are
// wrapped, and their alignment.
var objectRules = [...]Rule{
	{
		ID: OBJ001, Name: "NT4-OBJ-001", Severity: Error, Basis: Text, Versions: v45, Heading: headingObjects45,
		Sentence: "An object is made of the tags 5, 5, 1, its type, tag 6, its payload and tag 6.",
		Hint:     "Write the tags exactly so; version and minimum reader version come before the type's name.",
	},
	{
		ID: OBJ002, Name: "NT4-OBJ-002", Severity: Error, Basis: Text, Versions: v45, Heading: headingObjects45,
		Sentence: "No tag other than 1, 5 and 6 occurs.",
		Hint:     "Begin objects with tag 5, BeginPrivateObject: tag 4 and references belong to versions before 4.",
	},
	{
		ID: OBJ003, Name: "NT4-OBJ-003", Severity: Error, Basis: Text, Versions: v45, Heading: headingTraceBlock45,
		Sentence: "No object precedes the Trace object.",
		Hint:     "Write it first: without it no timestamp or stack can be understood.",
	},
	{
		ID: OBJ004, Name: "NT4-OBJ-004", Severity: Error, Also: Warning, Basis: Text, Versions: v45, Heading: headingTraceBlock45,
		Sentence: "The Trace object has version 4 and minimum reader version 4.",
		Hint:     "Write 4 and 4, also with the metadata tags of version 5: existing readers refuse higher numbers.",
	},
	{
		ID: OBJ005, Name: "NT4-OBJ-005", Severity: Error, Also: Information, Basis: Reader, Versions: v45, Heading: headingForwardCompatibility45,
		Sentence: "The minimum reader version of a block object is 2, and not above the object's own version.",
		Hint:     "Write 2 and 2. A greater minimum makes readers refuse the block; a greater version alone is harmless.",
	},
	{
		ID: OBJ006, Name: "NT4-OBJ-006", Severity: Warning, Basis: Reader, Versions: v45, Heading: headingRemaining45,
		Sentence: "An object is a Trace, EventBlock, MetadataBlock, StackBlock or SPBlock.",
		Hint:     "Keep to these: TraceEvent stops at an unknown type, although later writers may add more.",
	},
	{
		ID: OBJ007, Name: "NT4-OBJ-007", Severity: Error, Basis: Reader, Versions: v45, Heading: headingObjects45,
		Sentence: "A type name has 1 to 255 ASCII characters, none of them NUL.",
		Hint:     "Write the length as a 32-bit integer and the name without a terminator.",
	},
	{
		ID: OBJ008, Name: "NT4-OBJ-008", Severity: Error, Basis: Text, Versions: v45, Heading: headingEventBlock45,
		Sentence: "BlockSize is above 0 and the stream holds as many bytes.",
		Hint:     "Compute BlockSize from the content alone, without itself and the alignment before it.",
	},
	{
		ID: OBJ009, Name: "NT4-OBJ-009", Severity: Error, Basis: Text, Versions: v45, Heading: headingEventBlock45,
		Sentence: "Zero to three bytes after BlockSize bring the content to a multiple of 4 from the start of the file.",
		Hint:     "Count from the first byte of the magic, also when the stream is sent over a socket.",
	},
	{
		ID: OBJ010, Name: "NT4-OBJ-010", Severity: Warning, Basis: Text, Versions: v45, Heading: headingEventBlock45,
		Sentence: "The bytes of alignment are zeros.",
		Hint:     "Clear them instead of leaving old buffer content there.",
	},
	{
		ID: OBJ011, Name: "NT4-OBJ-011", Severity: Error, Basis: Text, Versions: v45, Heading: headingObjects45,
		Sentence: "Tag 6 is directly after the content of a block.",
		Hint:     "Check BlockSize and the alignment: if the tag is one to three bytes away, the alignment was counted from another place.",
	},
	{
		ID: OBJ012, Name: "NT4-OBJ-012", Severity: Error, Basis: Text, Versions: v45, Heading: headingTraceBlock45,
		Sentence: "The stream has exactly one Trace object.",
		Hint:     "Do not concatenate traces: one file describes one trace.",
	},
	{
		ID: OBJ013, Name: "NT4-OBJ-013", Severity: Information, Basis: Fact, Versions: v45, Heading: headingEventBlock45,
		Sentence: "A block exceeds 100 KB although the .NET runtime, which closes blocks sooner, claims to have written it.",
		Hint:     "Nothing need be done. The file was probably rewritten by another tool.",
	},
}
