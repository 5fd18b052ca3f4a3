package clr

import (
	"strconv"
	"strings"
)

// ValueMap is an enumeration.
type ValueMap struct {
	ID     string       // name in the manifest, "GCReasonMap"
	Bits   bool         // the values are flags
	Values []NamedValue // in ascending order
}

// NamedValue is one value of an enumeration.
type NamedValue struct {
	// Value is the number in the payload.
	Value uint64
	// Name is the name in the manifest.
	Name string
}

// Name returns the name of a value, and whether it has one.
func (m *ValueMap) Name(value uint64) (string, bool) {
	for _, v := range m.Values {
		if v.Value == value {
			return v.Name, true
		}
	}
	return "", false
}

// Text returns the name of a value or, for flags, the names joined by "|". A
// value without a name is printed in decimal, flags without a name in
// hexadecimal.
func (m *ValueMap) Text(value uint64) string {
	if name, ok := m.Name(value); ok {
		return name
	}
	if !m.Bits {
		return strconv.FormatUint(value, 10)
	}
	var words []string
	for _, v := range m.Values {
		if v.Value != 0 && value&v.Value == v.Value {
			words = append(words, v.Name)
			value &^= v.Value
		}
	}
	if value != 0 || len(words) == 0 {
		words = append(words, "0x"+strconv.FormatUint(value, 16))
	}
	return strings.Join(words, "|")
}

// KeywordNames returns the names of a provider's keywords in a mask, and the
// bits without a name.
func KeywordNames(provider string, mask uint64) (names []string, rest uint64) {
	p := providerOf(provider)
	if p == nil {
		return nil, mask
	}
	for _, k := range p.load().keywords {
		if mask&k.mask == k.mask {
			names = append(names, k.name)
			mask &^= k.mask
		}
	}
	return names, mask
}
