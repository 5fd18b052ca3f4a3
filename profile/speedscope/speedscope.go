// Package speedscope writes a profile in the file format of speedscope
// (www.speedscope.app): JSON with profiles that refer to the frames of a common
// list by index.
//
// Types that measure time become one evented profile for each thread, with
// times in whole nanoseconds since the first event of the trace, so that
// rounding cannot change the order of events. Other types become one sampled
// profile for each thread, in time order, with bytes or counts as weights.
// Write streams its output, so that a large profile needs little memory.
package speedscope

import (
	"cmp"
	"io"
	"strconv"

	"github.com/nettrace-go/nettrace/internal/shortwrite"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// Options configure a file. The zero value is right for most programs.
type Options struct {
	// Name is the file name that the viewer shows. Default: "nettrace".
	Name string
	// Types are the types to show, each in profiles of its own. Default: the
	// first type that has samples.
	Types []profile.Type
	// Merge writes one sampled profile of all threads, with a sample for each
	// distinct call path, in the order of its first sample.
	Merge bool
	// RawNames shows methods as the runtime writes them.
	RawNames bool
}

// schema identifies the file format.
const schema = "https://www.speedscope.app/file-format-schema.json"

// Write writes a profile. A type without samples makes no profile. It returns
// the error of w.
func Write(w io.Writer, p *profile.Profile, opt Options) error {
	e := &encoder{w: w, p: p, names: calltree.NewNames(p, calltree.Naming(opt.RawNames))}
	e.names.Lines = p.HasLines()
	e.spans = calltree.Spans{Names: e.names, Open: e.opened, Close: e.closed}
	types := calltree.Types(p, opt.Types)
	e.several = len(types) > 1
	e.head(&opt)
	for _, t := range types {
		if opt.Merge {
			e.merged(t)
			continue
		}
		for thread := range p.Threads() {
			e.thread(t, thread)
		}
	}
	e.tail(busiest(e.written))
	return e.err
}

// encoder writes a file.
type encoder struct {
	w   io.Writer
	b   []byte // not yet written
	err error

	p       *profile.Profile
	names   *calltree.Names
	spans   calltree.Spans
	several bool   // types: their names distinguish profiles
	first   bool   // no event of this profile is written yet
	at      []byte // the end of an event, which those of one time have in common
	written []weight
}

// weight determines which profile is shown first.
type weight struct{ managed, all int64 }

// busiest is the profile to show first: the one with the most time in managed
// code, or else with the greatest weight.
func busiest(profiles []weight) int {
	best := 0
	for i, w := range profiles {
		b := profiles[best]
		if w.managed > b.managed || w.managed == b.managed && w.all > b.all {
			best = i
		}
	}
	return best
}

// full is how much is collected before it is written.
const full = 64 << 10

// flush writes the buffer.
func (e *encoder) flush() {
	if e.err == nil {
		e.err = shortwrite.Write(e.w, e.b)
	}
	e.b = e.b[:0]
}

// head begins the file. The list of frames ends it, when all are known.
func (e *encoder) head(opt *Options) {
	name := opt.Name
	if name == "" {
		name = "nettrace"
	}
	e.b = append(e.b, `{"$schema":"`+schema+`","exporter":"nettrace","name":`...)
	e.b = append(e.b, calltree.Quote(name)...)
	e.b = append(e.b, `,"profiles":[`...)
}

func (e *encoder) tail(active int) {
	e.b = append(e.b, "\n],\"activeProfileIndex\":"...)
	e.b = strconv.AppendInt(e.b, int64(active), 10)
	e.b = append(e.b, `,"shared":{"frames":[`...)
	for i, name := range e.names.List {
		e.b = append(e.b, separator(i)...)
		e.b = append(e.b, `{"name":`...)
		e.b = append(e.b, calltree.Quote(name.Text)...)
		if file := cmp.Or(name.File, name.Module); file != "" {
			e.b = append(e.b, `,"file":`...)
			e.b = append(e.b, calltree.Quote(file)...)
		}
		if name.Line > 0 {
			e.b = append(e.b, `,"line":`...)
			e.b = strconv.AppendInt(e.b, int64(name.Line), 10)
		}
		e.b = append(e.b, '}')
		if len(e.b) >= full {
			e.flush()
		}
	}
	e.b = append(e.b, "\n]}}\n"...)
	e.flush()
}

// separator returns the text before element i of a list with one line for each.
func separator(i int) string {
	if i == 0 {
		return "\n"
	}
	return ",\n"
}
