package rule

// stackRules are about stack blocks and the stack ids of events. A region is the
// part of the stream between two sequence points.
var stackRules = [...]Rule{
	{
		ID: STK001, Name: "NT-STK-001", Severity: Error, Basis: Text, Versions: v456, Heading: headingStackBlock,
		Sentence: "A stack block has a first id and a count, then exactly as many stacks.",
		Hint:     "Write the count after the last stack, and compute the block's size from the written bytes.",
	},
	{
		ID: STK002, Name: "NT-STK-002", Severity: Error, Basis: Text, Versions: v456, Heading: headingStackBlock,
		Sentence: "The size of a stack is not negative and fits into the block.",
		Hint:     "Write the size in bytes, not in frames.",
	},
	{
		ID: STK003, Name: "NT-STK-003", Severity: Error, Basis: Text, Versions: v456, Heading: headingStackBlock,
		Sentence: "The size of a stack is a multiple of PointerSize.",
		Hint:     "Write complete addresses of the size that the Trace block states.",
	},
	{
		ID: STK004, Name: "NT-STK-004", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingStackBlock,
		Sentence: "No stack is defined with id 0.",
		Hint:     "Number stacks from 1: an id of 0 in an event row means no stack.",
	},
	{
		ID: STK005, Name: "NT-STK-005", Severity: Error, Basis: Reader, Versions: v456, Heading: headingStackBlock,
		Sentence: "A stack id is defined once between two sequence points.",
		Hint:     "Continue the ids in the next block. TraceEvent rejects a trace that defines an id twice.",
	},
	{
		ID: STK006, Name: "NT-STK-006", Severity: Error, Basis: Text, Versions: v456, Heading: headingStackBlock,
		Sentence: "The sum of first id and count is at most 2^32.",
		Hint:     "Begin with id 1 again after a sequence point.",
	},
	{
		ID: STK007, Name: "NT-STK-007", Severity: Error, Basis: Text, Versions: v456, Heading: headingStackBlock,
		Sentence: "The stack id of an event is 0 or was defined since the last sequence point.",
		Hint:     "Write the stack block before the events that use it. Readers show such events without a stack.",
	},
	{
		ID: STK008, Name: "NT-STK-008", Severity: Error, Basis: Text, Except: Exception{v45, Reader}, Versions: v456, Heading: headingStackBlock,
		Sentence: "A stack is before the events that refer to it, not after them.",
		Hint:     "Flush the stack block before the event block.",
	},
	{
		ID: STK009, Name: "NT-STK-009", Severity: Error, Basis: Text, Versions: v456, Heading: headingSequencePoint,
		Sentence: "No event refers to a stack from before the last sequence point.",
		Hint:     "Clear the table of written stacks at each sequence point, and write the stacks that are used again.",
	},
	{
		ID: STK010, Name: "NT-STK-010", Severity: Information, Basis: Fact, Versions: v456, Heading: headingStackBlock,
		Sentence: "The same stack is written more than once between two sequence points.",
		Hint:     "Keep a table of stacks and reuse the ids: stacks are often the largest part of a file.",
	},
	{
		ID: STK011, Name: "NT-STK-011", Severity: Warning, Also: Information, Basis: Text, Except: Exception{V6, Fact}, Versions: v456, Heading: headingStackBlock,
		Sentence: "A stack block has at least one stack.",
		Hint:     "Do not write a block when there are no new stacks.",
	},
	{
		ID: STK012, Name: "NT-STK-012", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingStackBlock,
		Sentence: "Stacks list the innermost frame first.",
		Hint:     "Reverse the list if the unwinder starts at the outermost frame.",
	},
	{
		ID: STK013, Name: "NT-STK-013", Severity: Warning, Basis: Plausible, Versions: all, Heading: headingStackBlock,
		Sentence: "No address in a stack is 0 or all ones.",
		Hint:     "Omit the terminator of the unwinder.",
	},
	{
		ID: STK014, Name: "NT6-STK-014", Severity: Warning, Basis: Text, Versions: V6, Heading: headingStackBlock,
		Sentence: "All addresses have PointerSize bytes, and those of 32-bit processes are extended with zeros.",
		Hint:     "Use the pointer size of the machine when processes differ, and set the upper half to zero.",
	},
	{
		ID: STK015, Name: "NT4-STK-015", Severity: Information, Basis: Fact, Versions: v45, Heading: headingStackBlock45,
		Sentence: "At least 1 % of the stacks have exactly 100 frames, where the .NET runtime truncates the outermost frames.",
		Hint:     "Expect call trees with several roots. The file does not contain the missing frames.",
	},
	{
		ID: STK016, Name: "NT-STK-016", Severity: Information, Basis: Fact, Versions: v456, Heading: headingStackBlock,
		Sentence: "Stack ids continue after a sequence point instead of starting again.",
		Hint:     "Begin with id 1 after each sequence point, so that ids are small and tables dense.",
	},
	{
		ID: STK017, Name: "NT-STK-017", Severity: Information, Basis: Fact, Versions: v456, Heading: headingStackBlock,
		Sentence: "No event refers to this stack before the next sequence point.",
		Hint:     "Write the stacks of events that are written, not of those that are dropped.",
	},
}
