package speedscope

import (
	"strconv"

	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// thread writes the profile of a type on one thread, unless it has no samples.
func (e *encoder) thread(t profile.Type, thread int) {
	for range e.p.ThreadSamples(t, thread) {
		if e.begin(e.threadName(thread), t); calltree.Timed(t) {
			e.evented(t, thread)
		} else {
			e.sampled(t, thread)
		}
		return
	}
}

// begin begins a profile with its name and unit.
func (e *encoder) begin(name string, t profile.Type) {
	if e.several {
		name += ": " + t.String()
	}
	unit := t.Value().Unit
	if unit != "nanoseconds" && unit != "bytes" { // all others are counts
		unit = "none"
	}
	e.b = append(e.b, separator(len(e.written))...)
	e.b = append(e.b, `{"name":`...)
	e.b = append(e.b, calltree.Quote(name)...)
	e.b = append(e.b, `,"unit":"`...)
	e.b = append(e.b, unit...)
	e.b = append(e.b, '"')
}

// end ends a profile with its bounds. managed is time in managed code.
func (e *encoder) end(from, to, managed int64) {
	e.b = append(e.b, `],"startValue":`...)
	e.b = strconv.AppendInt(e.b, from, 10)
	e.b = append(e.b, `,"endValue":`...)
	e.b = strconv.AppendInt(e.b, to, 10)
	e.b = append(e.b, '}')
	e.written = append(e.written, weight{managed: managed, all: to - from})
}

// threadName is the name of a thread's profile. It begins with the process where
// the process is not the one that wrote the trace.
func (e *encoder) threadName(thread int) string {
	row := &e.p.Threads()[thread]
	name := "Thread " + strconv.FormatUint(row.ID, 10)
	if row.Name != "" {
		name += " (" + row.Name + ")"
	}
	own, ok := e.p.Trace.ProcessID()
	if row.ProcessID == 0 || ok && own == row.ProcessID {
		return name
	}
	process := "Process " + strconv.FormatUint(row.ProcessID, 10)
	if about := e.p.Process(row.ProcessID); about.Name != "" {
		process += " (" + about.Name + ")"
	}
	return process + ", " + name
}

// evented writes opens and closes.
func (e *encoder) evented(t profile.Type, thread int) {
	e.b = append(e.b, `,"type":"evented","events":[`...)
	e.first = true
	from, to := e.spans.Thread(e.p, t, thread)
	managed := int64(0)
	for s := range e.p.ThreadSamples(profile.CPUApprox, thread) {
		managed += s.Value
	}
	e.end(from, to, managed)
}

func (e *encoder) opened(at int64, names []uint32) {
	e.timed(at)
	for _, name := range names {
		e.event(`{"type":"O","frame":`, name)
	}
	e.relieve()
}

func (e *encoder) closed(at int64, names []uint32) {
	e.timed(at)
	for i := len(names) - 1; i >= 0; i-- {
		e.event(`{"type":"C","frame":`, names[i])
	}
	e.relieve()
}

// timed sets the time of the next events.
func (e *encoder) timed(at int64) {
	e.at = strconv.AppendInt(append(e.at[:0], `,"at":`...), at, 10)
	e.at = append(e.at, '}')
}

// event writes one event, up to its frame and after it.
func (e *encoder) event(begin string, frame uint32) {
	if !e.first {
		e.b = append(e.b, ',')
	}
	e.first = false
	e.b = append(e.b, begin...)
	e.b = strconv.AppendUint(e.b, uint64(frame), 10)
	e.b = append(e.b, e.at...)
}

// relieve writes the buffer if it is large.
func (e *encoder) relieve() {
	if len(e.b) >= full {
		e.flush()
	}
}

// sampled writes the samples of a type that measures no time, one by one.
func (e *encoder) sampled(t profile.Type, thread int) {
	var path []uint32
	var weights []int64
	e.b = append(e.b, `,"type":"sampled","samples":[`...)
	for s := range e.p.ThreadSamples(t, thread) {
		path = e.names.Path(path, s.Stack)
		e.stack(path, len(weights))
		weights = append(weights, s.Value)
	}
	e.weights(weights)
}

// merged writes the samples of all threads as one for each path of calls.
func (e *encoder) merged(t profile.Type) {
	tree := calltree.New(e.names)
	tree.AddAll(e.p.Totals(t))
	var path []uint32
	var weights []int64
	e.begin("All threads", t)
	e.b = append(e.b, `,"type":"sampled","samples":[`...)
	for i := range tree.Nodes {
		if n := &tree.Nodes[i]; n.Count > 0 {
			path = tree.Path(path, int32(i))
			e.stack(path, len(weights))
			weights = append(weights, n.Self)
		}
	}
	e.weights(weights)
}

// stack writes a stack, the i-th of a profile.
func (e *encoder) stack(path []uint32, i int) {
	if i > 0 {
		e.b = append(e.b, ',')
	}
	e.b = append(e.b, '[')
	for i, name := range path {
		if i > 0 {
			e.b = append(e.b, ',')
		}
		e.b = strconv.AppendUint(e.b, uint64(name), 10)
	}
	e.b = append(e.b, ']')
	e.relieve()
}

// weights ends the samples and writes their weights.
func (e *encoder) weights(weights []int64) {
	e.b = append(e.b, `],"weights":[`...)
	sum := int64(0)
	for i, w := range weights {
		if i > 0 {
			e.b = append(e.b, ',')
		}
		e.b = strconv.AppendInt(e.b, w, 10)
		sum += w
		e.relieve()
	}
	e.end(0, sum, 0)
}
