package rule

// sequencePointRules are about sequence points: their content, and what it
// says about the events before and after them.
var sequencePointRules = [...]Rule{
	{
		ID: SQP001, Name: "NT-SQP-001", Severity: Error, Basis: Text, Versions: v456, Heading: headingSequencePoint,
		Sentence: "A sequence point has exactly as many threads as its count says.",
		Hint:     "Count the pairs, and compute the size from the written bytes. Before version 6 a pair has 12 bytes.",
	},
	{
		ID: SQP002, Name: "NT-SQP-002", Severity: Error, Also: Warning, Basis: Text, Versions: v456, Heading: headingSequencePoint,
		Sentence: "The timestamp of a sequence point is above that of the sequence point before.",
		Hint:     "Read the clock when you make the sequence point. Write one sequence point instead of two with equal timestamps.",
	},
	{
		ID: SQP003, Name: "NT-SQP-003", Severity: Error, Basis: Text, Versions: v456, Heading: headingSequencePoint,
		Sentence: "No event before a sequence point is later than its timestamp.",
		Hint:     "Stop the buffers, read the clock, and write all older events before the sequence point.",
	},
	{
		ID: SQP004, Name: "NT-SQP-004", Severity: Error, Basis: Text, Versions: v456, Heading: headingSequencePoint,
		Sentence: "No event after a sequence point is earlier than its timestamp.",
		Hint:     "Write the sequence point after all events that are older than its timestamp.",
	},
	{
		ID: SQP005, Name: "NT-SQP-005", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingSequencePoint,
		Sentence: "The timestamp of a sequence point is above 0, below 2^63, and at most one day after the last event.",
		Hint:     "Use the clock of the events.",
	},
	{
		ID: SQP006, Name: "NT6-SQP-006", Severity: Warning, Basis: Text, Versions: V6, Heading: headingSequencePoint,
		Sentence: "The Flags of a sequence point have no bit set except 1 (threads) and 2 (metadata).",
		Hint:     "Clear the other bits.",
	},
	{
		ID: SQP007, Name: "NT6-SQP-007", Severity: Error, Basis: Text, Versions: V6, Heading: headingSequencePoint,
		Sentence: "Every thread that a sequence point lists is defined and not removed or flushed.",
		Hint:     "List only such threads. Flag 1 flushes the threads after the list was read.",
	},
	{
		ID: SQP008, Name: "NT-SQP-008", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingSequencePoint,
		Sentence: "A sequence point lists no thread twice.",
		Hint:     "Write one pair for each thread, with its highest sequence number.",
	},
	{
		ID: SQP009, Name: "NT-SQP-009", Severity: Warning, Basis: Reader, Versions: v456, Heading: headingSequencePoint,
		Sentence: "The sequence number listed for a thread is at least that of its last event.",
		Hint:     "Read the thread's counter after its events were written: TraceEvent counts 2,147,483,647 lost events otherwise.",
	},
	{
		ID: SQP010, Name: "NT-SQP-010", Severity: Information, Basis: Fact, Versions: v456, Heading: headingSequencePoint,
		Sentence: "The sequence number listed for a thread is above that of its last event, so that events were dropped.",
		Hint:     "The file is correct. Larger buffers, or fewer events, lose less.",
	},
	{
		ID: SQP011, Name: "NT4-SQP-011", Severity: Warning, Basis: Text, Versions: v45, Heading: headingSequencePoint45,
		Sentence: "A sequence point lists every thread with events since the one before.",
		Hint:     "List all threads that may still record events: readers forget a thread that is missing.",
	},
	{
		ID: SQP012, Name: "NT6-SQP-012", Severity: Error, Basis: Text, Versions: V6, Heading: headingSequencePoint,
		Sentence: "After a sequence point with flag 2, no event refers to metadata that is not defined again.",
		Hint:     "Write the metadata again after the flush, or clear flag 2.",
	},
	{
		ID: SQP013, Name: "NT-SQP-013", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingSorting,
		Sentence: "In files of more than 10,000 events, sequence points are at most 1,000,000 events and 256 MB apart.",
		Hint:     "Write a sequence point every few seconds or megabytes: readers keep events and stacks from one to the next.",
	},
	{
		ID: SQP014, Name: "NT-SQP-014", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingSequencePoint,
		Sentence: "In files of more than 10,000 events, a sequence point follows the last event.",
		Hint:     "Write one before the end, so that readers find losses at the end.",
	},
	{
		ID: SQP015, Name: "NT-SQP-015", Severity: Information, Basis: Fact, Versions: v456, Heading: headingSequencePoint,
		Sentence: "There is no other block between two sequence points.",
		Hint:     "Write a sequence point only if other blocks were written since the last one.",
	},
	{
		ID: SQP016, Name: "NT-SQP-016", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingSequencePoint,
		Sentence: "The sequence number listed for a thread is not below the one in an earlier sequence point.",
		Hint:     "Read the numbers from the threads' counters, which never decrease.",
	},
}
