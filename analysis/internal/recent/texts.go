package recent

// Texts numbers the distinct texts of the entries of a chunk, from 0. Its zero value is empty.
type Texts struct {
	numbers map[string]uint32
	list    []string
	bytes   int64
}

// Add returns the number of a text.
func (t *Texts) Add(text []byte) uint32 {
	if n, ok := t.numbers[string(text)]; ok {
		return n
	}
	if t.numbers == nil {
		t.numbers = map[string]uint32{}
	}
	n, added := uint32(len(t.list)), string(text)
	t.numbers[added] = n
	t.list = append(t.list, added)
	t.bytes += int64(len(added))
	return n
}

// Get returns a text by its number.
func (t *Texts) Get(n uint32) string { return t.list[n] }

// Bytes returns the number of bytes of the distinct texts.
func (t *Texts) Bytes() int64 { return t.bytes }

// Reset removes all texts. It keeps memory in proportion to them.
func (t *Texts) Reset() {
	clear(t.numbers)
	clear(t.list)
	t.list, t.bytes = t.list[:0], 0
}
