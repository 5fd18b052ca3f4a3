package model

import "github.com/nettrace-go/nettrace/codec"

// A Condensing is a Consumer that needs only some of its frequent events, or only sums of them,
// whatever the events before them are, or only some numbers of each of them. ReadChunks calls
// Condensers in the goroutines that read, and passes what is left to the Consumer in file order.
type Condensing interface {
	Consumer
	// Condenser returns a Condenser. Several goroutines call it.
	Condenser() Condenser
	// Accepts reports whether the entries of the next chunk have the effect of its events. If it
	// returns false, the chunk is read a second time, and the Consumer gets its events.
	Accepts(c Condenser) bool
	// Apply handles an entry of a Condenser. stacks has the StackID in the Trace of the Consumer by that
	// in the Trace of the chunk, for those that the Condenser got before the entry. It is valid
	// during the call.
	Apply(c Condenser, entry int, stacks []StackID)
}

// A Condenser condenses the events of chunks, one after the other.
type Condenser interface {
	// Begin begins a chunk and forgets the one before. t is the Trace of the chunk, as in
	// Divisible.
	Begin(t *Trace, log *Log)
	// Handler returns the function for the events of a metadata row, which calls the methods of
	// the Log. If it is nil, the Consumer gets the events.
	Handler(m *codec.Metadata) Handler
	// Lost is called before an event in whose place the method Lost of the Consumer may be called.
	Lost(thread Thread)
	// End is called after the last event of the chunk.
	End()
}

// Log has what a Condensing gets of a chunk, in file order.
type Log struct {
	of   *chunkReader
	part uint8 // position in dispatcher.parts
}

// Event passes on an event to the Consumer. It is that of the Handler which calls it.
func (l *Log) Event(ev *codec.Event) { l.of.pass(l.part, ev) }

// Entry makes Apply handle an entry of the Condenser.
func (l *Log) Entry(entry int) {
	l.of.steps = append(l.of.steps, step{do: applies, part: l.part, at: uint32(entry), stacks: l.of.stackCount()})
}
