package rule

// labelListRules are about label list blocks and the label list ids of events.
var labelListRules = [...]Rule{
	{
		ID: LBL001, Name: "NT6-LBL-001", Severity: Error, Basis: Text, Versions: V6, Heading: headingLabelList,
		Sentence: "The first index of a label list block is at least 1.",
		Hint:     "Begin with 1: index 0 is the empty list.",
	},
	{
		ID: LBL002, Name: "NT6-LBL-002", Severity: Error, Basis: Text, Versions: V6, Heading: headingLabelList,
		Sentence: "A label list block has exactly as many lists as its count says, and ends after them.",
		Hint:     "Count lists, not labels.",
	},
	{
		ID: LBL003, Name: "NT6-LBL-003", Severity: Error, Basis: Text, Versions: V6, Heading: headingLabelList,
		Sentence: "The low seven bits of a label's kind are 1 to 10.",
		Hint:     "Use kind 5 or 6 with a key for other labels: readers cannot skip an unknown kind, because it has no length.",
	},
	{
		ID: LBL004, Name: "NT6-LBL-004", Severity: Error, Basis: Text, Versions: V6, Heading: headingLabelList,
		Sentence: "The last label of each list has the high bit of its kind set.",
		Hint:     "Add 0x80 to the kind of the last label.",
	},
	{
		ID: LBL005, Name: "NT6-LBL-005", Severity: Error, Basis: Text, Versions: V6, Heading: headingLabelList,
		Sentence: "A label list index is defined once between two sequence points, and it fits 32 bits.",
		Hint:     "Continue the indexes in the next block, and begin again after a sequence point.",
	},
	{
		ID: LBL006, Name: "NT6-LBL-006", Severity: Error, Basis: Text, Versions: V6, Heading: headingLabelList,
		Sentence: "The label list id of an event is 0 or was defined since the last sequence point.",
		Hint:     "Write the label lists before the events, and again after each sequence point.",
	},
	{
		ID: LBL007, Name: "NT6-LBL-007", Severity: Error, Also: Warning, Basis: Text, Versions: V6, Heading: headingLabelList,
		Sentence: "The keys and values of labels are valid UTF-8, and no key is empty.",
		Hint:     "Encode texts as UTF-8, with the length in bytes.",
	},
	{
		ID: LBL008, Name: "NT6-LBL-008", Severity: Error, Also: Warning, Basis: Text, Versions: V6, Heading: headingLabelList,
		Sentence: "The value of a label of kind 6 is a signed variable-length number in zig-zag form.",
		Hint:     "Write (v << 1) ^ (v >> 63). Readers decode an unsigned number to half its value or to a negative one.",
	},
	{
		ID: LBL009, Name: "NT6-LBL-009", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingLabelList,
		Sentence: "A list has no key twice, and no kind of label without a key twice.",
		Hint:     "Write one of each: readers differ in which one of several they use.",
	},
	{
		ID: LBL010, Name: "NT6-LBL-010", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingLabelList,
		Sentence: "The value of a level label is at most 5.",
		Hint:     "Use 1 for critical to 5 for verbose, or 0 for always.",
	},
	{
		ID: LBL011, Name: "NT6-LBL-011", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingLabelList,
		Sentence: "TraceId and SpanId are not zero, and a list with a SpanId also has a TraceId.",
		Hint:     "Omit both labels if there is no trace context.",
	},
	{
		ID: LBL012, Name: "NT6-LBL-012", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingLabelList,
		Sentence: "An activity label is not a GUID of zeros.",
		Hint:     "Omit the label if there is no activity.",
	},
	{
		ID: LBL013, Name: "NT6-LBL-013", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingLabelList,
		Sentence: "OpCode, Keywords, Level and Version are labels of kinds 7 to 10, and not keys of kind 5 or 6.",
		Hint:     "Use kinds 7 to 10: only these override the metadata.",
	},
	{
		ID: LBL014, Name: "NT6-LBL-014", Severity: Information, Basis: Fact, Versions: V6, Heading: headingLabelList,
		Sentence: "The labels of every event repeat the opcode, keywords, level or version of its metadata.",
		Hint:     "Omit these labels: the metadata has the values once.",
	},
	{
		ID: LBL015, Name: "NT6-LBL-015", Severity: Information, Basis: Fact, Versions: V6, Heading: headingLabelList,
		Sentence: "No event uses a label list, or the list equals another one between two sequence points.",
		Hint:     "Keep a table of label lists and reuse the indexes.",
	},
	{
		ID: LBL016, Name: "NT6-LBL-016", Severity: Information, Basis: Fact, Versions: V6, Heading: headingLabelList,
		Sentence: "A label has key \"Error\" and value \"Expected actual values\", which one-collect writes when it has no labels.",
		Hint:     "Look for the cause in the recording program: the file does not contain the intended labels.",
	},
	{
		ID: LBL017, Name: "NT6-LBL-017", Severity: Information, Basis: Fact, Versions: V6, Heading: headingLabelList,
		Sentence: "A label list block has count 0.",
		Hint:     "Write a block only if there are new lists. The format allows an empty one.",
	},
}
