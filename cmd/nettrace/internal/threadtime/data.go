package threadtime

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/profile"
)

// states are those of a time line, in the order of the columns.
var states = []profile.State{
	profile.Running, profile.Native, profile.Waiting, profile.Blocked, profile.Stopped, profile.Spinning, profile.Idle, profile.Runnable, profile.NotSampled,
}

// sums are times in nanoseconds by state.
type sums [profile.Runnable + 1]int64

// cause is the time in which a thread did not run, with a cause.
type cause struct {
	state profile.State
	text  string
	owner uint64 // of a lock, 0 if unknown
	nanos int64
}

// String returns the cause as in a table.
func (c *cause) String() string {
	text := c.text
	if c.owner != 0 {
		text += " of " + strconv.FormatUint(c.owner, 10)
	}
	return text
}

// row has the times of one thread.
type row struct {
	thread   int // index in Threads
	observed int64
	states   sums
	causes   []cause // the longest first
}

// data has the times of the threads of a trace.
type data struct {
	*samples.Loaded
	rows      []row // the thread that ran longest first
	observed  int64
	states    sums
	processes int
}

// newData adds up the time lines of all threads.
func newData(l *samples.Loaded) *data {
	d := &data{Loaded: l}
	processes := map[uint64]bool{}
	for thread, t := range l.Threads() {
		line := l.TimeLine(thread)
		if len(line) == 0 {
			continue
		}
		processes[t.ProcessID] = true
		r := newRow(thread, line)
		d.observed += r.observed
		for state, nanos := range r.states {
			d.states[state] += nanos
		}
		d.rows = append(d.rows, r)
	}
	d.processes = len(processes)
	slices.SortStableFunc(d.rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(b.ran(), a.ran()), cmp.Compare(b.observed, a.observed))
	})
	return d
}

// ran returns the time in which a thread ran, or may have run.
func (r *row) ran() int64 { return r.states[profile.Running] + r.states[profile.Native] }

// newRow adds up a time line.
func newRow(thread int, line []profile.ThreadSpan) row {
	r := row{thread: thread}
	type key struct {
		state profile.State
		text  string
		owner uint64
	}
	causes := map[key]int{}
	for _, s := range line {
		r.observed += s.Nanos
		r.states[s.State] += s.Nanos
		if s.Cause == "" {
			continue
		}
		k := key{s.State, s.Cause, s.Owner}
		at, ok := causes[k]
		if !ok {
			at = len(r.causes)
			causes[k] = at
			r.causes = append(r.causes, cause{state: s.State, text: s.Cause, owner: s.Owner})
		}
		r.causes[at].nanos += s.Nanos
	}
	slices.SortStableFunc(r.causes, func(a, b cause) int { return cmp.Compare(b.nanos, a.nanos) })
	return r
}

// id returns the id of a thread, with that of its process if there are several.
func (d *data) id(thread int) string {
	t := &d.Threads()[thread]
	text := strconv.FormatUint(t.ID, 10)
	if d.processes > 1 {
		text = strconv.FormatUint(t.ProcessID, 10) + "/" + text
	}
	return text
}
