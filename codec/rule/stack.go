package rule

// stackRules are about stack blocks and the stack ids of events. A region is the
// part of the stream between two sequence points.
var stackRules = [...]Rule{
	{
		ID: STK001, Name: "NT-STK-001", Severity: Error, Basis: Text, Versions: v456, Heading: headingStackBlock,
		Sentence: "A stack block has first id and count, then exactly as many stacks as counted.",
		Hint:     "Write the count after the last stack is known, and the block's size from what was written.",
	},
	{
		ID: STK002, Name: "NT-STK-002", Severity: Error, Basis: Text, Versions: v456, Heading: headingStackBlock,
		Sentence: "The size of a stack is not negative and fits into the block.",
		Hint:     "Write the size in bytes, not in frames.",
	},
	{
		ID: STK003, Name: "NT-STK-003", Severity: Error, Basis: Text, Versions: v456, Heading: headingStackBlock,
		Sentence: "The size of a stack is a multiple of PointerSize.",
		Hint:     "Write complete addresses, all of the width that the Trace block gives.",
	},
	{
		ID: STK004, Name: "NT-STK-004", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingStackBlock,
		Sentence: "No stack is defined with id 0.",
		Hint:     "Start at 1: 0 means no stack.",
	},
	{
		ID: STK005, Name: "NT-STK-005", Severity: Error, Basis: Reader, Versions: v456, Heading: headingStackBlock,
		Sentence: "A stack id is defined once between two sequence points.",
		Hint:     "Continue the ids from block to block. TraceEvent refuses a trace in which an id is defined again.",
	},
	{
		ID: STK006, Name: "NT-STK-006", Severity: Error, Basis: Text, Versions: v456, Heading: headingStackBlock,
		Sentence: "First id plus count does not exceed 2^32.",
		Hint:     "Start again at 1 after a sequence point.",
	},
	{
		ID: STK007, Name: "NT-STK-007", Severity: Error, Basis: Text, Versions: v456, Heading: headingStackBlock,
		Sentence: "A stack id other than 0 in an event was defined since the last sequence point.",
		Hint:     "Write the stack block before the events that use it. Readers silently show such events without a stack.",
	},
	{
		ID: STK008, Name: "NT-STK-008", Severity: Error, Basis: Text, Versions: v456, Heading: headingStackBlock,
		Sentence: "A stack comes before the events that refer to it, not after them.",
		Hint:     "Flush the stacks before the event block.",
	},
	{
		ID: STK009, Name: "NT-STK-009", Severity: Error, Basis: Text, Versions: v456, Heading: headingSequencePoint,
		Sentence: "No event refers to a stack from before the last sequence point.",
		Hint:     "Clear the table of written stacks with each sequence point, and write those needed again.",
	},
	{
		ID: STK010, Name: "NT-STK-010", Severity: Information, Basis: Fact, Versions: v456, Heading: headingStackBlock,
		Sentence: "The same stack is written more than once between two sequence points.",
		Hint:     "Keep a table of stacks and reuse the ids: stacks are often the greater part of a file.",
	},
	{
		ID: STK011, Name: "NT-STK-011", Severity: Warning, Also: Information, Basis: Text, Except: Exception{V6, Fact}, Versions: v456, Heading: headingStackBlock,
		Sentence: "A stack block has at least one stack.",
		Hint:     "Do not write a block when there are no new stacks.",
	},
	{
		ID: STK012, Name: "NT-STK-012", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingStackBlock,
		Sentence: "Stacks list the innermost frame first.",
		Hint:     "Reverse the list if the unwinder starts at the root.",
	},
	{
		ID: STK013, Name: "NT-STK-013", Severity: Warning, Basis: Plausible, Versions: all, Heading: headingStackBlock,
		Sentence: "No frame is 0 or all ones, and a stack without frames is empty.",
		Hint:     "Drop the terminator of the unwinder; an address of 0 is no frame.",
	},
	{
		ID: STK014, Name: "NT6-STK-014", Severity: Warning, Basis: Text, Versions: V6, Heading: headingStackBlock,
		Sentence: "Frames have the width of PointerSize; those of 32-bit processes are extended with zeros.",
		Hint:     "Take the machine's pointer size when processes differ, and clear the upper half.",
	},
	{
		ID: STK015, Name: "NT4-STK-015", Severity: Information, Basis: Fact, Versions: v45, Heading: headingStackBlock45,
		Sentence: "At least 1 % of the stacks have exactly 100 frames, where the .NET runtime truncates them at the root.",
		Hint:     "Expect call trees of such a trace to have several roots. The missing frames are not in the file.",
	},
	{
		ID: STK016, Name: "NT-STK-016", Severity: Information, Basis: Fact, Versions: v456, Heading: headingStackBlock,
		Sentence: "Stack ids go on growing after a sequence point instead of starting again.",
		Hint:     "Start at 1 after each sequence point, so that ids stay short and tables dense.",
	},
	{
		ID: STK017, Name: "NT-STK-017", Severity: Information, Basis: Fact, Versions: v456, Heading: headingStackBlock,
		Sentence: "No event refers to this stack before the next sequence point.",
		Hint:     "Write stacks of rows that were written, not of those that were dropped.",
	},
}
