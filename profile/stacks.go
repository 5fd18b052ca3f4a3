package profile

import (
	"iter"
	"math/bits"
	"math/rand/v2"

	"github.com/nettrace-go/nettrace/model"
)

// stackTable holds distinct stacks of frames. While a trace is read, a frame is
// an address.
//
// Invariants: stacks below recorded are as the trace has them, of frames that are
// positions in addresses; made[i] is about stack recorded+i.
type stackTable struct {
	stacks    [][]FrameID // leaf first
	frames    int64       // of all stacks
	free      []FrameID   // block of memory for stacks
	addresses []address
	recorded  int
	made      []madeStack
	depth     int // of a truncated stack
	// ofKernel are stacks of the operating system's sampler with a number of frames that means
	// something: depth, which is not its limit, or kernelDepth, which is.
	ofKernel map[StackID]bool
}

// address is an address in a process.
type address struct{ address, process uint64 }

// noProcess is the process of synthesized frames.
const noProcess = ^uint64(0)

// madeStack describes a stack that the trace does not have.
type madeStack struct {
	status   Status
	evidence Evidence
}

func (t *stackTable) get(id StackID) []FrameID {
	if int(id) >= len(t.stacks) {
		return nil
	}
	return t.stacks[id]
}

// place returns memory for the frames of the next stack.
func (t *stackTable) place(n int) []FrameID {
	const block = 4096
	if n > len(t.free) {
		t.free = make([]FrameID, max(n, block))
	}
	frames := t.free[:n:n]
	t.free = t.free[n:]
	t.stacks = append(t.stacks, frames)
	t.frames += int64(n)
	return frames
}

// status returns the status of a stack. One that was not repaired is truncated
// when it has the maximum depth.
func (t *stackTable) status(id StackID) madeStack {
	switch {
	case int(id) >= t.recorded:
		return t.made[int(id)-t.recorded]
	case t.isTruncated(id):
		return madeStack{status: Truncated}
	}
	return madeStack{}
}

// isTruncated reports whether a recorded stack is truncated.
func (t *stackTable) isTruncated(id StackID) bool {
	switch len(t.stacks[id]) {
	case t.depth:
		return !t.ofKernel[id]
	case kernelDepth:
		return t.ofKernel[id]
	}
	return false
}

// isCutByKernel reports whether a recorded stack is truncated by the operating system.
func (t *stackTable) isCutByKernel(id StackID) bool {
	return len(t.stacks[id]) == kernelDepth && t.ofKernel[id]
}

// markKernel notes that a stack is one of the operating system's sampler.
func (t *stackTable) markKernel(id StackID) {
	if n := len(t.stacks[id]); n == t.depth || n == kernelDepth {
		if t.ofKernel == nil {
			t.ofKernel = map[StackID]bool{}
		}
		t.ofKernel[id] = true
	}
}

// isEvidence reports whether a recorded stack shows what follows rootward of a
// position.
func (t *stackTable) isEvidence(id StackID, at uint32) bool {
	return int(at)+1 < len(t.stacks[id]) || !t.isTruncated(id)
}

// make adds a stack that the trace does not have.
func (t *stackTable) make(frames []FrameID, how madeStack) StackID {
	copy(t.place(len(frames)), frames)
	t.made = append(t.made, how)
	return StackID(len(t.stacks) - 1)
}

// stackBuilder finds stacks in a table or adds them.
type stackBuilder struct {
	table  *stackTable
	cut    bool // longer ones are truncated
	seed   uint64
	stacks hashTable
	known  hashTable // of addresses
	fresh  int       // addresses below this index were added to the symbols
}

// kernelDepth is how many frames of a stack Linux keeps, unless
// kernel.perf_event_max_stack is changed.
const kernelDepth = 127

func (b *stackBuilder) init(t *stackTable) {
	t.depth = model.MaxFrames
	b.table, b.seed = t, rand.Uint64()
	for i := range madeUpFrames {
		t.addresses = append(t.addresses, address{uint64(i), noProcess})
	}
	b.fresh = madeUpFrames
	b.intern(0, nil) // stack 0 is the empty one
}

// cutAt truncates each stack after n frames.
func (b *stackBuilder) cutAt(n int) { b.table.depth, b.cut = n, true }

// intern returns the id of a stack.
func (b *stackBuilder) intern(process uint64, stack []uint64) StackID {
	if b.cut && len(stack) > b.table.depth {
		stack = stack[:b.table.depth]
	}
	h := b.seed ^ process ^ uint64(len(stack))
	for _, a := range stack {
		hi, lo := bits.Mul64(a^b.seed, h|1)
		h = hi ^ lo + h
	}
	hash := uint32(h ^ h>>32)
	t := b.table
	for have, id := range b.stacks.chain(hash) {
		if have == hash && b.same(t.get(StackID(id)), process, stack) {
			return StackID(id)
		}
	}
	id := uint32(len(t.stacks))
	b.stacks.add(hash, id)
	for i, frames := 0, t.place(len(stack)); i < len(stack); i++ {
		frames[i] = b.address(process, stack[i])
	}
	return StackID(id)
}

func (b *stackBuilder) same(have []FrameID, process uint64, stack []uint64) bool {
	if len(have) != len(stack) {
		return false
	}
	for i, a := range stack {
		if b.table.addresses[have[i]] != (address{a, process}) {
			return false
		}
	}
	return true
}

// address returns the frame of an address.
func (b *stackBuilder) address(process, a uint64) FrameID {
	hi, lo := bits.Mul64(a^b.seed, 0x9E3779B97F4A7C15^process)
	hash := uint32(hi) ^ uint32(lo>>32)
	for have, id := range b.known.chain(hash) {
		if have == hash && b.table.addresses[id] == (address{a, process}) {
			return FrameID(id)
		}
	}
	id := uint32(len(b.table.addresses))
	b.table.addresses = append(b.table.addresses, address{a, process})
	b.known.add(hash, id)
	return FrameID(id)
}

// hashTable finds numbers by hash, with open addressing. The hashes are seeded,
// so that no trace can choose them.
//
// Invariant: at most three quarters of the slots are in use.
type hashTable struct {
	slots []hashSlot // a power of two, or none
	count int
}

// hashSlot is a number plus one, and its hash.
type hashSlot struct{ hash, id uint32 }

// chain iterates over the slots where a number of that hash may be: the hash of
// each, and the number.
func (t *hashTable) chain(hash uint32) iter.Seq2[uint32, uint32] {
	return func(yield func(hash, id uint32) bool) {
		if len(t.slots) == 0 {
			return
		}
		mask := uint32(len(t.slots) - 1)
		for i := hash & mask; t.slots[i].id != 0; i = (i + 1) & mask {
			if !yield(t.slots[i].hash, t.slots[i].id-1) {
				return
			}
		}
	}
}

// add puts a number in, which is not there yet.
func (t *hashTable) add(hash, id uint32) {
	if 4*(t.count+1) > 3*len(t.slots) {
		old := t.slots
		t.slots = make([]hashSlot, max(64, 2*len(old)))
		for _, s := range old {
			if s.id != 0 {
				t.put(s)
			}
		}
	}
	t.put(hashSlot{hash, id + 1})
	t.count++
}

func (t *hashTable) put(s hashSlot) {
	mask := uint32(len(t.slots) - 1)
	i := s.hash & mask
	for t.slots[i].id != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = s
}
