package rule

// sequenceRules are about the sequence numbers of events, by capture thread. d is
// the difference from the last number of the thread modulo 2^32; the number before
// the first one is 0. If d is 0, the number repeats. If the number is above the last
// one, or wrapped around (the last one is at least 2^31 and d is below 2^31), then
// d-1 events were dropped. Otherwise the number decreases. Metadata rows have no
// sequence numbers.
var sequenceRules = [...]Rule{
	{
		ID: SEQ001, Name: "NT-SEQ-001", Severity: Information, Basis: Fact, Versions: v456, Heading: headingSequence,
		Sentence: "The sequence numbers of a capture thread have a gap, so that events were dropped.",
		Hint:     "The file is correct. Larger buffers, or fewer events, lose less.",
	},
	{
		ID: SEQ002, Name: "NT6-SEQ-002", Severity: Error, Basis: Text, Versions: V6, Heading: headingSequence,
		Sentence: "The sequence number of a capture thread neither repeats nor decreases.",
		Hint:     "Count each thread's events in 32 bits from 1, with the dropped ones.",
	},
	{
		ID: SEQ003, Name: "NT4-SEQ-003", Severity: Information, Basis: Fact, Versions: v45, Heading: headingSequence,
		Sentence: "The sequence number starts again at 1, probably because a new thread has the id of an ended one.",
		Hint:     "No change is necessary. Version 6 has thread indexes to distinguish the two.",
	},
	{
		ID: SEQ004, Name: "NT4-SEQ-004", Severity: Error, Basis: Text, Versions: v45, Heading: headingSequence,
		Sentence: "The sequence number of a capture thread does not repeat or decrease, except to 1.",
		Hint:     "Count each thread's events in 32 bits from 1, with the dropped ones.",
	},
	{
		ID: SEQ005, Name: "NT-SEQ-005", Severity: Information, Basis: Fact, Versions: v456, Heading: headingSequence,
		Sentence: "The first event of a capture thread has a number above 1, so that earlier events were dropped.",
		Hint:     "The file is correct, unless the thread's counter does not start at 1.",
	},
	{
		ID: SEQ006, Name: "NT-SEQ-006", Severity: Error, Also: Warning, Basis: Text, Versions: v456, Heading: headingSequence,
		Sentence: "The sequence numbers of the events are not all the same.",
		Hint:     "Keep a counter for each capture thread. Readers cannot find losses without it.",
	},
	{
		ID: SEQ007, Name: "NT-SEQ-007", Severity: Warning, Basis: Text, Versions: v456, Heading: headingSequence,
		Sentence: "Sequence numbers count the events of a capture thread, not those of the thread that an event is about.",
		Hint:     "Increase the counter of the thread that records the event.",
	},
	{
		ID: SEQ008, Name: "NT6-SEQ-008", Severity: Error, Basis: Text, Versions: V6, Heading: headingCompression,
		Sentence: "The sequence number increases by one on every row of version 6, also on one with a difference.",
		Hint:     "With flag 2, write number - previous - 1, modulo 2^32.",
	},
	{
		ID: SEQ010, Name: "NT6-SEQ-010", Severity: Error, Basis: Text, Versions: V6, Heading: headingSequence,
		Sentence: "The sequence number of a thread index starts again at 1 only after the index was removed or flushed.",
		Hint:     "Remove the index with a RemoveThread block before you use it for another thread.",
	},
}

// referenceRules are about the metadata ids of events. The rules of other
// references are in the groups of the rows that they refer to.
var referenceRules = [...]Rule{
	{
		ID: REF001, Name: "NT-REF-001", Severity: Error, Basis: Text, Versions: v456, Heading: headingOverview,
		Sentence: "The metadata id of an event is defined earlier in the stream.",
		Hint:     "Write the metadata row before the first event that refers to it.",
	},
	{
		ID: REF002, Name: "NT-REF-002", Severity: Error, Basis: Text, Except: Exception{v45, Reader}, Versions: v456, Heading: headingOverview,
		Sentence: "A metadata row is before the events that refer to it, not after them.",
		Hint:     "Flush the metadata block before the event block.",
	},
}
