package rule

// netPerfRules are about version 3. No specification describes it, so that the
// rules are based on the output of the .NET runtimes 2.1 to 10 and on its readers.
// Version 3 has no sequence numbers, so that a reader cannot find lost events.
var netPerfRules = [...]Rule{
	{
		ID: NP001, Name: "NT3-NP-001", Severity: Error, Also: Warning, Basis: Reader, Versions: V3,
		Sentence: "A NetPerf object begins with the tags 4, 4, 1 and has tag 6 after its type and its payload; tag 1 ends the stream.",
		Hint:     "Write these tags, and 0x01 when you close the trace.",
	},
	{
		ID: NP002, Name: "NT3-NP-002", Severity: Error, Also: Warning, Basis: Reader, Versions: V3,
		Sentence: "The first object is a Trace of 48 bytes with versions 3 and 0, and all others are EventBlocks with versions 1 and 0.",
		Hint:     "Write no other type of object: metadata and stacks are inside event rows.",
	},
	{
		ID: NP003, Name: "NT3-NP-003", Severity: Error, Also: Warning, Basis: Reader, Versions: V3,
		Sentence: "A NetPerf block consists of its size, padding to a multiple of 4 from the start of the stream, and rows.",
		Hint:     "Count the padding from the first byte of the stream, which has no magic.",
	},
	{
		ID: NP004, Name: "NT3-NP-004", Severity: Error, Also: Warning, Basis: Reader, Versions: V3,
		Sentence: "A NetPerf row has all its fields in their order, and EventSize is the number of bytes after it, padded to a multiple of 4.",
		Hint:     "Write metadata id, thread id, timestamp, two GUIDs, payload size, payload, stack size and stack.",
	},
	{
		ID: NP005, Name: "NT3-NP-005", Severity: Error, Basis: Reader, Versions: V3,
		Sentence: "The sizes in a NetPerf row are not negative and fit into the row, and the stack size is a multiple of PointerSize.",
		Hint:     "Compute the sizes in bytes from the written bytes.",
	},
	{
		ID: NP006, Name: "NT3-NP-006", Severity: Error, Basis: Reader, Versions: V3,
		Sentence: "A row with metadata id 0 is a complete definition, and every other row refers to an id defined once before it.",
		Hint:     "Write the definition as a row of its own before the first event that refers to it.",
	},
	{
		ID: NP007, Name: "NT3-NP-007", Severity: Warning, Basis: Plausible, Versions: V3,
		Sentence: "The timestamps of a NetPerf stream never decrease.",
		Hint:     "Sort the events of all threads before you write them: readers of version 3 do not sort.",
	},
}
