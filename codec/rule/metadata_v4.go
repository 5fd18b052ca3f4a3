package rule

// metadataV4Rules are about the encoding of definitions as payloads of event rows.
var metadataV4Rules = [...]Rule{
	{
		ID: MD4001, Name: "NT4-MD4-001", Severity: Error, Basis: Text, Versions: v45, Heading: headingMetadataBlock45,
		Sentence: "Every row of a MetadataBlock has metadata id 0 in its row header.",
		Hint:     "Write 0 there: the id of the definition is at the start of the payload.",
	},
	{
		ID: MD4003, Name: "NT4-MD4-003", Severity: Error, Basis: Text, Versions: v45, Heading: headingMetadataEvent45,
		Sentence: "The payload of a definition has all eight fixed parts, from the metadata id to the field count.",
		Hint:     "Write metadata id, provider, event id, event name, keywords, version, level and field count; the last is 0 if there are no fields.",
	},
	{
		ID: MD4004, Name: "NT4-MD4-004", Severity: Error, Also: Warning, Basis: Text, Versions: v45, Heading: headingMetadataEvent45,
		Sentence: "Provider, event and field names end with a NUL inside the payload and are valid UTF-16.",
		Hint:     "Write two bytes per code unit and a terminator of two zero bytes, also after an empty name.",
	},
	{
		ID: MD4005, Name: "NT4-MD4-005", Severity: Error, Basis: Text, Versions: v45, Heading: headingMetadataEvent45,
		Sentence: "The field count is not negative and not more than the rest of the payload can hold.",
		Hint:     "Write the number of fields of this level. A field takes at least six bytes.",
	},
	{
		ID: MD4007, Name: "NT4-MD4-007", Severity: Warning, Basis: Reader, Versions: v45, Heading: headingMetadataEvent45,
		Sentence: "Version and level fit a byte, level is at most 5, and event id is at most 65,535.",
		Hint:     "Keep to the smaller ranges: TraceEvent truncates larger values.",
	},
	{
		ID: MD4008, Name: "NT4-MD4-008", Severity: Error, Basis: Text, Versions: v45, Heading: headingMetadataEvent45,
		Sentence: "The type code of a field is 1 or 3 to 18, or 19 in a V2Params tag.",
		Hint:     "Map the type to one of these codes: 0 and 2 carry no value.",
	},
	{
		ID: MD4009, Name: "NT4-MD4-009", Severity: Error, Basis: Text, Versions: v45, Heading: headingMetadataEvent45,
		Sentence: "An Object gives the count and the fields it contains before its own name.",
		Hint:     "Write type code, then the nested list, then the name.",
	},
}

// tagRules are about the tags after a definition, which make a trace one of
// version 5. The version of the Trace object does not show it: it stays 4.
var tagRules = [...]Rule{
	{
		ID: TAG001, Name: "NT5-TAG-001", Severity: Error, Basis: Text, Versions: V5, Heading: headingMetadataEvent45,
		Sentence: "Each metadata tag fits into the payload, and the last one ends where the payload ends.",
		Hint:     "Write the payload size in 32 bits, without itself and the kind, then the kind byte, then the payload.",
	},
	{
		ID: TAG002, Name: "NT5-TAG-002", Severity: Error, Also: Information, Basis: Text, Versions: V5, Heading: headingMetadataEvent45,
		Sentence: "The opcode tag has a payload of one byte; of a longer one the first byte counts.",
		Hint:     "Write size 1, kind 1 and the opcode.",
	},
	{
		ID: TAG003, Name: "NT5-TAG-003", Severity: Error, Basis: Text, Versions: V5, Heading: headingMetadataEvent45,
		Sentence: "If there is a V2Params tag, the first field count is 0.",
		Hint:     "Move all fields into the tag.",
	},
	{
		ID: TAG004, Name: "NT5-TAG-004", Severity: Error, Basis: Reader, Versions: V5, Heading: headingMetadataEvent45,
		Sentence: "A field of a V2Params tag is size, name, type code and then the element type.",
		Hint:     "Write the size first, counting itself. Older copies of the description show another order; the .NET runtime does not write it.",
	},
	{
		ID: TAG005, Name: "NT5-TAG-005", Severity: Error, Also: Information, Basis: Reader, Versions: V5, Heading: headingMetadataEvent45,
		Sentence: "The size of a V2Params field counts all its bytes, the four of the size included.",
		Hint:     "Take the size from the finished field; a greater one only adds padding.",
	},
	{
		ID: TAG006, Name: "NT5-TAG-006", Severity: Information, Basis: Fact, Versions: V5, Heading: headingMetadataEvent45,
		Sentence: "A metadata tag has a kind besides 1 and 2, which readers pass over.",
		Hint:     "Nothing need be done. Kind 3 with 16 bytes is the provider GUID of NetTraceGen.",
	},
	{
		ID: TAG007, Name: "NT5-TAG-007", Severity: Warning, Also: Information, Basis: Plausible, Versions: V5, Heading: headingMetadataEvent45,
		Sentence: "Each kind of metadata tag occurs at most once; a V2Params tag without any array is legal but not needed.",
		Hint:     "Write one tag of each kind, and the first field list where it suffices.",
	},
	{
		ID: TAG008, Name: "NT5-TAG-008", Severity: Information, Basis: Fact, Versions: V5, Heading: headingMetadataEvent45,
		Sentence: "An opcode tag says 0, which is what readers assume without it.",
		Hint:     "Leave the tag out for opcode 0.",
	},
}
