package rule

// metadataRules are about metadata rows: their encoding in version 6, and their
// content in every version that has metadata blocks.
var metadataRules = [...]Rule{
	{
		ID: MD001, Name: "NT6-MD-001", Severity: Error, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "A metadata block has HeaderSize and as many bytes of header as HeaderSize says.",
		Hint:     "Write two zero bytes unless there is an extension: HeaderSize does not count itself.",
	},
	{
		ID: MD002, Name: "NT6-MD-002", Severity: Information, Basis: Fact, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "A metadata block has header bytes, which readers pass over.",
		Hint:     "Leave them if a reader of yours uses them. Otherwise write 0.",
	},
	{
		ID: MD003, Name: "NT6-MD-003", Severity: Error, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "Every metadata row fits into its block, and the last ends where the block ends.",
		Hint:     "Write each row into a buffer first and take its Size from there: Size does not count itself.",
	},
	{
		ID: MD004, Name: "NT6-MD-004", Severity: Error, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "A metadata row has id, provider name, event id, event name, field descriptions and the size of the optional metadata.",
		Hint:     "Write all of them, the size as 0 if there is no optional metadata; this last field is easily forgotten.",
	},
	{
		ID: MD005, Name: "NT6-MD-005", Severity: Information, Basis: Fact, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "A metadata row goes on after its optional metadata; readers pass over the rest.",
		Hint:     "Leave the bytes if a reader of yours uses them. Otherwise Size is too great.",
	},
	{
		ID: MD006, Name: "NT6-MD-006", Severity: Error, Basis: Reader, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "No metadata row defines id 0.",
		Hint:     "Number the rows from 1: 0 is what a compressed row starts with, and means no metadata.",
	},
	{
		ID: MD007, Name: "NT6-MD-007", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "Metadata ids are below 2^31.",
		Hint:     "Hand out small ids: an uncompressed row has only 31 bits for them.",
	},
	{
		ID: MD008, Name: "NT-MD-008", Severity: Error, Basis: Reader, Versions: v456, Heading: headingMetadataBlock,
		Sentence: "A metadata id is not 0 and is defined once, unless a sequence point has flushed the metadata in between.",
		Hint:     "Give each definition an id of its own. TraceEvent refuses a trace in which an id that is in use is defined again.",
	},
	{
		ID: MD009, Name: "NT-MD-009", Severity: Warning, Basis: Reader, Versions: v456, Heading: headingMetadataBlock,
		Sentence: "No two ids in use define the same provider, event id, version and name.",
		Hint:     "Keep a table of what was defined, and reuse the id. TraceEvent reads both by one list of fields: if the fields differ, give the second another event id.",
	},
	{
		ID: MD010, Name: "NT-MD-010", Severity: Information, Basis: Fact, Versions: v456, Heading: headingMetadataBlock,
		Sentence: "Metadata ids are sparse: the highest is over a hundred times their number, so tables waste memory.",
		Hint:     "Number the rows 1, 2, 3 in the order in which they are written.",
	},
	{
		ID: MD011, Name: "NT-MD-011", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingMetadataBlock,
		Sentence: "The provider name is not empty.",
		Hint:     "Write the name of the event source: without it no reader can find out what the event means.",
	},
	{
		ID: MD012, Name: "NT-MD-012", Severity: Warning, Also: Information, Basis: Plausible, Versions: v456, Heading: headingMetadataBlock,
		Sentence: "An event has an id other than 0 or a name; only the sampler of .NET has neither.",
		Hint:     "Give the event a number that is unique in its provider, or a name.",
	},
	{
		ID: MD013, Name: "NT-MD-013", Severity: Information, Basis: Fact, Versions: v456, Heading: headingMetadataBlock,
		Sentence: "The event name is empty; the event is known by provider and id alone.",
		Hint:     "Write a name, so that tools without a manifest can show one. The native events of .NET have none.",
	},
	{
		ID: MD014, Name: "NT6-MD-014", Severity: Error, Also: Warning, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "The strings of a metadata row are valid UTF-8, fit into it, and have neither NUL nor control characters.",
		Hint:     "Write UTF-8 with its length in bytes and no terminator, and strip control characters from names.",
	},
	{
		ID: MD015, Name: "NT-MD-015", Severity: Warning, Basis: Reader, Versions: v456, Heading: headingMetadataBlock,
		Sentence: "The event id is at most 65,535.",
		Hint:     "Use small ids: TraceEvent keeps only 16 bits.",
	},
	{
		ID: MD016, Name: "NT-MD-016", Severity: Information, Basis: Fact, Versions: v456, Heading: headingMetadataBlock,
		Sentence: "No event refers to this metadata row.",
		Hint:     "Write a row when its first event is written, if the file is to be small.",
	},
	{
		ID: MD017, Name: "NT6-MD-017", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "Provider and event name are plain names, without a provider GUID or a provider prefix inside.",
		Hint:     "Move the GUID to the ProviderGuid of the optional metadata, and the prefix to the provider name.",
	},
	{
		ID: MD018, Name: "NT6-MD-018", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "A metadata row is well below 65,535 bytes, and no description in it looks truncated by a 16-bit size.",
		Hint:     "Refuse rows whose size does not fit 16 bits instead of writing its low half; shorten texts or lists of fields.",
	},
}

// optionalRules are about the optional metadata of version 6. Level exists in
// versions 4 and 5 also, as a field of the definition.
var optionalRules = [...]Rule{
	{
		ID: OPT001, Name: "NT6-OPT-001", Severity: Error, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "The optional metadata fits into its row, and its elements fill its Size exactly.",
		Hint:     "Take Size from the finished elements: it does not count itself.",
	},
	{
		ID: OPT002, Name: "NT6-OPT-002", Severity: Error, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "The kind of an element of optional metadata is 1 or 3 to 9.",
		Hint:     "Put other properties into KeyValue (6): an unknown kind has no length, so readers cannot pass over it.",
	},
	{
		ID: OPT003, Name: "NT6-OPT-003", Severity: Error, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "Kind 2 of optional metadata, the V2Params of version 5, is not used in version 6.",
		Hint:     "Describe arrays in the ordinary field list.",
	},
	{
		ID: OPT004, Name: "NT6-OPT-004", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "Each kind of optional metadata but KeyValue occurs at most once in a row.",
		Hint:     "Write one element of each: readers differ in which of several they use.",
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
		Sentence: "Every row of a provider gives the same ProviderGuid, and it is not all zeros.",
		Hint:     "Leave the element out if the provider has no GUID.",
	},
	{
		ID: OPT008, Name: "NT6-OPT-008", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "ProviderGuid is in the byte order of the format: the first three parts are little-endian.",
		Hint:     "Swap the first 4, the next 2 and the next 2 bytes of a GUID in network order.",
	},
	{
		ID: OPT009, Name: "NT6-OPT-009", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "Every name in braces in a MessageTemplate is a field of the event.",
		Hint:     "Name the fields in the template as in the field list; mind letter case.",
	},
	{
		ID: OPT010, Name: "NT6-OPT-010", Severity: Error, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "The strings of the optional metadata are valid UTF-8.",
		Hint:     "Convert texts to UTF-8 before writing, and never truncate one inside a character.",
	},
	{
		ID: OPT011, Name: "NT6-OPT-011", Severity: Information, Basis: Fact, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "No event has a Level, Keyword or Version, so nothing can be filtered by them.",
		Hint:     "Write the elements 8, 3 and 9 if the source knows the values.",
	},
}
