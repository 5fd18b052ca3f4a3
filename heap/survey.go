package heap

import "github.com/nettrace-go/nettrace/codec"

// Survey follows the heap dumps of a stream without keeping their objects, for example while
// it is recorded: it reports when a dump has ended and whether it is complete.
type Survey struct{ reading *reading }

// NewSurvey returns a Survey that has seen no event.
func NewSurvey() *Survey {
	return &Survey{&reading{survey: true, memory: newMemory(-1), processes: map[uint64]*process{}}}
}

// Event adds an event. The events of each thread must come in their order, all of them:
// those that are no part of a dump have the sequence numbers that show losses.
func (s *Survey) Event(e *codec.Event) { s.reading.add(e) }

// Point adds a sequence point, which shows losses after the last event of a thread.
func (s *Survey) Point(p *codec.SequencePoint) { s.reading.point(p) }

// Ended returns the dumps whose collection has ended, or was followed by another one, in
// this order. The slice is valid until the next call of Event.
func (s *Survey) Ended() []Dump { return s.reading.dumps }

// Open returns the dump that has begun and not ended, if there is one. Its numbers are those
// so far.
func (s *Survey) Open() (Dump, bool) {
	for _, p := range s.reading.processes {
		if p.open != nil && p.open.dump.rows() > 0 {
			return p.open.dump, true
		}
	}
	return Dump{}, false
}
