package model

import (
	"encoding/binary"
	"hash/maphash"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
)

// MaxFrames is how many frames of a stack the runtime keeps (EP_MAX_STACK_DEPTH): a stack of that many
// may have lost its outer end.
const MaxFrames = 100

// StackID identifies a stack of a Trace. 0 is the empty stack.
type StackID uint32

// stacks holds the distinct stacks that were asked for.
type stacks struct {
	seed   maphash.Seed
	ids    map[uint64][]StackID // by hash
	list   []stack
	frames int64
	bytes  []byte // of the stack whose hash is computed
}

// stack is a list of addresses in a process, leaf first. uses counts the calls of StackOf for
// it.
type stack struct {
	process   uint64
	addresses []uint64
	uses      int64
	hash      uint64
}

func (s *stacks) init(seed maphash.Seed) {
	s.seed, s.ids, s.list = seed, map[uint64][]StackID{}, make([]stack, 1)
}

// reset removes all stacks.
func (s *stacks) reset() {
	clear(s.ids)
	clear(s.list[1:])
	s.list, s.frames = s.list[:1], 0
}

// Stack returns the id of an event's stack. Equal ids mean the same stack of the
// same process.
func (t *Trace) Stack(ev *codec.Event) StackID {
	return t.StackOf(t.Process(ev), ev.Stack())
}

// StackOf returns the id of a stack of a process, like Stack.
func (t *Trace) StackOf(process uint64, addresses []uint64) StackID {
	if len(addresses) == 0 {
		return 0
	}
	s := &t.stacks
	s.bytes = binary.LittleEndian.AppendUint64(s.bytes[:0], process)
	for _, a := range addresses {
		s.bytes = binary.LittleEndian.AppendUint64(s.bytes, a)
	}
	return t.stackOf(maphash.Bytes(s.seed, s.bytes), process, addresses)
}

// stackOf returns the id of a stack with a hash.
func (t *Trace) stackOf(hash, process uint64, addresses []uint64) StackID {
	s := &t.stacks
	for _, id := range s.ids[hash] {
		if have := &s.list[id]; have.process == process && slices.Equal(have.addresses, addresses) {
			have.uses++
			return id
		}
	}
	if int64(len(s.list)) > t.limits.Stacks || s.frames+int64(len(addresses)) > t.limits.Frames {
		t.LeftOut.Stacks++
		return 0
	}
	id := StackID(len(s.list))
	s.ids[hash] = append(s.ids[hash], id)
	s.list = append(s.list, stack{process, slices.Clone(addresses), 1, hash})
	s.frames += int64(len(addresses))
	if t.table != nil { // the Trace of a chunk has none
		for _, a := range addresses {
			t.table.AddWanted(process, a)
		}
	}
	return id
}

// HasRundown reports whether the trace has a rundown of a process: then all methods have names.
func (t *Trace) HasRundown(process uint64) bool { return t.table.HasRundown(process) }

// Frames returns the frames of a stack, leaf first. ticks is the time of the
// event. It is for use after the last event.
func (t *Trace) Frames(id StackID, ticks uint64) []symbols.Frame {
	s := &t.stacks.list[id]
	frames := make([]symbols.Frame, len(s.addresses))
	for i, a := range s.addresses {
		frames[i] = t.table.Lookup(symbols.Query{Process: s.process, Address: a, Ticks: ticks})
		if t.lines != nil {
			frames[i] = t.byFile(s.process, frames[i])
		}
	}
	return frames
}

// Names returns the names of frames, leaf first.
func Names(frames []symbols.Frame) []string {
	names := make([]string, len(frames))
	for i, f := range frames {
		var caller, callee *symbols.Frame
		if i > 0 {
			callee = &frames[i-1]
		}
		if i+1 < len(frames) {
			caller = &frames[i+1]
		}
		names[i] = f.NameCalledBy(caller, callee)
	}
	return names
}
