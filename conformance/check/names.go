package check

import "bytes"

// nameSet holds the names of a list of fields, or keys. Few are compared one by
// one, which is faster than a map.
type nameSet struct {
	few  [16][]byte
	n    int // in few
	many map[string]bool
}

// again adds a name and reports whether it was there before.
func (s *nameSet) again(name []byte) bool {
	for _, other := range s.few[:s.n] {
		if bytes.Equal(other, name) {
			return true
		}
	}
	if s.n < len(s.few) {
		s.few[s.n] = name
		s.n++
		return false
	}
	if s.many == nil {
		s.many = map[string]bool{}
	}
	if s.many[string(name)] {
		return true
	}
	s.many[string(name)] = true
	return false
}
