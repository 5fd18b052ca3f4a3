// Package chromium writes a profile in the Trace Event Format, which Perfetto
// (ui.perfetto.dev), chrome://tracing and others read: JSON with one event on
// each line. Times are in microseconds since the first event of the trace, with
// three decimals.
//
// Wall time, or another chosen type, becomes slices of each thread (B and E).
// Other types become tracks: pauses, waits and requests with a duration are
// asynchronous slices (b and e), samples without a duration are instants (i);
// labels become arguments. Processes and threads have their real ids and names; an id
// of more than 32 bits, which viewers do not read, is replaced by a small one, and the name
// has the real one.
package chromium

import (
	"io"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/internal/shortwrite"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// Options configure a file. The zero value is right for most programs.
type Options struct {
	// Name is the name of the source in the file.
	Name string
	// Types are the types to show. Default: all that have samples. The first
	// one of Wall, CPUApprox, CPU and Switch becomes slices, and the types
	// other than these become tracks.
	Types []profile.Type
	// RawNames shows methods and types as the runtime writes them.
	RawNames bool
}

// Write writes a profile. It returns the error of w.
func Write(w io.Writer, p *profile.Profile, opt Options) error {
	e := &encoder{w: w, p: p, raw: opt.RawNames, names: calltree.NewNames(p, calltree.Naming(opt.RawNames))}
	e.pids, e.tids = calltree.IDs(p.Threads())
	e.spans = calltree.Spans{Names: e.names, Open: e.opened, Close: e.closed}
	e.b = append(e.b, `{"displayTimeUnit":"ms","otherData":{"exporter":"nettrace","name":`...)
	e.b = append(e.b, calltree.Quote(opt.Name)...)
	e.b = append(e.b, `},"traceEvents":[`...)
	e.processes()
	sliced := false
	for _, t := range types(p, opt.Types) {
		switch {
		case sampled[t] && !sliced: // two of them would share a thread's line
			e.slices(t)
			sliced = true
		case !sampled[t] && t != profile.GC: // with pauses as marks
			e.track(t)
		}
	}
	e.marks()
	e.b = append(e.b, "\n]}\n"...)
	e.flush()
	return e.err
}

// sampled are the types whose samples have the stack of a running thread.
var sampled = map[profile.Type]bool{
	profile.Wall: true, profile.CPUApprox: true, profile.CPU: true, profile.Switch: true,
}

// types are those to show.
func types(p *profile.Profile, chosen []profile.Type) []profile.Type {
	if len(chosen) > 0 {
		return chosen
	}
	return p.Types()
}

// encoder writes a file.
type encoder struct {
	w   io.Writer
	b   []byte // not yet written
	err error

	p       *profile.Profile
	raw     bool // names as the runtime writes them
	names   *calltree.Names
	spans   calltree.Spans
	quoted  [][]byte // names, by number
	place   []byte   // the common part of a thread's events
	pids    []uint64 // by thread: the id of its process in the file
	tids    []uint64 // by thread: its id in the file
	begun   bool     // an event is written
	nextID  uint64   // of asynchronous slices
	context []byte
}

// full is how much is collected before it is written.
const full = 64 << 10

func (e *encoder) flush() {
	if e.err == nil {
		e.err = shortwrite.Write(e.w, e.b)
	}
	e.b = e.b[:0]
}

// begin begins an event with its phase.
func (e *encoder) begin(phase string) {
	if len(e.b) >= full {
		e.flush()
	}
	if e.begun {
		e.b = append(e.b, ',')
	}
	e.begun = true
	e.b = append(e.b, "\n{\"ph\":\""...)
	e.b = append(e.b, phase...)
	e.b = append(e.b, '"')
}

// appendTime appends nanoseconds as microseconds.
func appendTime(b []byte, ns int64) []byte {
	if ns < 0 {
		b = append(b, '-')
		ns = -ns
	}
	b = strconv.AppendInt(b, ns/1000, 10)
	if rest := ns % 1000; rest > 0 {
		b = append(b, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
	}
	return b
}

// on sets the thread that events are about.
func (e *encoder) on(thread int) {
	e.place = strconv.AppendUint(append(e.place[:0], `,"pid":`...), e.pids[thread], 10)
	e.place = strconv.AppendUint(append(e.place, `,"tid":`...), e.tids[thread], 10)
	e.place = append(e.place, `,"ts":`...)
}

// processes writes the names of processes and threads.
func (e *encoder) processes() {
	known := map[uint64]bool{}
	name := func(what string, process, thread uint64, text string) {
		e.begin("M")
		e.b = append(append(append(e.b, `,"name":"`...), what...), '"')
		e.b = strconv.AppendUint(append(e.b, `,"pid":`...), process, 10)
		e.b = strconv.AppendUint(append(e.b, `,"tid":`...), thread, 10)
		e.b = append(append(e.b, `,"args":{"name":`...), calltree.Quote(text)...)
		e.b = append(e.b, "}}"...)
	}
	for i := range e.p.Threads() {
		t := &e.p.Threads()[i]
		if !e.p.Selected(i) {
			continue
		}
		id := t.ProcessID
		if !known[id] {
			known[id] = true
			process := e.p.Process(id)
			name("process_name", e.pids[i], 0, calltree.WithID(process.Label(), id, e.pids[i]))
		}
		text := calltree.WithID(t.Name, t.ID, e.tids[i])
		if strings.TrimSpace(t.Name) == "" {
			text = "Thread " + strconv.FormatUint(t.ID, 10)
		}
		name("thread_name", e.pids[i], e.tids[i], text)
	}
}
