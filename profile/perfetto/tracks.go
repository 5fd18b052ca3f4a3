package perfetto

import (
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// place is where slices of one kind are drawn: below a track, by name. Slices that overlap
// need tracks of their own.
type place struct {
	parent uint64
	name   string
	lane   int
}

// tracks numbers the tracks of a file.
type tracks struct {
	byPlace map[place]uint64
	last    uint64
	threads []uint64           // by thread
	ends    map[place][]uint64 // of the last slice of each lane; place.lane is 0
}

// threads writes the tracks of processes and threads. Perfetto takes 0 for no id: a process or thread
// without one gets a number that no other one has.
func (e *encoder) threads() {
	e.pids, e.tids = calltree.IDs(e.p.Threads())
	fill(e.pids)
	fill(e.tids)
	processes := map[uint64]uint64{}
	e.tracks.threads = make([]uint64, len(e.pids))
	e.tracks.ends = map[place][]uint64{}
	for i := range e.p.Threads() {
		if !e.p.Selected(i) {
			continue
		}
		t := &e.p.Threads()[i]
		pid := e.pids[i]
		if processes[pid] == 0 {
			of := e.p.Process(t.ProcessID)
			about := message(nil).number(1, pid)
			if line := of.CommandLine; e.opt.CommandLine && line != "" {
				about = about.text(2, line)
			}
			about = about.text(6, calltree.WithID(of.Label(), t.ProcessID, pid))
			processes[pid] = e.track(message(nil).bytes(3, about))
		}
		text := calltree.WithID(t.Name, t.ID, e.tids[i])
		if strings.TrimSpace(t.Name) == "" {
			text = "Thread " + strconv.FormatUint(t.ID, 10)
		}
		about := message(nil).number(1, pid).number(2, e.tids[i]).text(5, text)
		e.tracks.threads[i] = e.track(message(nil).bytes(4, about).number(5, processes[pid]))
	}
}

// fill replaces the ids that are 0.
func fill(ids []uint64) {
	used := map[uint64]bool{}
	for _, id := range ids {
		used[id] = true
	}
	free := uint64(1)
	for used[free] {
		free++
	}
	for i := range ids {
		if ids[i] == 0 {
			ids[i] = free
		}
	}
}

// track writes the descriptor of a new track, and returns its number.
func (e *encoder) track(about message) uint64 {
	e.tracks.last++
	e.write(e.packet[:0].bytes(packetDescriptor, about.number(1, e.tracks.last)), 0)
	return e.tracks.last
}

// lane returns the track of a slice: the first one below the parent with the name whose last slice
// has ended. Slices come in order of their begins.
func (e *encoder) lane(parent uint64, name string, from, until uint64) uint64 {
	at := place{parent: parent, name: name}
	ends := e.tracks.ends[at]
	for at.lane < len(ends) && ends[at.lane] > from {
		at.lane++
	}
	if at.lane == len(ends) {
		ends = append(ends, 0)
	}
	ends[at.lane] = until
	e.tracks.ends[place{parent: parent, name: name}] = ends
	if e.tracks.byPlace[at] == 0 {
		const none = 2 // tracks of one name are not merged
		e.tracks.byPlace[at] = e.track(message(nil).text(2, name).number(5, parent).number(15, none))
	}
	return e.tracks.byPlace[at]
}

// Fields of TrackEvent, and its types.
const (
	eventAnnotation = 4
	eventType       = 9
	eventTrack      = 11
	eventCategory   = 22
	eventName       = 23
	eventStack      = 56

	typeBegin, typeEnd, typeInstant = 1, 2, 3
)

// event is a TrackEvent.
type event struct {
	category, name string
	labels         []profile.Label
	stack          profile.StackID
	hasStack       bool
}

// slice writes the begin and the end of a slice.
func (e *encoder) slice(ev event, track uint64, from, until int64) {
	begin := ev.append(e, message(nil).number(eventType, typeBegin).number(eventTrack, track))
	e.write(e.at(from).bytes(packetEvent, begin), needed)
	end := message(nil).number(eventType, typeEnd).number(eventTrack, track)
	e.write(e.at(max(from, until)).bytes(packetEvent, end), needed)
}

// instant writes an event without duration.
func (e *encoder) instant(ev event, track uint64, at int64) {
	about := ev.append(e, message(nil).number(eventType, typeInstant).number(eventTrack, track))
	e.write(e.at(at).bytes(packetEvent, about), needed)
}

// append adds the fields of an event.
func (ev *event) append(e *encoder, m message) message {
	if ev.name == "" {
		ev.name = "?"
	}
	m = m.text(eventCategory, ev.category).text(eventName, ev.name)
	for _, l := range ev.labels {
		a := message(nil).text(10, l.Key)
		if l.Text == "" && l.Num != 0 {
			a = a.number(4, uint64(l.Num))
		} else {
			a = a.text(6, l.Text)
		}
		m = m.bytes(eventAnnotation, a)
	}
	if ev.hasStack {
		if number := e.stack(ev.stack); number != 0 {
			m = m.number(eventStack, number)
		}
	}
	return m
}

// slices draws the samples of a type with durations.
func (e *encoder) slices(t profile.Type) {
	for s := range e.p.Samples(t) {
		from := e.p.Nanos(s.Ticks)
		track := e.lane(e.tracks.threads[s.Thread], t.String(), e.time(from), e.time(from+s.Value))
		e.slice(event{t.String(), t.String(), calltree.Labels(e.p, &s, e.opt.RawNames), s.Stack, true}, track, from, from+s.Value)
	}
}

// marks draws the marks of the profile: events of event sources, collections and pauses.
func (e *encoder) marks() {
	for m := range e.p.Marks() {
		thread := e.tracks.threads[m.Thread]
		from, until := e.p.Nanos(m.From), e.p.Nanos(m.Until)
		ev := event{category: m.Provider, name: m.Name, labels: m.AllLabels()}
		if m.Kind == profile.Instant {
			e.instant(ev, thread, from)
			continue
		}
		e.slice(ev, e.lane(thread, m.Provider, e.time(from), e.time(until)), from, until)
	}
}
