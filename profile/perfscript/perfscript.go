// Package perfscript writes a profile as the text that "perf script" prints, for tools that
// read nothing else. A sample has the time in microseconds, the value as its period, and
// its frames, leaf first.
//
// Readers differ in what they make of it: FlameGraph counts samples unless told otherwise,
// and speedscope gives a sample the time up to the next one of its thread. Where a reader
// offers a choice, a pprof file keeps more.
package perfscript

import (
	"bufio"
	"cmp"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// Options configure a file. The zero value is right for most programs.
type Options struct {
	// Types are the types of samples, each an event of its own. Default: the first type
	// that has samples.
	Types []profile.Type
	// RawNames shows methods as the runtime writes them.
	RawNames bool
}

// Write writes the samples of each thread in the order of their times. Rows of the thread
// table with one id are one thread. It returns the error of w.
func Write(w io.Writer, p *profile.Profile, opt Options) error {
	e := &encoder{Writer: bufio.NewWriterSize(w, 64<<10), p: p, name: calltree.Naming(opt.RawNames)}
	types := calltree.Types(p, opt.Types)
	rows := map[uint64][]int{}
	for i := range p.Threads() {
		id := p.Threads()[i].ID
		rows[id] = append(rows[id], i)
	}
	for _, id := range slices.Sorted(maps.Keys(rows)) {
		e.thread(types, rows[id])
	}
	return e.Flush()
}

// thread writes the samples of a thread.
func (e *encoder) thread(types []profile.Type, rows []int) {
	var list []profile.Sample
	for _, row := range rows {
		for _, t := range types {
			list = slices.AppendSeq(list, e.p.ThreadSamples(t, row))
		}
	}
	slices.SortStableFunc(list, func(a, b profile.Sample) int { return cmp.Compare(a.Ticks, b.Ticks) })
	for i := range list {
		e.sample(&list[i])
	}
}

// encoder writes samples.
type encoder struct {
	*bufio.Writer
	p    *profile.Profile
	name func(*profile.Function) calltree.Name
}

// noFrames is the frame of a sample without frames: readers drop a sample without one.
const noFrames = "[no managed frames]"

func (e *encoder) sample(s *profile.Sample) {
	t := &e.p.Threads()[s.Thread]
	micros := max(e.p.Nanos(s.Ticks), 0) / 1000
	seconds, rest := strconv.FormatInt(micros/1_000_000, 10), strconv.FormatInt(micros%1_000_000+1_000_000, 10)[1:]
	process := t.ProcessID
	e.text(comm(t.Label()) + " " + strconv.FormatUint(process, 10) + "/" + strconv.FormatUint(t.ID, 10) + " [000] " + seconds + "." + rest + ": ")
	e.text(strconv.FormatInt(s.Value, 10) + " " + strings.TrimSuffix(s.Type.String(), "~") + ": \n")
	stack := e.p.Stack(s.Stack)
	for _, id := range stack {
		f := e.p.Frame(id)
		name := e.name(e.p.Function(f.Function))
		e.frame(f.Address, name.Text, name.Module)
	}
	if len(stack) == 0 {
		e.frame(0, noFrames, "")
	}
	e.text("\n")
}

func (e *encoder) frame(address uint64, name, module string) {
	if name == "" {
		name = "?"
	}
	if module == "" {
		module = "[unknown]"
	}
	e.text("\t" + strconv.FormatUint(address, 16) + " " + breaks.Replace(name) + " (" + parentheses.Replace(module) + ")\n")
}

// text writes text. Flush returns the error.
func (e *encoder) text(s string) { _, _ = e.WriteString(s) }

var (
	breaks      = strings.NewReplacer("\n", " ", "\r", " ")
	parentheses = strings.NewReplacer("\n", " ", "\r", " ", "(", "[", ")", "]")
)

// comm returns the name of a thread as perf writes it: it begins with a character and has
// no line breaks.
func comm(name string) string {
	if name = strings.TrimSpace(breaks.Replace(name)); name == "" {
		return "?"
	}
	return name
}
