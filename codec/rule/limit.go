package rule

// limitRules are about the limits that a reader sets for its own safety. The format
// has none of them: a correct trace can exceed one.
var limitRules = [...]Rule{
	{
		ID: LIM001, Name: "NT-LIM-001", Severity: Error, Basis: Reader, Versions: all,
		Sentence: "A block is no longer than the reader allows.",
		Hint:     "Write smaller blocks, or raise the limit if you trust the file.",
	},
	{
		ID: LIM002, Name: "NT-LIM-002", Severity: Error, Basis: Reader, Versions: all,
		Sentence: "The trace defines no more metadata rows than the reader allows.",
		Hint:     "Reuse ids for events of the same type, or raise the limit if you trust the file.",
	},
	{
		ID: LIM003, Name: "NT-LIM-003", Severity: Error, Basis: Reader, Versions: all,
		Sentence: "A metadata row has no more fields, with nested ones, than the reader allows.",
		Hint:     "Split the event, or raise the limit if you trust the file.",
	},
	{
		ID: LIM004, Name: "NT-LIM-004", Severity: Error, Basis: Reader, Versions: all,
		Sentence: "Types nest no deeper than the reader allows.",
		Hint:     "Flatten the event, or raise the limit if you trust the file.",
	},
	{
		ID: LIM005, Name: "NT-LIM-005", Severity: Error, Basis: Reader, Versions: all,
		Sentence: "A string is no longer than the reader allows.",
		Hint:     "Shorten it, or raise the limit if you trust the file.",
	},
	{
		ID: LIM006, Name: "NT-LIM-006", Severity: Error, Basis: Reader, Versions: all,
		Sentence: "A stack, and all stacks between two sequence points, are no larger than the reader allows.",
		Hint:     "Write sequence points more often and each stack once, or raise the limit if you trust the file.",
	},
	{
		ID: LIM007, Name: "NT-LIM-007", Severity: Error, Basis: Reader, Versions: all,
		Sentence: "The number of threads defined at the same time is no larger than the reader allows.",
		Hint:     "Remove threads that have ended, or raise the limit if you trust the file.",
	},
	{
		ID: LIM008, Name: "NT-LIM-008", Severity: Error, Basis: Reader, Versions: all,
		Sentence: "The number of labels between two sequence points is no larger than the reader allows.",
		Hint:     "Write sequence points more often and each list once, or raise the limit if you trust the file.",
	},
	{
		ID: LIM009, Name: "NT-LIM-009", Severity: Error, Basis: Reader, Versions: all,
		Sentence: "All tables and buffers together take no more memory than the reader allows.",
		Hint:     "Write sequence points more often, or raise the limit if you trust the file.",
	},
	{
		ID: LIM010, Name: "NT-LIM-010", Severity: Warning, Basis: Reader, Versions: all,
		Sentence: "The events that a reader keeps to sort them by time fit into its buffer.",
		Hint:     "Write sequence points and sorted rows more often, or raise the limit. Above it, events may be late.",
	},
}
