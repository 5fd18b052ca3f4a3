package rule

// threadRules are about thread blocks, and about the thread indexes of events. An
// index is in use from its row until it is removed or flushed.
var threadRules = [...]Rule{
	{
		ID: THR001, Name: "NT6-THR-001", Severity: Error, Basis: Text, Versions: V6, Heading: headingThreadBlock,
		Sentence: "A thread row fits into its block, and its index fits into the row.",
		Hint:     "Take RowSize from the finished row: it does not count itself.",
	},
	{
		ID: THR002, Name: "NT6-THR-002", Severity: Error, Basis: Text, Versions: V6, Heading: headingThreadBlock,
		Sentence: "The kind of a thread property is 1 to 4.",
		Hint:     "Put other properties into KeyValue (4): an unknown kind has no length, so readers cannot pass over it.",
	},
	{
		ID: THR003, Name: "NT6-THR-003", Severity: Error, Basis: Text, Versions: V6, Heading: headingThreadBlock,
		Sentence: "The properties of a thread row fill RowSize exactly.",
		Hint:     "Take RowSize from the finished row. No padding is allowed.",
	},
	{
		ID: THR004, Name: "NT6-THR-004", Severity: Error, Basis: Reader, Versions: V6, Heading: headingThreadBlock,
		Sentence: "A thread index is defined once, unless it was removed or flushed in between.",
		Hint:     "Remove the index first, or hand out a new one. TraceEvent refuses a trace in which an index that is in use is defined again.",
	},
	{
		ID: THR005, Name: "NT6-THR-005", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingThreadBlock,
		Sentence: "Name, process id and thread id occur at most once in a row, and so does each key.",
		Hint:     "Write one of each: readers differ in which of several they use.",
	},
	{
		ID: THR006, Name: "NT6-THR-006", Severity: Information, Basis: Fact, Versions: V6, Heading: headingThreadBlock,
		Sentence: "A thread has neither name nor process id nor thread id.",
		Hint:     "Write all that is known: an index alone does not identify the thread.",
	},
	{
		ID: THR007, Name: "NT6-THR-007", Severity: Information, Basis: Fact, Versions: V6, Heading: headingThreadBlock,
		Sentence: "Two indexes in use name the same process id and thread id.",
		Hint:     "Reuse the index if it is the same thread. Otherwise remove the old one when its thread ends.",
	},
	{
		ID: THR008, Name: "NT6-THR-008", Severity: Error, Basis: Text, Versions: V6, Heading: headingThreadBlock,
		Sentence: "The strings of a thread row are valid UTF-8.",
		Hint:     "Convert thread names to UTF-8; those of the system may be truncated inside a character.",
	},
	{
		ID: THR009, Name: "NT6-THR-009", Severity: Error, Basis: Text, Versions: V6, Heading: headingThreadBlock,
		Sentence: "The ThreadIndex of an event is in use at the event.",
		Hint:     "Write the thread's row into a block before the first event that names it.",
	},
	{
		ID: THR010, Name: "NT6-THR-010", Severity: Error, Basis: Text, Versions: V6, Heading: headingThreadBlock,
		Sentence: "The CaptureThreadIndex of an event is in use at the event.",
		Hint:     "Write a row also for the thread that records on behalf of others.",
	},
	{
		ID: THR011, Name: "NT6-THR-011", Severity: Error, Basis: Text, Versions: V6, Heading: headingSequencePoint,
		Sentence: "After a sequence point with flag 1 no thread is used before it is defined again.",
		Hint:     "Write the threads in use again after the flush, or clear flag 1.",
	},
	{
		ID: THR012, Name: "NT6-THR-012", Severity: Information, Basis: Fact, Versions: V6, Heading: headingThreadBlock,
		Sentence: "The thread of index 0 is a placeholder with process id 0 and thread id 0.",
		Hint:     "Nothing need be done. Give it a name if events refer to it.",
	},
	{
		ID: THR013, Name: "NT6-THR-013", Severity: Information, Basis: Fact, Versions: V6, Heading: headingThreadBlock,
		Sentence: "No event refers to this thread.",
		Hint:     "Write a row when the thread's first event is written, if the file is to be small.",
	},
	{
		ID: THR014, Name: "NT6-THR-014", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingRemoveThread,
		Sentence: "At most 100,000 threads are in use, if none is ever removed or flushed.",
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
		Sentence: "An index in a RemoveThread block was in use.",
		Hint:     "Remove only indexes that were defined and not yet removed or flushed. TraceEvent abandons the trace otherwise.",
	},
	{
		ID: RMT003, Name: "NT6-RMT-003", Severity: Error, Basis: Text, Versions: V6, Heading: headingRemoveThread,
		Sentence: "An index is not removed a second time without a new definition.",
		Hint:     "Forget the thread in the writer's own table when it is removed.",
	},
	{
		ID: RMT004, Name: "NT6-RMT-004", Severity: Error, Basis: Text, Versions: V6, Heading: headingRemoveThread,
		Sentence: "The final sequence number of a thread is not below that of its last event.",
		Hint:     "Take the number from the thread's counter after its last event.",
	},
	{
		ID: RMT005, Name: "NT6-RMT-005", Severity: Information, Basis: Fact, Versions: V6, Heading: headingRemoveThread,
		Sentence: "The final sequence number is above that of the last event seen: events of the thread were dropped.",
		Hint:     "Nothing is wrong with the file. Greater buffers lose less.",
	},
	{
		ID: RMT006, Name: "NT6-RMT-006", Severity: Error, Basis: Text, Versions: V6, Heading: headingRemoveThread,
		Sentence: "No event after its removal refers to a thread.",
		Hint:     "Flush the thread's events before the RemoveThread block.",
	},
	{
		ID: RMT007, Name: "NT6-RMT-007", Severity: Information, Basis: Fact, Versions: V6, Heading: headingRemoveThread,
		Sentence: "An index is defined anew after its removal, which is allowed.",
		Hint:     "Nothing need be done. New indexes make files easier to follow.",
	},
}
