package rule

// sequencePointRules are about sequence points: their content, and what it
// says about the events before and after them.
var sequencePointRules = [...]Rule{
	{
		ID: SQP001, Name: "NT-SQP-001", Severity: Error, Basis: Text, Versions: v456, Heading: headingSequencePoint,
		Sentence: "A sequence point holds as many threads as its count says, and no other bytes.",
		Hint:     "Count the pairs and take the size from the written bytes. Before version 6 each pair has 12 bytes.",
	},
	{
		ID: SQP002, Name: "NT-SQP-002", Severity: Error, Also: Warning, Basis: Text, Versions: v456, Heading: headingSequencePoint,
		Sentence: "The timestamp of a sequence point is above that of the one before.",
		Hint:     "Take the time when the point is made; two with equal times should be one.",
	},
	{
		ID: SQP003, Name: "NT-SQP-003", Severity: Error, Basis: Text, Versions: v456, Heading: headingSequencePoint,
		Sentence: "No event before a sequence point is later than its timestamp.",
		Hint:     "Stop the buffers first, then take the time, and flush older events before the point.",
	},
	{
		ID: SQP004, Name: "NT-SQP-004", Severity: Error, Basis: Text, Versions: v456, Heading: headingSequencePoint,
		Sentence: "No event after a sequence point is earlier than its timestamp.",
		Hint:     "Hold back the point until every event older than its time has been written.",
	},
	{
		ID: SQP005, Name: "NT-SQP-005", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingSequencePoint,
		Sentence: "The timestamp of a sequence point is above 0, below 2^63, and at most one day after the last event.",
		Hint:     "Use the clock that stamps the events.",
	},
	{
		ID: SQP006, Name: "NT6-SQP-006", Severity: Warning, Basis: Text, Versions: V6, Heading: headingSequencePoint,
		Sentence: "The Flags of a sequence point have no bit set besides 1 (threads) and 2 (metadata).",
		Hint:     "Clear the other bits.",
	},
	{
		ID: SQP007, Name: "NT6-SQP-007", Severity: Error, Basis: Text, Versions: V6, Heading: headingSequencePoint,
		Sentence: "Every thread that a sequence point lists is in use just before it.",
		Hint:     "List only threads that were defined and not removed. The flush of flag 1 comes after the list.",
	},
	{
		ID: SQP008, Name: "NT-SQP-008", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingSequencePoint,
		Sentence: "A sequence point lists no thread twice.",
		Hint:     "Write one pair for each thread, with its highest number.",
	},
	{
		ID: SQP009, Name: "NT-SQP-009", Severity: Warning, Basis: Reader, Versions: v456, Heading: headingSequencePoint,
		Sentence: "The number listed for a thread is not below that of its last event.",
		Hint:     "Take the number after the thread's events were flushed: TraceEvent counts 2,147,483,647 lost events otherwise.",
	},
	{
		ID: SQP010, Name: "NT-SQP-010", Severity: Information, Basis: Fact, Versions: v456, Heading: headingSequencePoint,
		Sentence: "The number listed for a thread is above that of its last event: events were dropped.",
		Hint:     "Nothing is wrong with the file. Greater buffers, or fewer events, lose less.",
	},
	{
		ID: SQP011, Name: "NT4-SQP-011", Severity: Warning, Basis: Text, Versions: v45, Heading: headingSequencePoint45,
		Sentence: "Every thread with events since the last sequence point is in the list.",
		Hint:     "List all threads that may still log: readers forget one that is missing.",
	},
	{
		ID: SQP012, Name: "NT6-SQP-012", Severity: Error, Basis: Text, Versions: V6, Heading: headingSequencePoint,
		Sentence: "After a sequence point with flag 2 no metadata is used before it is defined again.",
		Hint:     "Write the definitions again after the flush, or clear flag 2.",
	},
	{
		ID: SQP013, Name: "NT-SQP-013", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingSorting,
		Sentence: "In files of over 10,000 events, sequence points are at most 1,000,000 events and 256 MB apart.",
		Hint:     "Write a sequence point every few seconds or megabytes: readers sort, and keep stacks, from one to the next.",
	},
	{
		ID: SQP014, Name: "NT-SQP-014", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingSequencePoint,
		Sentence: "In files of over 10,000 events, a sequence point follows the last event.",
		Hint:     "Write one before the end, so that readers can detect losses at the end.",
	},
	{
		ID: SQP015, Name: "NT-SQP-015", Severity: Information, Basis: Fact, Versions: v456, Heading: headingSequencePoint,
		Sentence: "There is nothing between two sequence points.",
		Hint:     "Write a sequence point only if something was written since the last one.",
	},
	{
		ID: SQP016, Name: "NT-SQP-016", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingSequencePoint,
		Sentence: "The number listed for a thread does not fall from one sequence point to the next.",
		Hint:     "Take the numbers from the threads' counters, which only grow.",
	},
}
