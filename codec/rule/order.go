package rule

// orderRules are about the times of events and the order in which they come.
var orderRules = [...]Rule{
	{
		ID: ORD001, Name: "NT-ORD-001", Severity: Error, Basis: Text, Except: Exception{v45, Reader}, Versions: v456, Heading: headingSorting,
		Sentence: "The events of one capture thread are in the order of time.",
		Hint:     "Write a thread's buffers in the order in which they were filled. In compressed rows a step back shows as a difference near 2^64.",
	},
	{
		ID: ORD002, Name: "NT-ORD-002", Severity: Error, Basis: Text, Versions: v456, Heading: headingSorting,
		Sentence: "No event after a sorted row is earlier than that row.",
		Hint:     "Set the flag only on a row after which nothing older can come, usually the last of a sorted batch.",
	},
	{
		ID: ORD003, Name: "NT-ORD-003", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingSorting,
		Sentence: "Between two sequence points, 10,000 events never pass without a sorted row.",
		Hint:     "Mark one row of each batch as sorted. Without it a reader of a running session must keep all events up to the sequence point.",
	},
	{
		ID: ORD004, Name: "NT-ORD-004", Severity: Warning, Basis: Reader, Versions: v456, Heading: headingCompression,
		Sentence: "The capture thread changes only on a sorted row or at the start of a block.",
		Hint:     "End a thread's run with a sorted row or begin a new block: TraceEvent counts losses for the wrong thread otherwise.",
	},
	{
		ID: ORD005, Name: "NT-ORD-005", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingTraceBlock,
		Sentence: "No event is earlier than SyncTimeTicks.",
		Hint:     "Read SyncTimeTicks before the first event can be recorded, from the same clock.",
	},
	{
		ID: ORD006, Name: "NT-ORD-006", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingUncompressed,
		Sentence: "The trace spans at most 30 days, and neighbouring events are at most an hour apart.",
		Hint:     "Check the units of the clock and that all threads read the same one.",
	},
	{
		ID: ORD007, Name: "NT-ORD-007", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingUncompressed,
		Sentence: "The timestamps are not all the same.",
		Hint:     "Stamp every event with the clock's ticks when it occurs, not when it is written.",
	},
	{
		ID: ORD008, Name: "NT-ORD-008", Severity: Information, Basis: Fact, Versions: v456, Heading: headingSorting,
		Sentence: "Every row is marked as sorted although several threads record.",
		Hint:     "Check that the rows really are sorted: sorting all threads together in the writer is costly.",
	},
	{
		ID: ORD009, Name: "NT-ORD-009", Severity: Information, Basis: Fact, Versions: v456, Heading: headingSorting,
		Sentence: "An event comes late between two sequence points; the finding has the greatest distance, in events and in ticks.",
		Hint:     "Smaller batches make the distance, and the memory of readers of a running session, smaller.",
	},
}
