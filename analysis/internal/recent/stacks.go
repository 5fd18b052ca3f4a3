package recent

// Stacks has the stacks of the entries of a chunk. Its zero value is empty.
type Stacks struct{ addresses []uint64 }

// Stack is the place of a stack in Stacks.
type Stack struct{ from, to int }

// Add adds a copy of a stack.
func (s *Stacks) Add(stack []uint64) Stack {
	from := len(s.addresses)
	s.addresses = append(s.addresses, stack...)
	return Stack{from, len(s.addresses)}
}

// Get returns a stack, which is valid until Reset.
func (s *Stacks) Get(at Stack) []uint64 { return s.addresses[at.from:at.to] }

// Reset removes all stacks and keeps the memory.
func (s *Stacks) Reset() { s.addresses = s.addresses[:0] }
