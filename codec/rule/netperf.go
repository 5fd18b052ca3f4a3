package rule

// netPerfRules are about version 3, which was never published with the format: they
// rest on what the .NET runtimes 2.1 to 10 write and their readers take. Version 3
// has no sequence numbers and no sequence points, so what was lost is not known.
var netPerfRules = [...]Rule{
	{
		ID: NP001, Name: "NT3-NP-001", Severity: Error, Also: Warning, Basis: Reader, Versions: V3,
		Sentence: "NetPerf objects begin with the tags 4, 4, 1, have tag 6 after type and payload, and a last tag 1 ends the stream.",
		Hint:     "Write the tags exactly so, and 0x01 when the trace is closed.",
	},
	{
		ID: NP002, Name: "NT3-NP-002", Severity: Error, Also: Warning, Basis: Reader, Versions: V3,
		Sentence: "The 48-byte Trace object with versions 3 and 0 comes first and once; all others are EventBlocks with versions 1 and 0.",
		Hint:     "Write no other type of object: metadata and stacks are inside event rows.",
	},
	{
		ID: NP003, Name: "NT3-NP-003", Severity: Error, Also: Warning, Basis: Reader, Versions: V3,
		Sentence: "A NetPerf block is its size, zeros up to a multiple of 4 from the start of the stream, and rows up to its end.",
		Hint:     "Count the alignment from the first byte of the stream; it has no magic.",
	},
	{
		ID: NP004, Name: "NT3-NP-004", Severity: Error, Also: Warning, Basis: Reader, Versions: V3,
		Sentence: "A NetPerf row has all its fields in their order, and EventSize counts what follows it, padded to a multiple of 4.",
		Hint:     "Write metadata id, thread id, timestamp, two GUIDs, payload size, payload, stack size and stack.",
	},
	{
		ID: NP005, Name: "NT3-NP-005", Severity: Error, Basis: Reader, Versions: V3,
		Sentence: "The sizes in a NetPerf row are not negative and do not exceed it, and the stack is a multiple of PointerSize.",
		Hint:     "Write sizes in bytes, and take them from what was written.",
	},
	{
		ID: NP006, Name: "NT3-NP-006", Severity: Error, Basis: Reader, Versions: V3,
		Sentence: "A row with metadata id 0 has a complete definition; every other row names an id defined once, earlier in the file.",
		Hint:     "Write the definition as a row of its own before the first event that needs it.",
	},
	{
		ID: NP007, Name: "NT3-NP-007", Severity: Warning, Basis: Plausible, Versions: V3,
		Sentence: "The timestamps of a NetPerf stream never fall.",
		Hint:     "Sort the events of all threads before writing: readers of version 3 do not.",
	},
}
