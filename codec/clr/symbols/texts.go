package symbols

import "hash/maphash"

// texts has distinct texts by number, one after the other; 0 is the empty text.
// The hashes are seeded, so that no trace can choose them.
//
// Invariant: at most half of the slots are in use.
type texts struct {
	bytes []byte
	ends  []uint32 // of each text in bytes
	slots []uint32 // numbers plus one; a power of two
	seed  maphash.Seed
}

func (t *texts) init() {
	t.seed = maphash.MakeSeed()
	t.slots = make([]uint32, 256)
	t.put(nil)
}

// get returns a text, which must not be changed.
func (t *texts) get(id uint32) []byte {
	start := uint32(0)
	if id > 0 {
		start = t.ends[id-1]
	}
	return t.bytes[start:t.ends[id]]
}

// put returns the number of a text.
func (t *texts) put(text []byte) uint32 {
	mask := uint32(len(t.slots) - 1)
	at := uint32(maphash.Bytes(t.seed, text)) & mask
	for ; t.slots[at] != 0; at = (at + 1) & mask {
		if id := t.slots[at] - 1; string(t.get(id)) == string(text) {
			return id
		}
	}
	id := uint32(len(t.ends))
	t.bytes = append(t.bytes, text...)
	t.ends = append(t.ends, uint32(len(t.bytes)))
	t.slots[at] = id + 1
	if 2*len(t.ends) > len(t.slots) {
		t.grow()
	}
	return id
}

// grow doubles the slots.
func (t *texts) grow() {
	t.slots = make([]uint32, 2*len(t.slots))
	mask := uint32(len(t.slots) - 1)
	for id := range t.ends {
		at := uint32(maphash.Bytes(t.seed, t.get(uint32(id)))) & mask
		for ; t.slots[at] != 0; at = (at + 1) & mask {
		}
		t.slots[at] = uint32(id) + 1
	}
}
