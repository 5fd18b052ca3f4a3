package profile

import "github.com/nettrace-go/nettrace/codec"

// numberedStacks numbers the distinct stacks of the chunks that one goroutine reads. The
// builder, in another goroutine, has the StackIDs by number.
type numberedStacks struct {
	table   stackTable
	builder stackBuilder
	ids     []StackID // plus one; 0: not known yet. Only the builder uses it.
}

func newNumberedStacks() *numberedStacks {
	s := &numberedStacks{ids: []StackID{1}} // stack 0 is the empty one
	s.builder.init(&s.table)
	return s
}

// full reports whether the table is so large that new numbers take less memory.
func (s *numberedStacks) full() bool {
	const most = 1 << 20
	return s.table.frames > most
}

// newStacks has the stacks that got numbers in a chunk.
type newStacks struct {
	of        *numberedStacks
	first     uint32 // number of the first one
	list      []newStack
	addresses []uint64 // of all
}

// newStack is a stack of a process.
type newStack struct {
	process uint64
	end     int // of its addresses
}

// end returns the number of the next new stack.
func (n *newStacks) end() uint32 { return n.first + uint32(len(n.list)) }

// reset empties the list, and keeps its memory.
func (n *newStacks) reset() {
	n.of, n.list, n.addresses = nil, n.list[:0], n.addresses[:0]
}

// get returns a stack by its position.
func (n *newStacks) get(i int) (process uint64, addresses []uint64) {
	from := 0
	if i > 0 {
		from = n.list[i-1].end
	}
	return n.list[i].process, n.addresses[from:n.list[i].end]
}

// stack returns the number of the stack of an event.
func (c *chunkReader) stack(ev *codec.Event) uint32 {
	addresses := ev.Stack()
	if len(addresses) == 0 {
		return 0
	}
	process, known := c.b.processOf(ev), len(c.numbers.table.stacks)
	number := uint32(c.numbers.builder.intern(process, addresses))
	if int(number) == known {
		n := &c.stacks
		n.addresses = append(n.addresses, addresses...)
		n.list = append(n.list, newStack{process, len(n.addresses)})
	}
	return number
}

// numbered returns the id of a stack of a chunk, which it interns at the first use.
func (b *builder) numbered(n *newStacks, number uint32) StackID {
	ids := n.of.ids
	if ids[number] == 0 {
		ids[number] = b.stackOf(n.get(int(number-n.first))) + 1
	}
	return ids[number] - 1
}
