package rule

// traceRules are about the Trace block, or Trace object, and its key-value pairs.
var traceRules = [...]Rule{
	{
		ID: TRC001, Name: "NT-TRC-001", Severity: Error, Basis: Text, Except: Exception{V3, Reader}, Versions: all, Heading: headingTraceBlock,
		Sentence: "The Trace block has all its fields and nothing else: 48 bytes before version 6, then 40 bytes and the key-value pairs.",
		Hint:     "Write the fields in their order without padding, and compute the size from the written bytes.",
	},
	{
		ID: TRC002, Name: "NT-TRC-002", Severity: Error, Basis: Text, Except: Exception{V3, Reader}, Versions: all, Heading: headingTraceBlock,
		Sentence: "SyncTimeUTC is a valid date and time of day, with milliseconds up to 999.",
		Hint:     "Fill year, month, day of week, day, hour, minute, second and millisecond in this order; months and days count from 1.",
	},
	{
		ID: TRC003, Name: "NT-TRC-003", Severity: Warning, Basis: Plausible, Versions: all, Heading: headingTraceBlock,
		Sentence: "DayOfWeek is the weekday of the date, counted from 0 for Sunday.",
		Hint:     "Count as SYSTEMTIME does. A writer that counts from 0 for Monday is off by one.",
	},
	{
		ID: TRC004, Name: "NT-TRC-004", Severity: Warning, Basis: Plausible, Versions: all, Heading: headingTraceBlock,
		Sentence: "The year of SyncTimeUTC is between 2015 and next year.",
		Hint:     "Read the start time from the clock in UTC. A date of zeros means that the writer never set the field.",
	},
	{
		ID: TRC005, Name: "NT-TRC-005", Severity: Error, Basis: Text, Except: Exception{V3, Reader}, Versions: all, Heading: headingTraceBlock,
		Sentence: "TickFrequency is above 0.",
		Hint:     "Write the ticks per second of the clock of the events, for example 1,000,000,000 for nanoseconds.",
	},
	{
		ID: TRC006, Name: "NT-TRC-006", Severity: Warning, Basis: Plausible, Versions: all, Heading: headingTraceBlock,
		Sentence: "TickFrequency is between 1,000 and 10,000,000,000 ticks per second.",
		Hint:     "Write ticks per second, not the length of a tick.",
	},
	{
		ID: TRC007, Name: "NT-TRC-007", Severity: Warning, Basis: Plausible, Versions: all, Heading: headingTraceBlock,
		Sentence: "SyncTimeTicks is not negative.",
		Hint:     "Read the clock of the events at the time of SyncTimeUTC.",
	},
	{
		ID: TRC008, Name: "NT-TRC-008", Severity: Error, Basis: Text, Except: Exception{V3, Reader}, Versions: all, Heading: headingTraceBlock,
		Sentence: "PointerSize is 4 or 8.",
		Hint:     "Write the number of bytes, not of bits, of an address in the stacks.",
	},
	{
		ID: TRC009, Name: "NT4-TRC-009", Severity: Warning, Basis: Plausible, Versions: v45, Heading: headingTraceBlock45,
		Sentence: "ProcessId and NumberOfProcessors are above 0, and ExpectedCPUSamplingRate is not negative.",
		Hint:     "Write the values of the traced process. Only the sampling rate may be 0.",
	},
	{
		ID: TRC010, Name: "NT6-TRC-010", Severity: Error, Basis: Text, Versions: V6, Heading: headingTraceBlock,
		Sentence: "KeyValueCount is not negative, and as many pairs follow inside the block.",
		Hint:     "Count pairs, not strings, and write the count after the list is complete.",
	},
	{
		ID: TRC011, Name: "NT6-TRC-011", Severity: Error, Also: Warning, Basis: Text, Versions: V6, Heading: headingTraceBlock,
		Sentence: "The keys and values of the Trace block are valid UTF-8, and no key is empty.",
		Hint:     "Encode the text as UTF-8 and measure its length in bytes.",
	},
	{
		ID: TRC012, Name: "NT6-TRC-012", Severity: Warning, Basis: Reader, Versions: V6, Heading: headingTraceBlock,
		Sentence: "No key occurs twice in the Trace block.",
		Hint:     "Merge the values or number the keys: readers keep the pairs in a dictionary and lose all but one.",
	},
	{
		ID: TRC013, Name: "NT6-TRC-013", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingTraceBlock,
		Sentence: "The values of HardwareThreadCount, ProcessId and ExpectedCPUSamplingRate are decimal integers that are not negative.",
		Hint:     "Write digits only, without a sign, unit, space or separator.",
	},
	{
		ID: TRC014, Name: "NT6-TRC-014", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingTraceBlock,
		Sentence: "No key differs from HardwareThreadCount, ProcessId or ExpectedCPUSamplingRate only in letter case or spaces.",
		Hint:     "Spell the three keys exactly: readers compare all characters.",
	},
	{
		ID: TRC015, Name: "NT6-TRC-015", Severity: Information, Basis: Fact, Versions: V6, Heading: headingTraceBlock,
		Sentence: "Neither the key ProcessId nor a thread row names the traced process.",
		Hint:     "Add the key ProcessId, or OSProcessId to each thread row.",
	},
}
