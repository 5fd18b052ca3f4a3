package rule

// RetiredRule describes a number that is not in the catalogue.
type RetiredRule struct {
	// Name is the former name of the rule.
	Name string
	// Into are the rules that replace it. It is empty if the rule was removed.
	Into []ID
	// Reason is the reason, in one sentence.
	Reason string
}

// Retired lists the rules that were merged into others or removed before the
// first release, in the order of the catalogue. The caller must not modify it.
var Retired = [...]RetiredRule{
	{
		Name:   "NT6-BLK-008",
		Into:   []ID{STK001, SQP001, THR001, RMT001, LBL002},
		Reason: "Each kind of block has its own rule that requires that its rows fill it.",
	},
	{
		Name:   "NT6-BLK-009",
		Reason: "It described a case for testing readers, not a rule that a trace can violate.",
	},
	{
		Name:   "NT-CMP-010",
		Into:   []ID{ORD001},
		Reason: "A negative time difference without a change of capture thread is time going back on that thread.",
	},
	{
		Name:   "NT6-TYP-019",
		Reason: "It described a case for testing readers, not a rule that a trace can violate.",
	},
	{
		Name:   "NT4-MD4-002",
		Reason: "Metadata rows have no sequence: the .NET runtime lets their numbers fall from 0xFFFFFFFF within a block.",
	},
	{
		Name:   "NT4-MD4-006",
		Into:   []ID{MD008},
		Reason: "What makes a metadata id unique is the same in every version.",
	},
	{
		Name:   "NT-SEQ-009",
		Reason: "It described a case for testing readers, not a rule that a trace can violate.",
	},
	{
		Name:   "NT6-REF-003",
		Into:   []ID{STK009, LBL006, THR011, SQP012},
		Reason: "Each table that a sequence point flushes has its own rule against references across it.",
	},
	{
		Name:   "NT-EOS-007",
		Into:   []ID{EOS001, EOS004},
		Reason: "A missing end mark is one finding, which also reports whether it follows a complete block.",
	},
}
