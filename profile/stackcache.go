package profile

// stackCache has one value for each stack, which is computed once.
type stackCache[V any] struct {
	values []V
	known  []bool
}

// get returns the value of a stack; ok is false if it was not set.
func (c *stackCache[V]) get(id StackID) (v V, ok bool) {
	if int(id) < len(c.known) && c.known[id] {
		return c.values[id], true
	}
	return v, false
}

// set sets the value of a stack, and returns it.
func (c *stackCache[V]) set(id StackID, v V) V {
	if missing := int(id) + 1 - len(c.values); missing > 0 {
		c.values = append(c.values, make([]V, missing)...)
		c.known = append(c.known, make([]bool, missing)...)
	}
	c.values[id], c.known[id] = v, true
	return v
}
