package profile

import "github.com/nettrace-go/nettrace/codec/wire"

// textTable holds texts once each. Number 0 is the empty one.
type textTable struct {
	texts   []string
	known   map[string]uint32
	bytes   int64
	scratch []byte
}

func (t *textTable) init() {
	t.known = map[string]uint32{"": 0}
	t.texts = []string{""}
}

// of interns a text.
func (t *textTable) of(text string) uint32 {
	t.scratch = append(t.scratch[:0], text...)
	return t.intern()
}

// utf16 interns text of UTF-16 units.
func (t *textTable) utf16(units []byte) uint32 {
	t.scratch = wire.AppendUTF16(t.scratch[:0], units)
	return t.intern()
}

func (t *textTable) intern() uint32 {
	if id, ok := t.known[string(t.scratch)]; ok {
		return id
	}
	const each = 48 // for the map and the slice
	text := string(t.scratch)
	id := uint32(len(t.texts))
	t.texts = append(t.texts, text)
	t.known[text] = id
	t.bytes += int64(len(text)) + each
	return id
}
