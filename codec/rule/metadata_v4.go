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
		Sentence: "The payload of a definition is long enough for its eight fixed fields, from the metadata id to the field count.",
		Hint:     "Write metadata id, provider, event id, event name, keywords, version, level and field count. Without fields the count is 0.",
	},
	{
		ID: MD4004, Name: "NT4-MD4-004", Severity: Error, Also: Warning, Basis: Text, Versions: v45, Heading: headingMetadataEvent45,
		Sentence: "Provider, event and field names end with a NUL inside the payload and are valid UTF-16.",
		Hint:     "Write two bytes per code unit and a terminator of two zero bytes, also after an empty name.",
	},
	{
		ID: MD4005, Name: "NT4-MD4-005", Severity: Error, Basis: Text, Versions: v45, Heading: headingMetadataEvent45,
		Sentence: "The field count is not negative, and the rest of the payload is long enough for the fields.",
		Hint:     "Write the number of fields of this level. A field takes at least six bytes.",
	},
	{
		ID: MD4007, Name: "NT4-MD4-007", Severity: Warning, Basis: Reader, Versions: v45, Heading: headingMetadataEvent45,
		Sentence: "Version and level fit 8 bits, level is at most 5, and event id is at most 65,535.",
		Hint:     "Use these smaller ranges: TraceEvent ignores higher bits.",
	},
	{
		ID: MD4008, Name: "NT4-MD4-008", Severity: Error, Basis: Text, Versions: v45, Heading: headingMetadataEvent45,
		Sentence: "The type code of a field is 1 or 3 to 18, or 19 in a V2Params tag.",
		Hint:     "Use one of these codes: the types 0 and 2 have no value.",
	},
	{
		ID: MD4009, Name: "NT4-MD4-009", Severity: Error, Basis: Text, Versions: v45, Heading: headingMetadataEvent45,
		Sentence: "The name of an Object follows the count and the descriptions of its fields.",
		Hint:     "Write the type code, then the nested list, then the name.",
	},
}

// tagRules are about the tags after a definition, which make a trace one of
// version 5. The version of the Trace object does not show it: it stays 4.
var tagRules = [...]Rule{
	{
		ID: TAG001, Name: "NT5-TAG-001", Severity: Error, Basis: Text, Versions: V5, Heading: headingMetadataEvent45,
		Sentence: "Each metadata tag fits into the payload, and the last tag ends where the payload ends.",
		Hint:     "Write the size of the tag's payload in 32 bits, then the kind in 8 bits, then the payload.",
	},
	{
		ID: TAG002, Name: "NT5-TAG-002", Severity: Error, Also: Information, Basis: Text, Versions: V5, Heading: headingMetadataEvent45,
		Sentence: "The opcode tag has a payload of one byte, and readers use only the first byte of a longer one.",
		Hint:     "Write size 1, kind 1 and the opcode.",
	},
	{
		ID: TAG003, Name: "NT5-TAG-003", Severity: Error, Basis: Text, Versions: V5, Heading: headingMetadataEvent45,
		Sentence: "The first field count is 0 if there is a V2Params tag.",
		Hint:     "Write all fields into the tag.",
	},
	{
		ID: TAG004, Name: "NT5-TAG-004", Severity: Error, Basis: Reader, Versions: V5, Heading: headingMetadataEvent45,
		Sentence: "A field of a V2Params tag has the order size, name, type code, element type.",
		Hint:     "Write the size first. Older copies of the specification have another order, which the .NET runtime does not write.",
	},
	{
		ID: TAG005, Name: "NT5-TAG-005", Severity: Error, Also: Information, Basis: Reader, Versions: V5, Heading: headingMetadataEvent45,
		Sentence: "The size of a V2Params field includes all its bytes, also its own four.",
		Hint:     "Compute the size from the complete field. Readers skip further bytes.",
	},
	{
		ID: TAG006, Name: "NT5-TAG-006", Severity: Information, Basis: Fact, Versions: V5, Heading: headingMetadataEvent45,
		Sentence: "A metadata tag has a kind other than 1 and 2, and readers skip it.",
		Hint:     "No change is necessary. Kind 3 with 16 bytes is the provider GUID of NetTraceGen.",
	},
	{
		ID: TAG007, Name: "NT5-TAG-007", Severity: Warning, Also: Information, Basis: Plausible, Versions: V5, Heading: headingMetadataEvent45,
		Sentence: "Each kind of metadata tag occurs at most once; a V2Params tag without an array is allowed and not necessary.",
		Hint:     "Write one tag of each kind. Write the first field list if no field is an array.",
	},
	{
		ID: TAG008, Name: "NT5-TAG-008", Severity: Information, Basis: Fact, Versions: V5, Heading: headingMetadataEvent45,
		Sentence: "An opcode tag has opcode 0, which readers assume without a tag.",
		Hint:     "Omit the tag for opcode 0.",
	},
}
