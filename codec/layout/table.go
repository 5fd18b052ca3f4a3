package layout

import "github.com/nettrace-go/nettrace/codec/rule"

// part is a structure of the specification.
type part struct {
	name    string
	missing rule.ID // the rule for a missing field; an item may name another
	min     int     // bytes without which the first field counts as missing
	whole   bool    // a missing field is a fault of the part: at its first byte
	items   []item
}

// item is a field of a part, or a structure in it.
type item struct {
	name string // "" of an item that is no field
	enc  Encoding
	role role
	of   *part   // the items that the value counts, or the item contains
	self self    // of the role recursive
	by   *choice // of the role chooses
	size int     // of GUID, Bytes and Group
	rest string  // name of the bytes that remain of those that the value counts
	rule rules

	when, unless uint64 // bits of the last field with the role flags, one of which it needs, or must not have
	optional     bool   // the part may end before the item
	min          int    // minimum value of a size; minimum bytes of each counted item
	atSize       bool   // too large a value is a fault of the field, not of the counted items
}

// rules are those that an item breaks.
type rules struct {
	missing rule.ID // the bytes end before or inside the field
	large   rule.ID // a varuint has more bits than its type
	wrong   rule.ID // a size or count is impossible
}

// role is the meaning of a field's value for the next fields.
type role uint8

const (
	value       role = iota // nothing
	flags                   // its bits determine which fields follow
	sizes                   // the size of the items after it
	sizesItself             // the size of itself and the items after it
	sizesChoice             // the size of the items after the next field, which chooses
	counts                  // the number of parts that follow
	countsRows              // the number of rows that follow
	sizePayload             // the size of the payload of this row, and of later rows without one
	chooses                 // the kind of the next items

	// Of items that are no fields.
	one        // the part
	repeats    // the part, as often as bytes are left
	rows       // the same, each a row
	untilLast  // the part, until the last choice has the bit of its mask
	eventRows  // the event rows of the version, by the flags
	recursive  // a part that contains itself
	aligns     // padding to a multiple of 4
	payload    // of an event row
	pointers   // as many addresses as fit
	everything // the bytes that are left
)

// self refers to a part that contains itself, which Go's initialization does not
// allow.
type self uint8

const (
	selfFieldsV4 self = iota
	selfFieldsV2
	selfElementV2
	selfFieldsV6
	selfTypeV6
)

// choice determines the items after a field that chooses.
type choice struct {
	in      part   // of the fields that are chosen
	last    uint64 // bit of the value that ends a list and chooses nothing
	options []option
	known   func(uint64) bool // other values after which nothing follows
	unknown rule.ID           // is broken by another value; None: no known items follow
	nests   bool              // the choice is the type of a field, of which Nesting levels are read
}

// option is a value of a choice.
type option struct {
	value uint64
	bad   rule.ID // the value is not allowed
	items []item
}

// block is a kind of block.
type block struct {
	part    *part
	payload *part   // of its event rows, if it is known
	left    rule.ID // is broken when bytes follow the last field; None: they are undefined
}

// version has the differences between versions.
type version struct {
	blocks            []block // by kind
	plain, compressed *part   // event rows
}
