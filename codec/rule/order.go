package rule

// orderRules are about the timestamps and the order of events.
var orderRules = [...]Rule{
	{
		ID: ORD001, Name: "NT-ORD-001", Severity: Error, Basis: Text, Except: Exception{v45, Reader}, Versions: v456, Heading: headingSorting,
		Sentence: "The events of one capture thread are sorted by time.",
		Hint:     "Write a thread's buffers in the order in which they were filled. In compressed rows, a step back is a difference near 2^64.",
	},
	{
		ID: ORD002, Name: "NT-ORD-002", Severity: Error, Basis: Text, Versions: v456, Heading: headingSorting,
		Sentence: "No event after a sorted row has an earlier timestamp than that row.",
		Hint:     "Set the flag only on a row after which no older event can follow, usually the last one of a sorted batch.",
	},
	{
		ID: ORD003, Name: "NT-ORD-003", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingSorting,
		Sentence: "There is a sorted row in any 10,000 events between two sequence points.",
		Hint:     "Mark one row of each batch as sorted. Otherwise a reader of a running process keeps all events up to the sequence point.",
	},
	{
		ID: ORD004, Name: "NT-ORD-004", Severity: Warning, Basis: Reader, Versions: v456, Heading: headingCompression,
		Sentence: "The capture thread changes only after a sorted row or at the start of a block.",
		Hint:     "Mark the last row of a thread as sorted, or begin a new block: otherwise TraceEvent counts losses for the wrong thread.",
	},
	{
		ID: ORD005, Name: "NT-ORD-005", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingTraceBlock,
		Sentence: "No event is earlier than SyncTimeTicks.",
		Hint:     "Read SyncTimeTicks from the clock of the events, before the first event.",
	},
	{
		ID: ORD006, Name: "NT-ORD-006", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingUncompressed,
		Sentence: "The trace covers at most 30 days.",
		Hint:     "Check the unit of the clock, and that all threads read the same clock.",
	},
	{
		ID: ORD007, Name: "NT-ORD-007", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingUncompressed,
		Sentence: "The events do not all have the same timestamp.",
		Hint:     "Read the clock when the event occurs, not when it is written.",
	},
	{
		ID: ORD008, Name: "NT-ORD-008", Severity: Information, Basis: Fact, Versions: v456, Heading: headingSorting,
		Sentence: "All rows are marked as sorted although several threads record events.",
		Hint:     "Check that the writer really sorts the events of all threads, which is costly.",
	},
	{
		ID: ORD009, Name: "NT-ORD-009", Severity: Information, Basis: Fact, Versions: v456, Heading: headingSorting,
		Sentence: "An event follows later ones between two sequence points; the finding has the largest distance, in events and in ticks.",
		Hint:     "Write smaller batches, so that readers of a running process need less memory.",
	},
}
