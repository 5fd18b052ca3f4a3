package rule

// threadRules are about thread blocks, and about the thread indexes of events. An
// index is in use from its row until it is removed or flushed.
var threadRules = [...]Rule{
	{
		ID: THR001, Name: "NT6-THR-001", Severity: Error, Basis: Text, Versions: V6, Heading: headingThreadBlock,
		Sentence: "A thread row fits into its block, and its index fits into the row.",
		Hint:     "Compute RowSize from the complete row. It does not include itself.",
	},
	{
		ID: THR002, Name: "NT6-THR-002", Severity: Error, Basis: Text, Versions: V6, Heading: headingThreadBlock,
		Sentence: "The kind of a thread property is 1 to 4.",
		Hint:     "Write other properties as KeyValue (4): readers cannot skip an unknown kind, because it has no length.",
	},
	{
		ID: THR003, Name: "NT6-THR-003", Severity: Error, Basis: Text, Versions: V6, Heading: headingThreadBlock,
		Sentence: "The properties of a thread row have exactly the length that RowSize leaves for them.",
		Hint:     "Compute RowSize from the complete row, without padding.",
	},
	{
		ID: THR004, Name: "NT6-THR-004", Severity: Error, Basis: Reader, Versions: V6, Heading: headingThreadBlock,
		Sentence: "A thread index is defined once, or again after it was removed or flushed.",
		Hint:     "Remove the index first, or use another one. TraceEvent rejects a trace that defines an index twice.",
	},
	{
		ID: THR005, Name: "NT6-THR-005", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingThreadBlock,
		Sentence: "Name, process id, thread id and each key occur at most once in a row.",
		Hint:     "Write one of each: readers differ in which one of several they use.",
	},
	{
		ID: THR006, Name: "NT6-THR-006", Severity: Information, Basis: Fact, Versions: V6, Heading: headingThreadBlock,
		Sentence: "A thread has neither name nor process id nor thread id.",
		Hint:     "Write the properties that are known: an index alone does not help users.",
	},
	{
		ID: THR007, Name: "NT6-THR-007", Severity: Information, Basis: Fact, Versions: V6, Heading: headingThreadBlock,
		Sentence: "Two thread indexes have the same process id and thread id at the same time.",
		Hint:     "Reuse the index for the same thread. Otherwise remove the old index when its thread ends.",
	},
	{
		ID: THR008, Name: "NT6-THR-008", Severity: Error, Basis: Text, Versions: V6, Heading: headingThreadBlock,
		Sentence: "The strings of a thread row are valid UTF-8.",
		Hint:     "Convert thread names to UTF-8. Names from the system may be truncated inside a character.",
	},
	{
		ID: THR009, Name: "NT6-THR-009", Severity: Error, Basis: Text, Versions: V6, Heading: headingThreadBlock,
		Sentence: "The ThreadIndex of an event is defined before the event and not removed or flushed.",
		Hint:     "Write the thread's row into a block before the first event that refers to it.",
	},
	{
		ID: THR010, Name: "NT6-THR-010", Severity: Error, Basis: Text, Versions: V6, Heading: headingThreadBlock,
		Sentence: "The CaptureThreadIndex of an event is defined before the event and not removed or flushed.",
		Hint:     "Write a row also for a thread that only records events of other threads.",
	},
	{
		ID: THR011, Name: "NT6-THR-011", Severity: Error, Basis: Text, Versions: V6, Heading: headingSequencePoint,
		Sentence: "After a sequence point with flag 1, no event refers to a thread that is not defined again.",
		Hint:     "Write the threads again after the flush, or clear flag 1.",
	},
	{
		ID: THR012, Name: "NT6-THR-012", Severity: Information, Basis: Fact, Versions: V6, Heading: headingThreadBlock,
		Sentence: "The thread of index 0 is a placeholder with process id 0 and thread id 0.",
		Hint:     "No change is necessary. Give the thread a name if events refer to it.",
	},
	{
		ID: THR013, Name: "NT6-THR-013", Severity: Information, Basis: Fact, Versions: V6, Heading: headingThreadBlock,
		Sentence: "No event refers to this thread.",
		Hint:     "Write a thread's row together with its first event, if the file should be small.",
	},
	{
		ID: THR014, Name: "NT6-THR-014", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingRemoveThread,
		Sentence: "At most 100,000 threads are defined when none of them is removed or flushed.",
		Hint:     "Remove threads that have ended with a RemoveThread block, or set flag 1 in a sequence point.",
	},
}

// removeThreadRules are about RemoveThread blocks.
var removeThreadRules = [...]Rule{
	{
		ID: RMT001, Name: "NT6-RMT-001", Severity: Error, Basis: Text, Versions: V6, Heading: headingRemoveThread,
		Sentence: "A RemoveThread block consists of complete pairs of index and sequence number.",
		Hint:     "Write both as variable-length numbers, without a count and without padding.",
	},
	{
		ID: RMT002, Name: "NT6-RMT-002", Severity: Error, Basis: Text, Versions: V6, Heading: headingRemoveThread,
		Sentence: "An index in a RemoveThread block was defined and not yet removed or flushed.",
		Hint:     "Remove only such indexes. TraceEvent stops reading the trace otherwise.",
	},
	{
		ID: RMT003, Name: "NT6-RMT-003", Severity: Error, Basis: Text, Versions: V6, Heading: headingRemoveThread,
		Sentence: "An index is removed once, or again after another definition.",
		Hint:     "Delete the thread from the writer's own table when you remove it.",
	},
	{
		ID: RMT004, Name: "NT6-RMT-004", Severity: Error, Basis: Text, Versions: V6, Heading: headingRemoveThread,
		Sentence: "The final sequence number of a thread is at least that of its last event.",
		Hint:     "Read the thread's counter after its last event.",
	},
	{
		ID: RMT005, Name: "NT6-RMT-005", Severity: Information, Basis: Fact, Versions: V6, Heading: headingRemoveThread,
		Sentence: "The final sequence number of a thread is above that of its last event, so that events were dropped.",
		Hint:     "The file is correct. Larger buffers lose fewer events.",
	},
	{
		ID: RMT006, Name: "NT6-RMT-006", Severity: Error, Basis: Text, Versions: V6, Heading: headingRemoveThread,
		Sentence: "No event refers to a thread after its removal.",
		Hint:     "Flush the thread's events before the RemoveThread block.",
	},
	{
		ID: RMT007, Name: "NT6-RMT-007", Severity: Information, Basis: Fact, Versions: V6, Heading: headingRemoveThread,
		Sentence: "An index is defined again after its removal, which is allowed.",
		Hint:     "No change is necessary. New indexes make a file easier to understand.",
	},
}
