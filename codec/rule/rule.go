// Package rule is the catalogue of rules of the NetTrace format, versions 3 to
// 6: every fault that the reader or the conformance checker can report.
//
// A rule has a stable name such as "NT6-BLK-002" and a small number, its ID,
// which hot code can return in place of an error. The prefix of the name is for
// the versions: NT for 4 to 6 or 3 to 6, NT3 for 3, NT4 for 4 and 5, NT5 for
// the metadata tags of 5, NT6 for 6. A group and a number within it follow.
// Numbers are never reused: removed rules are in Retired. The values of the
// IDs, in contrast, change when a rule is added: store and print names.
//
// The package is data only. It reads nothing, allocates nothing and imports
// nothing of this module.
package rule

import "iter"

// ID identifies a rule. The zero ID is None. IDs are dense: every value from 1
// to Count-1 is a rule.
type ID uint16

// String returns the stable name, such as "NT6-BLK-002". It is empty for None
// and for an invalid value.
func (id ID) String() string {
	if r := id.Rule(); r != nil {
		return r.Name
	}
	return ""
}

// Rule returns the catalogue row of id, nil for None and for an invalid value.
// The caller must not modify it.
func (id ID) Rule() *Rule {
	if id == None || id >= Count {
		return nil
	}
	return at(id)
}

// Parse returns the rule with the name s, and whether there is one. It compares
// exactly, including letter case.
func Parse(s string) (ID, bool) {
	for r := range All() {
		if r.Name == s {
			return r.ID, true
		}
	}
	return None, false
}

// All iterates over all rules in the order of the catalogue, which is the order
// of the IDs.
func All() iter.Seq[*Rule] {
	return func(yield func(*Rule) bool) {
		for _, group := range groups {
			for i := range group {
				if !yield(&group[i]) {
					return
				}
			}
		}
	}
}

// Rule is one row of the catalogue.
type Rule struct {
	// ID is the rule's own ID.
	ID ID
	// Name is the stable name.
	Name string

	// Severity is the severity of a finding, the highest one if the rule covers
	// several situations or differs by version.
	Severity Severity
	// Also is the lowest severity of the situations, zero if they all have the
	// same. Only NT4-OBJ-005 has one in between.
	Also Severity

	// Basis is what the rule is based on in the versions that Except does not name.
	Basis Basis
	// Except is the basis in the other versions.
	Except Exception

	// Versions are the format versions that the rule applies to.
	Versions Versions

	// Heading is the heading of the specification that covers the subject: that
	// of version 6 if the rule applies to version 6, otherwise that of versions
	// 4 and 5. It is empty if neither has one.
	Heading string

	// Sentence is what an error or a warning requires of a trace, or what a
	// piece of information observes in it.
	Sentence string

	// Hint is advice for the author of a writer, with the reason if it is not
	// obvious.
	Hint string
}

// BasisIn returns what the rule is based on in the version v. It returns Basis if
// v is no version or several.
func (r *Rule) BasisIn(v Versions) Basis {
	if v != 0 && r.Except.Versions.Has(v) {
		return r.Except.Basis
	}
	return r.Basis
}

// Exception is the basis of a rule in the versions whose specification has no
// sentence for it. The zero value is no exception.
type Exception struct {
	// Versions are the versions, some of those of the rule.
	Versions Versions
	// Basis is the basis in these versions.
	Basis Basis
}

// Severity is the severity of a finding. A higher value is more severe. The
// zero value is invalid.
type Severity uint8

// The severities.
const (
	// Information is a noteworthy fact about a correct trace.
	Information Severity = iota + 1
	// Warning is a violation of the specification without loss of data,
	// something valid that existing readers cannot read, or something
	// implausible.
	Warning
	// Error means that rows, fields or times are lost or misread.
	Error
)

var severityNames = [...]string{"", "information", "warning", "error"}

// String returns "information", "warning" or "error", and "" for other values.
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return ""
}

// Basis is what a rule is based on. The zero value is invalid.
type Basis uint8

// The bases of rules.
const (
	// Text is a sentence of the format's published specification. Strict
	// checking reports a warning with this basis as an error.
	Text Basis = iota + 1
	// Reader is the behaviour of an existing reader, which fails or misreads.
	// In the group of limits, LIM, this codec is the reader.
	Reader
	// Plausible is likelihood: the specification allows it, but no writer is
	// likely to mean it.
	Plausible
	// Fact is an observation that is neither right nor wrong.
	Fact
)

var basisNames = [...]string{"", "text", "reader", "plausible", "fact"}

// String returns "text", "reader", "plausible" or "fact", and "" for other
// values.
func (b Basis) String() string {
	if int(b) < len(basisNames) {
		return basisNames[b]
	}
	return ""
}

// Versions is a set of format versions.
type Versions uint8

// The format versions. Version 5 is version 4 with metadata tags.
const (
	V3 Versions = 1 << iota
	V4
	V5
	V6
)

// The sets that occur in the catalogue, besides the single versions.
const (
	v45  = V4 | V5
	v345 = V3 | V4 | V5
	v456 = V4 | V5 | V6
	all  = V3 | V4 | V5 | V6
)

// Has reports whether v contains every version of w.
func (v Versions) Has(w Versions) bool { return v&w == w }

// String returns the versions in ascending order: "4,5", or "" for none.
func (v Versions) String() string {
	var text []byte
	for i := range 4 {
		if v&(1<<i) == 0 {
			continue
		}
		if len(text) > 0 {
			text = append(text, ',')
		}
		text = append(text, byte('3'+i))
	}
	return string(text)
}
