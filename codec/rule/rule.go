// Package rule is the catalogue of rules of the NetTrace format, versions 3 to
// 6: every fault that the reader or the conformance checker can name.
//
// A rule has a stable name such as "NT6-BLK-002" and a small number, its [ID],
// which hot code can return in place of an error. The prefix of the name tells
// the versions: NT stands for 4 to 6 or 3 to 6, NT3 for 3, NT4 for 4 and 5, NT5
// for the metadata tags of 5, NT6 for 6. Then come a group and a number within
// it. No number is ever given to another rule: those that were dropped stand in
// [Retired]. The values of the IDs, in contrast, change when a rule is added:
// store and print names.
//
// The package is data only. It reads nothing, allocates nothing and imports
// nothing of this module.
package rule

import "iter"

// ID names a rule. The zero ID is [None]. IDs are dense: every value from 1 up
// to, but not including, [Count] is a rule.
type ID uint16

// String returns the stable name, for instance "NT6-BLK-002". It is empty for
// None, and for a value that names no rule.
func (id ID) String() string {
	if r := id.Rule(); r != nil {
		return r.Name
	}
	return ""
}

// Rule returns the catalogue row of id: nil for None, and for a value that
// names no rule. The row is shared and must not be changed.
func (id ID) Rule() *Rule {
	if id < Count {
		return table[id]
	}
	return nil
}

// Parse returns the rule whose whole name is s. It compares exactly: letter
// case, prefix and all three digits count.
func Parse(s string) (ID, bool) {
	for r := range All() {
		if r.Name == s {
			return r.ID, true
		}
	}
	return None, false
}

// All yields every rule in the order of the catalogue, which is the order of
// the IDs.
func All() iter.Seq[*Rule] {
	return func(yield func(*Rule) bool) {
		for _, r := range table[1:] {
			if !yield(r) {
				return
			}
		}
	}
}

// Rule is one row of the catalogue.
type Rule struct {
	// ID is the rule's own ID and Name its stable name.
	ID   ID
	Name string

	// Severity is the severity of a finding. Where a rule covers situations of
	// unlike weight it is the highest and Also is the lowest of theirs;
	// otherwise Also is zero. Only NT4-OBJ-005 has one in between.
	Severity Severity
	Also     Severity

	// Basis says what the rule rests on.
	Basis Basis

	// Versions are the format versions the rule applies to.
	Versions Versions

	// Heading is the heading of the published format description under which
	// the matter stands: that of version 6 where the rule applies to version
	// 6, else that of versions 4 and 5. It is empty where neither has one.
	Heading string

	// Sentence says what an error or a warning demands of a trace, and what a
	// piece of information observes in it.
	Sentence string

	// Hint tells the author of a writer what to do, and why where that is not
	// plain.
	Hint string
}

// Severity grades a finding. Severities are ordered: the graver is the greater.
// The zero value is none of them.
type Severity uint8

const (
	// Information is a fact worth knowing about a trace that is in order.
	Information Severity = iota + 1
	// Warning is a departure from the text without loss, or something legal
	// that readers in use stumble over, or something implausible.
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

// Basis says what a rule rests on. The zero value is none of them.
type Basis uint8

const (
	// Text is a sentence of the format's published description. Strict checking
	// reports a warning that rests on one as an error.
	Text Basis = iota + 1
	// Reader is the conduct of a reader in use, which fails or misreads. In the
	// group of limits, LIM, this codec is the reader.
	Reader
	// Plausible is likelihood: nothing forbids it, hardly anyone means it.
	Plausible
	// Fact is an observation without a verdict.
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
	v456 = V4 | V5 | V6
	all  = V3 | V4 | V5 | V6
)

// Has reports whether v holds every version of w.
func (v Versions) Has(w Versions) bool { return v&w == w }

// String lists the versions in ascending order: "4,5", or "" for none.
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
