package profile

import "github.com/nettrace-go/nettrace/codec"

// recording finds when a recording began and ended. The runtime logs its rundown
// after it has stopped the session: where the rundown comes last, the recording
// ended when it began, which can be much later than the last other event and much
// earlier than the last event.
type recording struct {
	begun       bool
	first, last uint64 // of all events
	other       uint64 // last event that is not of the rundown
	hasOther    bool
	rundown     uint64 // first event of the rundown that is not before other
	hasRundown  bool
}

func (r *recording) event(ticks uint64, m *codec.Metadata) {
	if !r.begun {
		r.begun, r.first, r.last = true, ticks, ticks
	}
	r.first, r.last = min(r.first, ticks), max(r.last, ticks)
	switch {
	case m != nil && m.Provider == rundownProvider:
		if ticks >= r.other && (!r.hasRundown || ticks < r.rundown) {
			r.rundown, r.hasRundown = ticks, true
		}
	case ticks >= r.other:
		r.other, r.hasOther = ticks, true
		r.hasRundown = r.hasRundown && r.rundown >= ticks
	}
}

// bounds returns when the recording began and ended.
func (r *recording) bounds() (start, end uint64) {
	switch {
	case !r.hasOther:
		return r.first, r.last
	case r.hasRundown:
		return r.first, r.rundown
	}
	return r.first, r.other
}
