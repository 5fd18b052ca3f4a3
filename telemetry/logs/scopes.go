package logs

import (
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/telemetry"
)

// scopes are what is open of the activities of event sources: scopes, and whatever else begins and ends.
type scopes struct {
	open   map[wire.GUID]*activity
	byID   map[int64]wire.GUID // of scopes that are open
	forgot bool                // some that may be open
}

// activity is what is open under one id.
type activity struct {
	parent    wire.GUID
	arguments []telemetry.Attribute // of a scope
	isScope   bool
	open      int
	ambiguous bool // several were open at once since none was
}

// Opcodes of events that begin and end an activity.
const (
	opcodeStart = 1
	opcodeStop  = 2
)

// maxActivities bounds the open activities. Above it all are forgotten: their ends were lost, or the runtime
// ended them with an outer one, which has an event of its own only.
const maxActivities = 20_000

// event notes what begins or ends. The end of a scope has the activity that is current then, which may be
// another one: see endScope.
func (s *scopes) event(ev *codec.Event, isScope bool) {
	id := ev.Activity()
	switch {
	case id == (wire.GUID{}):
	case ev.Opcode() == opcodeStart:
		s.begin(id, ev.RelatedActivity())
	case ev.Opcode() == opcodeStop && !isScope:
		s.end(id)
	}
}

func (s *scopes) begin(id, parent wire.GUID) {
	if len(s.open) >= maxActivities {
		clear(s.open)
		clear(s.byID)
		s.forgot = true
	}
	a := s.open[id]
	if a == nil {
		a = &activity{parent: parent}
		s.open[id] = a
	}
	a.open++
	a.ambiguous = a.ambiguous || a.open > 1
}

func (s *scopes) end(id wire.GUID) {
	if a := s.open[id]; a != nil {
		if a.open--; a.open <= 0 {
			delete(s.open, id)
		}
	}
}

// beginScope reads the start of a scope, which event has noted.
func (d *Decoder) beginScope(ev *codec.Event) {
	a := d.scopes.open[ev.Activity()]
	if a == nil {
		return
	}
	number, ok := ev.Field("ID")
	if ok {
		d.scopes.byID[number.Int64()] = ev.Activity()
	}
	if a.ambiguous {
		return
	}
	a.isScope = true
	if v, ok := ev.Field("ArgumentsJson"); ok {
		a.arguments = d.object(v)
	}
}

// endScope reads the end of a scope.
func (d *Decoder) endScope(ev *codec.Event) {
	if number, ok := ev.Field("ID"); ok {
		d.scopes.end(d.scopes.byID[number.Int64()])
		delete(d.scopes.byID, number.Int64())
	}
}

// deepest is how many activities within each other are followed.
const deepest = 64

// of returns the scopes of what is logged in an activity, the outermost first.
func (s *scopes) of(id wire.GUID) (list [][]telemetry.Attribute, unknown bool) {
	for range deepest {
		a := s.open[id]
		switch {
		case a == nil:
			slices.Reverse(list)
			return list, s.forgot && id != (wire.GUID{})
		case a.ambiguous:
			return nil, true
		case a.isScope:
			list = append(list, a.arguments)
		}
		id = a.parent
	}
	return nil, true
}
