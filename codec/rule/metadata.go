package rule

// metadataRules are about metadata rows: their encoding in version 6, and their
// content in every version that has metadata blocks.
var metadataRules = [...]Rule{
	{
		ID: MD001, Name: "NT6-MD-001", Severity: Error, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "A metadata block has the field HeaderSize and as many header bytes as it says.",
		Hint:     "Write two zero bytes unless there is an extension. HeaderSize does not include itself.",
	},
	{
		ID: MD002, Name: "NT6-MD-002", Severity: Information, Basis: Fact, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "A metadata block has header bytes, which readers skip.",
		Hint:     "Ignore this if your reader uses them. Otherwise write 0.",
	},
	{
		ID: MD003, Name: "NT6-MD-003", Severity: Error, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "Every metadata row fits into its block, and the last row ends where the block ends.",
		Hint:     "Write each row into a buffer first and compute its Size from it. Size does not include itself.",
	},
	{
		ID: MD004, Name: "NT6-MD-004", Severity: Error, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "A metadata row has id, provider name, event id, event name, field descriptions and the size of the optional metadata.",
		Hint:     "Write all of them. Without optional metadata its size is 0, a field that writers often forget.",
	},
	{
		ID: MD005, Name: "NT6-MD-005", Severity: Information, Basis: Fact, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "A metadata row has bytes after its optional metadata, which readers skip.",
		Hint:     "Ignore this if your reader uses them. Otherwise Size is too large.",
	},
	{
		ID: MD006, Name: "NT6-MD-006", Severity: Error, Basis: Reader, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "No metadata row defines id 0.",
		Hint:     "Number the rows from 1: an id of 0 in an event row means no metadata.",
	},
	{
		ID: MD007, Name: "NT6-MD-007", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "Metadata ids are below 2^31.",
		Hint:     "Use small ids: an uncompressed row has 31 bits for them.",
	},
	{
		ID: MD008, Name: "NT-MD-008", Severity: Error, Basis: Reader, Versions: v456, Heading: headingMetadataBlock,
		Sentence: "A metadata id is not 0 and is defined once, or again after a sequence point that flushes the metadata.",
		Hint:     "Give each definition its own id. TraceEvent rejects a trace that defines an id twice.",
	},
	{
		ID: MD009, Name: "NT-MD-009", Severity: Warning, Basis: Reader, Versions: v456, Heading: headingMetadataBlock,
		Sentence: "No two metadata ids define the same provider, event id, version and name.",
		Hint:     "Reuse the id of the first definition. If the fields differ, use another event id: TraceEvent reads both with the same fields.",
	},
	{
		ID: MD010, Name: "NT-MD-010", Severity: Information, Basis: Fact, Versions: v456, Heading: headingMetadataBlock,
		Sentence: "The highest metadata id is more than a hundred times the number of ids, so that tables waste memory.",
		Hint:     "Number the rows 1, 2, 3 in the order in which you write them.",
	},
	{
		ID: MD011, Name: "NT-MD-011", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingMetadataBlock,
		Sentence: "The provider name is not empty.",
		Hint:     "Write the name of the event source: readers need it to interpret the event.",
	},
	{
		ID: MD012, Name: "NT-MD-012", Severity: Warning, Also: Information, Basis: Plausible, Versions: v456, Heading: headingMetadataBlock,
		Sentence: "An event has an id other than 0 or a name; only the sampler of .NET has neither.",
		Hint:     "Give the event a name, or an id that is unique in its provider.",
	},
	{
		ID: MD013, Name: "NT-MD-013", Severity: Information, Basis: Fact, Versions: v456, Heading: headingMetadataBlock,
		Sentence: "The event name is empty, so that only provider and id identify the event.",
		Hint:     "Write a name for tools without a manifest. The native events of .NET have none.",
	},
	{
		ID: MD014, Name: "NT6-MD-014", Severity: Error, Also: Warning, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "The strings of a metadata row are valid UTF-8, fit into the row, and contain neither NUL nor control characters.",
		Hint:     "Write UTF-8 with its length in bytes and no terminator, and remove control characters from names.",
	},
	{
		ID: MD015, Name: "NT-MD-015", Severity: Warning, Basis: Reader, Versions: v456, Heading: headingMetadataBlock,
		Sentence: "The event id is at most 65,535.",
		Hint:     "Use small ids: TraceEvent keeps 16 bits of them.",
	},
	{
		ID: MD016, Name: "NT-MD-016", Severity: Information, Basis: Fact, Versions: v456, Heading: headingMetadataBlock,
		Sentence: "No event refers to this metadata row.",
		Hint:     "Write a metadata row together with its first event, if the file should be small.",
	},
	{
		ID: MD017, Name: "NT6-MD-017", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "The provider name and the event name contain neither a provider GUID nor the name of the provider as a prefix.",
		Hint:     "Write the GUID as ProviderGuid of the optional metadata, and the prefix into the provider name.",
	},
	{
		ID: MD018, Name: "NT6-MD-018", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "A metadata row is well below 65,535 bytes, and no description in it looks truncated by a 16-bit size.",
		Hint:     "Refuse a row whose size does not fit 16 bits instead of writing the low 16 bits. Shorten texts or lists of fields.",
	},
}

// optionalRules are about the optional metadata of version 6. Versions
// 4 and 5 have Level too, as a field of the definition.
var optionalRules = [...]Rule{
	{
		ID: OPT001, Name: "NT6-OPT-001", Severity: Error, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "The optional metadata fits into its row, and its elements have exactly the length Size.",
		Hint:     "Compute Size from the complete elements. It does not include itself.",
	},
	{
		ID: OPT002, Name: "NT6-OPT-002", Severity: Error, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "The kind of an element of optional metadata is 1 or 3 to 9.",
		Hint:     "Write other properties as KeyValue (6): readers cannot skip an unknown kind, because it has no length.",
	},
	{
		ID: OPT003, Name: "NT6-OPT-003", Severity: Error, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "Kind 2 of optional metadata, the V2Params of version 5, is not used in version 6.",
		Hint:     "Write arrays into the field list, like all other types.",
	},
	{
		ID: OPT004, Name: "NT6-OPT-004", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "No kind of optional metadata except KeyValue occurs twice in a row.",
		Hint:     "Write one element of each kind: readers differ in which one of several they use.",
	},
	{
		ID: OPT005, Name: "NT6-OPT-005", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "No key occurs in two KeyValue elements of one row.",
		Hint:     "Merge the values or number the keys.",
	},
	{
		ID: OPT006, Name: "NT-OPT-006", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingMetadataBlock,
		Sentence: "The Level of an event is at most 5.",
		Hint:     "Use 1 for critical to 5 for verbose, or 0 for always.",
	},
	{
		ID: OPT007, Name: "NT6-OPT-007", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "All rows of a provider have the same ProviderGuid, and it is not zero.",
		Hint:     "Omit the element if the provider has no GUID.",
	},
	{
		ID: OPT008, Name: "NT6-OPT-008", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "ProviderGuid is in the byte order of the format: the first three parts are little-endian.",
		Hint:     "Swap the first 4, the next 2 and the next 2 bytes of a GUID in network order.",
	},
	{
		ID: OPT009, Name: "NT6-OPT-009", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "Every name in braces in a MessageTemplate is the name of a field of the event.",
		Hint:     "Write the names of the fields as in the field list, with the same letter case.",
	},
	{
		ID: OPT010, Name: "NT6-OPT-010", Severity: Error, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "The strings of the optional metadata are valid UTF-8.",
		Hint:     "Convert texts to UTF-8 before writing, and do not truncate one inside a character.",
	},
	{
		ID: OPT011, Name: "NT6-OPT-011", Severity: Information, Basis: Fact, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "No event has a Level, Keyword or Version, so that users cannot filter by them.",
		Hint:     "Write the elements 8, 3 and 9 if the source has the values.",
	},
}
