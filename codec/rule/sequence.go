package rule

// sequenceRules are about the sequence numbers of events, by capture thread. With
// d the difference from the last number modulo 2^32, the number repeats if d is 0;
// it skips d-1 events if it is greater than the last, or if it rolled over: the
// last was at least 2^31 and d is below 2^31. Otherwise it goes back. The first
// number counts from 0. Metadata rows have no sequence.
var sequenceRules = [...]Rule{
	{
		ID: SEQ001, Name: "NT-SEQ-001", Severity: Information, Basis: Fact, Versions: v456, Heading: headingSequence,
		Sentence: "The sequence numbers of a capture thread skip: events were dropped.",
		Hint:     "Nothing is wrong with the file. Greater buffers, or fewer events, lose less.",
	},
	{
		ID: SEQ002, Name: "NT6-SEQ-002", Severity: Error, Basis: Text, Versions: V6, Heading: headingSequence,
		Sentence: "The sequence number of a capture thread neither repeats nor goes back.",
		Hint:     "Count each thread's events in 32 bits from 1, dropped ones included.",
	},
	{
		ID: SEQ003, Name: "NT4-SEQ-003", Severity: Information, Basis: Fact, Versions: v45, Heading: headingSequence,
		Sentence: "The sequence number starts again at 1: probably a new thread with the id of one that has ended.",
		Hint:     "Nothing need be done. Version 6 has thread indexes that distinguish the two.",
	},
	{
		ID: SEQ004, Name: "NT4-SEQ-004", Severity: Error, Basis: Text, Versions: v45, Heading: headingSequence,
		Sentence: "The sequence number of a capture thread does not repeat or go back, except to 1.",
		Hint:     "Count each thread's events in 32 bits from 1, dropped ones included.",
	},
	{
		ID: SEQ005, Name: "NT-SEQ-005", Severity: Information, Basis: Fact, Versions: v456, Heading: headingSequence,
		Sentence: "The first event of a capture thread has a number above 1: earlier ones were dropped.",
		Hint:     "Nothing is wrong with the file, unless the thread's counter does not start at 1.",
	},
	{
		ID: SEQ006, Name: "NT-SEQ-006", Severity: Error, Also: Warning, Basis: Text, Versions: v456, Heading: headingSequence,
		Sentence: "Sequence numbers count: they are not the same for all events.",
		Hint:     "Keep a counter for each capture thread. Without it readers cannot detect losses.",
	},
	{
		ID: SEQ007, Name: "NT-SEQ-007", Severity: Warning, Basis: Text, Versions: v456, Heading: headingSequence,
		Sentence: "Sequence numbers count by capture thread, not by the thread that an event is about.",
		Hint:     "Increase the counter of the thread that records.",
	},
	{
		ID: SEQ008, Name: "NT6-SEQ-008", Severity: Error, Basis: Text, Versions: V6, Heading: headingCompression,
		Sentence: "In version 6 the sequence number grows by one on every row, also on rows that have a difference.",
		Hint:     "Write number - previous - 1 with flag 2, modulo 2^32.",
	},
	{
		ID: SEQ010, Name: "NT6-SEQ-010", Severity: Error, Basis: Text, Versions: V6, Heading: headingSequence,
		Sentence: "The counter of a thread index restarts only after the index was removed or flushed.",
		Hint:     "Remove the index with a RemoveThread block before it is used for another thread.",
	},
}

// referenceRules are about the metadata ids of events. The rules of other
// references are in the groups of the rows that they refer to.
var referenceRules = [...]Rule{
	{
		ID: REF001, Name: "NT-REF-001", Severity: Error, Basis: Text, Versions: v456, Heading: headingOverview,
		Sentence: "The metadata id of an event is defined earlier in the stream.",
		Hint:     "Write the metadata row before the first event that needs it.",
	},
	{
		ID: REF002, Name: "NT-REF-002", Severity: Error, Basis: Text, Versions: v456, Heading: headingOverview,
		Sentence: "A metadata row comes before the events that refer to it, not after them.",
		Hint:     "Flush the metadata block before the event block.",
	},
}
