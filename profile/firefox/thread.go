package firefox

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// threads writes the threads that have samples or markers.
func (e *encoder) threads() {
	mains := map[uint64]bool{} // processes of which the main thread is written
	ids := map[[2]uint64]int{} // how often a thread came
	for i := range e.p.Threads() {
		t := &e.p.Threads()[i]
		samples, allocations, markers := e.samples(i), e.allocations(i), e.markers(i)
		if len(samples.stack)+len(allocations.stack)+len(markers) == 0 {
			continue
		}
		if e.begun {
			e.text(",")
		}
		e.begun = true
		process := e.p.Process(t.ProcessID)
		e.text("\n{\"name\":")
		e.quote(t.Label())
		e.text(`,"isMainThread":` + strconv.FormatBool(!mains[t.ProcessID]) + `,"processName":`)
		mains[t.ProcessID] = true
		e.quote(process.Label())
		e.text(`,"processType":"default","pid":"` + strconv.FormatUint(t.ProcessID, 10) + `","tid":`)
		key := [2]uint64{t.ProcessID, t.ID}
		if ids[key]++; ids[key] > 1 { // a later thread with the id, or a row of the thread table
			e.quote(strconv.FormatUint(t.ID, 10) + "#" + strconv.Itoa(ids[key]))
		} else {
			e.quote(strconv.FormatUint(t.ID, 10))
		}
		e.text(`,"registerTime":0,"unregisterTime":null,"processStartupTime":0,"processShutdownTime":null,"pausedRanges":[],"showMarkersInTimeline":true`)
		e.writeSamples(samples)
		if len(allocations.stack) > 0 {
			e.writeAllocations(allocations)
		}
		e.writeMarkers(markers)
		e.text("}")
	}
}

// samples are the samples of a thread.
type samples struct {
	stack []int32
	time  []int64 // ns
	value []int64
	cpu   []int64  // ns of processor time since the sample before; nil if it was not measured
	class []string // of allocations
}

// samples returns the samples of a thread, in the order of their times.
func (e *encoder) samples(thread int) (s samples) {
	if !slices.Contains(e.types, e.sampled) {
		return s
	}
	for x := range e.p.ThreadSamples(e.sampled, thread) {
		state, _ := e.p.State(&x)
		category := int32(state) + 1
		if e.sampled != profile.Wall || int(category) >= gcCategory {
			category = int32(profile.Running) + 1
		}
		s.stack = append(s.stack, e.tables.stack(x.Stack, category))
		s.time = append(s.time, e.p.Nanos(x.Ticks))
		s.value = append(s.value, x.Value)
	}
	if e.sampled == profile.Wall && e.p.HasThreadTimes() {
		e.addTimes(&s, thread)
	}
	return s
}

// addTimes adds the measured processor time to each sample: what the thread used since the
// sample before.
func (e *encoder) addTimes(s *samples, thread int) {
	s.cpu = make([]int64, len(s.stack))
	for x := range e.p.ThreadSamples(profile.CPUApprox, thread) {
		at, _ := slices.BinarySearch(s.time, e.p.Nanos(x.Ticks))
		if at = min(at+1, len(s.cpu)-1); at >= 0 { // the value is that of the time from the sample on
			s.cpu[at] += x.Value
		}
	}
}

// allocations returns the sampled allocations of a thread.
func (e *encoder) allocations(thread int) (s samples) {
	if !slices.Contains(e.types, profile.Alloc) {
		return s
	}
	for x := range e.p.ThreadSamples(profile.Alloc, thread) {
		s.stack = append(s.stack, e.tables.stack(x.Stack, int32(profile.Running)+1))
		s.time = append(s.time, e.p.Nanos(x.Ticks))
		s.value = append(s.value, x.Value)
		s.class = append(s.class, calltree.Class(e.p, &x, e.opt.RawNames))
	}
	return s
}

func (e *encoder) writeSamples(s samples) {
	e.table(",\n\"samples\":", len(s.stack))
	e.numbers("stack", s.stack, no)
	e.times("time", s.time)
	e.times("weight", s.value)
	e.text(`,"weightType":"tracing-ms"`)
	if s.cpu != nil {
		e.text(`,"threadCPUDelta":[`)
		for i, v := range s.cpu {
			e.separate(i)
			e.number(v)
		}
		e.text("]")
	}
	e.text("}")
}

func (e *encoder) writeAllocations(s samples) {
	n := len(s.stack)
	e.table(",\n\"jsAllocations\":", n)
	e.times("time", s.time)
	e.text(`,"className":[`)
	for i, c := range s.class {
		e.separate(i)
		e.quote(c)
	}
	e.text("]")
	e.repeat("typeName", `"JSObject"`, n)
	e.repeat("coarseType", `"Object"`, n)
	e.text(`,"weight":[`)
	for i, v := range s.value {
		e.separate(i)
		e.number(v)
	}
	e.text(`],"weightType":"bytes"`)
	e.repeat("inNursery", "true", n)
	e.numbers("stack", s.stack, no)
	e.text("}")
}

// times writes a column of milliseconds.
func (e *encoder) times(key string, column []int64) {
	e.text(`,"` + key + `":[`)
	for i, v := range column {
		e.separate(i)
		e.millis(v)
	}
	e.text("]")
}

// marker is a point or a time on the line of a thread.
type marker struct {
	schema      string
	name        string
	category    int32
	from, until int64 // ns
	instant     bool
	stack       int32
	fields      []profile.Label
}

// ofMarkers are the types whose samples are markers, with the names of their schemas.
// Collections and their pauses are among the marks.
var ofMarkers = map[profile.Type]string{profile.Lock: "Contention", profile.Wait: "Wait", profile.Exception: "Exception"}

// markers returns the markers of a thread, in the order of their begins.
func (e *encoder) markers(thread int) []marker {
	var list []marker
	for _, t := range e.types {
		schema := ofMarkers[t]
		if schema == "" {
			continue
		}
		for s := range e.p.ThreadSamples(t, thread) {
			m := marker{schema: schema, name: schema, category: eventsCategory, from: e.p.Nanos(s.Ticks), fields: e.fields(&s), instant: t == profile.Exception}
			m.until = m.from
			if !m.instant {
				m.until += s.Value
			}
			switch t {
			case profile.Lock:
				m.category = int32(profile.Blocked) + 1
			case profile.Wait:
				m.category = int32(profile.Waiting) + 1
			}
			if t == profile.Exception {
				m.name = cmp.Or(calltree.Class(e.p, &s, e.opt.RawNames), m.name)
			}
			m.stack = e.tables.stack(s.Stack, int32(profile.Running)+1)
			list = append(list, m)
		}
	}
	for _, x := range e.marks[thread] {
		m := marker{schema: x.Provider, name: cmp.Or(x.Name, "?"), category: eventsCategory, from: e.p.Nanos(x.From), until: e.p.Nanos(x.Until),
			instant: x.Kind == profile.Instant, stack: no, fields: x.Labels}
		if x.Kind == profile.Span {
			m.category = gcCategory
		}
		list = append(list, m)
	}
	slices.SortStableFunc(list, func(a, b marker) int { return cmp.Compare(a.from, b.from) })
	return list
}

// ofThread are the labels that the thread of a marker has already.
var ofThread = []string{"thread id", "thread name", "appdomain process id", "process name"}

// fields returns the labels of a sample that its thread does not have.
func (e *encoder) fields(s *profile.Sample) []profile.Label {
	return slices.DeleteFunc(e.p.Labels(s), func(l profile.Label) bool { return slices.Contains(ofThread, l.Key) })
}
