package rule

// typeRules are about the fields that metadata declares, and their types.
var typeRules = [...]Rule{
	{
		ID: TYP001, Name: "NT6-TYP-001", Severity: Error, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "A list of fields has as many descriptions as its Count says, inside the row.",
		Hint:     "Count the descriptions of this level, not those of nested objects.",
	},
	{
		ID: TYP002, Name: "NT6-TYP-002", Severity: Error, Also: Information, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "FieldSize covers the name and the type, and readers skip further bytes.",
		Hint:     "Compute FieldSize from the complete description. It includes nested descriptions and not itself.",
	},
	{
		ID: TYP003, Name: "NT6-TYP-003", Severity: Error, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "The type code of a field is 1, 3 to 14, or 16 to 26.",
		Hint:     "Use one of these codes. The newest one is Boolean8 (26).",
	},
	{
		ID: TYP004, Name: "NT6-TYP-004", Severity: Error, Also: Warning, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "No field has the type code 0, 2 or 15, which version 6 does not define.",
		Hint:     "Omit the field, or write a decimal number (15) as a Double or as text.",
	},
	{
		ID: TYP005, Name: "NT6-TYP-005", Severity: Error, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "FieldSize includes the element type of an array, fixed-length array, RelLoc or DataLoc.",
		Hint:     "Write the element's type code right after 19, 22, 24 or 25.",
	},
	{
		ID: TYP006, Name: "NT6-TYP-006", Severity: Error, Also: Warning, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "A fixed-length array has a count of elements after the element type, and the count is not 0.",
		Hint:     "Write the element type first, then the count in 16 bits.",
	},
	{
		ID: TYP007, Name: "NT6-TYP-007", Severity: Error, Also: Information, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "An Object has a list of fields, which may be empty but is then useless.",
		Hint:     "Write a count and the descriptions after type code 1, also for a count of 0.",
	},
	{
		ID: TYP008, Name: "NT6-TYP-008", Severity: Error, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "The element type of a RelLoc or DataLoc has a fixed size, and so do all types nested in it.",
		Hint:     "Use an Array (19) for elements of varying length: a locator cannot refer to counted arrays or text.",
	},
	{
		ID: TYP009, Name: "NT6-TYP-009", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "The element type of a RelLoc or DataLoc is not VarInt or VarUInt.",
		Hint:     "Use integers of fixed width. The text allows these two, but then the size does not determine the number of elements.",
	},
	{
		ID: TYP010, Name: "NT6-TYP-010", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "A RelLoc or DataLoc is not inside another locator, an array or an object.",
		Hint:     "Move it to the top level: the text does not define the origin of a nested position.",
	},
	{
		ID: TYP011, Name: "NT-TYP-011", Severity: Warning, Basis: Plausible, Versions: v456, Heading: headingMetadataBlock,
		Sentence: "Types nest at most 32 levels deep, and an event has at most 10,000 fields.",
		Hint:     "Flatten the event. Readers limit both to protect themselves from malicious input.",
	},
	{
		ID: TYP012, Name: "NT-TYP-012", Severity: Warning, Basis: Reader, Versions: v456, Heading: headingMetadataBlock,
		Sentence: "No two fields of one object or event have the same name.",
		Hint:     "Rename one of them: readers that look up fields by name find only the last.",
	},
	{
		ID: TYP013, Name: "NT-TYP-013", Severity: Warning, Also: Information, Basis: Plausible, Versions: v456, Heading: headingMetadataBlock,
		Sentence: "A field has a name, except the only field of a self-describing event.",
		Hint:     "Write the parameter's name, or at least a position such as Arg0.",
	},
	{
		ID: TYP014, Name: "NT6-TYP-014", Severity: Error, Basis: Text, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "A field declared as a single code unit has a single code unit, not a text with a length.",
		Hint:     "Declare a text with a 16-bit length as Array (19) of UTF8CodeUnit (23) or UTF16CodeUnit (4).",
	},
	{
		ID: TYP015, Name: "NT6-TYP-015", Severity: Warning, Basis: Plausible, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "A field whose name or type contains __data_loc or __rel_loc is not declared as an integer.",
		Hint:     "Declare DataLoc (25) or RelLoc (24) with its element type, so that readers find the data.",
	},
	{
		ID: TYP016, Name: "NT4-TYP-016", Severity: Error, Basis: Text, Versions: v45, Heading: headingMetadataEvent45,
		Sentence: "The type codes 20 to 26 are not used before version 6.",
		Hint:     "Use the older types, or write version 6.",
	},
	{
		ID: TYP017, Name: "NT4-TYP-017", Severity: Error, Basis: Text, Versions: v45, Heading: headingMetadataEvent45,
		Sentence: "Only the field list of a V2Params tag has the type Array (19).",
		Hint:     "Set the first field count to 0 and write all fields into a V2Params tag.",
	},
	{
		ID: TYP018, Name: "NT6-TYP-018", Severity: Warning, Basis: Reader, Versions: V6, Heading: headingMetadataBlock,
		Sentence: "A fixed-length array takes at most 65,535 bytes.",
		Hint:     "Split it or use an Array (19): TraceEvent refuses larger ones.",
	},
}
