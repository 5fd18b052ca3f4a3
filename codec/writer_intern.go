package codec

import "hash/maphash"

// internTable gives equal rows of a region the same id, from 1 on, and keeps
// those that are not written yet.
type internTable struct {
	seed    maphash.Seed
	seeded  bool
	slots   []uint32 // positions in entries plus one, by hash; a power of two
	entries []internEntry
	arena   []byte
	pending []byte // of the rows that wait, as they are written
	waiting int
}

type internEntry struct {
	hash       uint64
	start, end int
}

// reset begins a region.
func (t *internTable) reset() {
	clear(t.slots)
	t.entries, t.arena, t.pending, t.waiting = t.entries[:0], t.arena[:0], t.pending[:0], 0
}

// written clears the waiting rows.
func (t *internTable) written() { t.pending, t.waiting = t.pending[:0], 0 }

// id returns the id of a row, by its bytes, and whether it is new.
func (t *internTable) id(row []byte) (id uint32, isNew bool) {
	if !t.seeded {
		t.seed, t.seeded = maphash.MakeSeed(), true
	}
	if 2*len(t.entries) >= len(t.slots) {
		t.growSlots()
	}
	hash := maphash.Bytes(t.seed, row)
	mask := uint64(len(t.slots) - 1)
	at := hash & mask
	for ; t.slots[at] != 0; at = (at + 1) & mask {
		if e := &t.entries[t.slots[at]-1]; e.hash == hash && string(t.arena[e.start:e.end]) == string(row) {
			return t.slots[at], false
		}
	}
	start := len(t.arena)
	t.arena = append(t.arena, row...)
	t.entries = append(t.entries, internEntry{hash, start, len(t.arena)})
	t.slots[at] = uint32(len(t.entries))
	t.pending = append(t.pending, row...)
	t.waiting++
	return uint32(len(t.entries)), true
}

func (t *internTable) growSlots() {
	t.slots = make([]uint32, max(64, 4*len(t.slots)))
	mask := uint64(len(t.slots) - 1)
	for i := range t.entries {
		at := t.entries[i].hash & mask
		for t.slots[at] != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = uint32(i + 1)
	}
}
