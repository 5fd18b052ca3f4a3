package rule

// typeRules are about the fields that metadata declares, and their types.
var typeRules = [...]Rule{
	{
		ID: TYP001, Name: "NT6-TYP-001", Severity: Error, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "A list of fields has as many descriptions as its Count says, inside the row.",
		Hint:     "Count the descriptions of this level only, not those of nested objects.",
	},
	{
		ID: TYP002, Name: "NT6-TYP-002", Severity: Error, Also: Information, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "FieldSize covers the name and the type; readers skip bytes left over.",
		Hint:     "Take FieldSize from the finished description: it does not count itself, but does count everything nested.",
	},
	{
		ID: TYP003, Name: "NT6-TYP-003", Severity: Error, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "The type code of a field is 1, 3 to 14, or 16 to 26.",
		Hint:     "Map the type to one of these codes; Boolean8 (26) is the newest.",
	},
	{
		ID: TYP004, Name: "NT6-TYP-004", Severity: Error, Also: Warning, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "The type codes 0, 2 and 15, which are not in the list of version 6, are not used.",
		Hint:     "Drop the field, or send a decimal number (15) as a Double or as text.",
	},
	{
		ID: TYP005, Name: "NT6-TYP-005", Severity: Error, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "The element type of an array, fixed-length array, RelLoc or DataLoc is inside FieldSize.",
		Hint:     "Write the element's type code right after 19, 22, 24 or 25.",
	},
	{
		ID: TYP006, Name: "NT6-TYP-006", Severity: Error, Also: Warning, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "A fixed-length array states its element count after the element type, and the count is above 0.",
		Hint:     "Write element type first, then the count in 16 bits.",
	},
	{
		ID: TYP007, Name: "NT6-TYP-007", Severity: Error, Also: Information, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "An Object carries the list of its fields; an empty list is legal but useless.",
		Hint:     "Write a count and the descriptions after type code 1, also if the count is 0.",
	},
	{
		ID: TYP008, Name: "NT6-TYP-008", Severity: Error, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "The element type of a RelLoc or DataLoc has a fixed size, nested elements included.",
		Hint:     "Use an Array (19) for elements of varying length: a locator cannot refer to counted arrays and text.",
	},
	{
		ID: TYP009, Name: "NT6-TYP-009", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "The element of a RelLoc or DataLoc is no VarInt or VarUInt.",
		Hint:     "Use integers of fixed width: the specification allows these two, but the number of elements cannot be computed from the size.",
	},
	{
		ID: TYP010, Name: "NT6-TYP-010", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "A RelLoc or DataLoc is at the top level, not inside another locator, an array or an object.",
		Hint:     "Move it to the top level: the specification does not say from where a nested position counts.",
	},
	{
		ID: TYP011, Name: "NT-TYP-011", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingMetadataBlock,
		Sentence: "Types nest at most 32 levels deep, and one event has at most 10,000 fields.",
		Hint:     "Flatten the event. Readers limit both as a protection against hostile input.",
	},
	{
		ID: TYP012, Name: "NT-TYP-012", Severity: Warning, Basis: Reader, Versions: v456, Heading: headingMetadataBlock,
		Sentence: "No two fields of one object or event have the same name.",
		Hint:     "Rename one: readers that look fields up by name find only the last.",
	},
	{
		ID: TYP013, Name: "NT-TYP-013", Severity: Warning, Also: Information, Basis: Plausible, Versions: v456, Heading: headingMetadataBlock,
		Sentence: "A field has a name; only the single field of a self-describing event may go without.",
		Hint:     "Write the parameter's name. An index such as Arg0 is better than nothing.",
	},
	{
		ID: TYP014, Name: "NT6-TYP-014", Severity: Error, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "A field declared as one code unit holds one code unit, not a counted text.",
		Hint:     "Declare text with a 16-bit count as Array (19) of UTF8CodeUnit (23) or UTF16CodeUnit (4).",
	},
	{
		ID: TYP015, Name: "NT6-TYP-015", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "A field whose name or type has __data_loc or __rel_loc is not declared as a plain integer.",
		Hint:     "Declare DataLoc (25) or RelLoc (24) with its element type, so that readers follow it.",
	},
	{
		ID: TYP016, Name: "NT4-TYP-016", Severity: Error, Basis: Text, Versions: v45, Heading: headingMetadataEvent45,
		Sentence: "The type codes 20 to 26 are not used before version 6.",
		Hint:     "Use the older types, or write version 6.",
	},
	{
		ID: TYP017, Name: "NT4-TYP-017", Severity: Error, Basis: Text, Versions: v45, Heading: headingMetadataEvent45,
		Sentence: "Array (19) occurs in the second field list only, that of the V2Params tag.",
		Hint:     "Set the first field count to 0 and write all fields into a V2Params tag.",
	},
	{
		ID: TYP018, Name: "NT6-TYP-018", Severity: Warning, Basis: Reader, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "A fixed-length array takes at most 65,535 bytes.",
		Hint:     "Split it or use an Array (19): TraceEvent refuses greater ones.",
	},
}
