// Package callgrind writes a profile in the format of callgrind, which KCachegrind,
// callgrind_annotate and speedscope read: the own costs of each function, and the costs of
// each call from one function to another. It is version 1 of the "Callgrind Format
// Specification" in the manual of Valgrind.
//
// All types of samples are events of one file: wall, cpu, alloc-size. Costs are whole
// nanoseconds, bytes and counts. The format has sums only: neither times nor threads, and
// a viewer builds call paths out of the calls. The number of calls of a pair is the number
// of its samples.
package callgrind

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// Options configure a file. The zero value is right for most programs.
type Options struct {
	// Types are the types of samples. Default: the first type that has samples.
	Types []profile.Type
	// RawNames shows methods as the runtime writes them.
	RawNames bool
	// CommandLine adds the command line of the process, which can hold secrets.
	CommandLine bool
}

// Write writes the samples of all threads. It returns the error of w.
func Write(w io.Writer, p *profile.Profile, opt Options) error {
	f := &file{
		Writer: bufio.NewWriterSize(w, 64<<10), p: p, types: calltree.Types(p, opt.Types),
		names: calltree.NewNames(p, calltree.Naming(opt.RawNames)), modules: map[string]int{"": 1},
	}
	for i, t := range f.types {
		f.add(i, t)
	}
	f.head(&opt)
	for id := range f.functions {
		f.function(id)
	}
	f.line("totals:", f.sums())
	return f.Flush()
}

// file has the costs of a file. The function 0 is that of samples without frames.
type file struct {
	*bufio.Writer
	p         *profile.Profile
	types     []profile.Type
	names     *calltree.Names
	functions []function
	modules   map[string]int // number by name; "" is that of unknown ones
	written   []bool         // the name of a function is in the file
}

// function has the costs of a function.
type function struct {
	own   []int64
	calls []call
	index map[int]int // of calls, by function
}

// call has the costs of the calls of a function.
type call struct {
	function int
	samples  int64
	costs    []int64
}

// noFrames is the function of samples without frames.
const noFrames = "[no managed frames]"

// of returns a function by number.
func (f *file) of(id int) *function {
	for id >= len(f.functions) {
		f.functions = append(f.functions, function{own: make([]int64, len(f.types)), index: map[int]int{}})
	}
	return &f.functions[id]
}

// add adds the samples of one type. A call that a stack has several times counts once.
func (f *file) add(event int, t profile.Type) {
	tree := calltree.New(f.names)
	tree.AddAll(f.p.Totals(t))
	type pair struct{ from, to int }
	seen := map[pair]bool{}
	var path []uint32
	f.of(0)
	for i := range tree.Nodes {
		n := &tree.Nodes[i]
		if n.Count == 0 {
			continue
		}
		path = tree.Path(path, int32(i))
		leaf := 0
		clear(seen)
		for k, name := range path {
			leaf = int(name) + 1
			f.of(leaf)
			if k == 0 {
				continue
			}
			from := int(path[k-1]) + 1
			if edge := (pair{from, leaf}); !seen[edge] {
				seen[edge] = true
				f.of(from).call(leaf, len(f.types)).count(event, n)
			}
		}
		f.of(leaf).own[event] += n.Self
	}
}

func (x *function) call(to, events int) *call {
	i, known := x.index[to]
	if !known {
		i = len(x.calls)
		x.index[to] = i
		x.calls = append(x.calls, call{function: to, costs: make([]int64, events)})
	}
	return &x.calls[i]
}

func (c *call) count(event int, n *calltree.Node) {
	c.costs[event] += n.Self
	c.samples += n.Count
}

// head writes the lines before the functions.
func (f *file) head(opt *Options) {
	f.text("# callgrind format\nversion: 1\ncreator: nettrace\n")
	if id, ok := f.p.Trace.ProcessID(); ok {
		f.text("pid: " + strconv.FormatUint(id, 10) + "\n")
	}
	if opt.CommandLine && f.p.CommandLine != "" {
		f.text("cmd: " + clean(f.p.CommandLine) + "\n")
	}
	f.text("part: 1\ndesc: calls= is a number of samples\npositions: line\nevents:")
	for _, t := range f.types {
		f.text(" " + strings.NewReplacer("~", "").Replace(t.String()))
	}
	f.text("\n")
	f.line("summary:", f.sums())
	f.written = make([]bool, len(f.functions))
}

// sums returns the own costs of all functions.
func (f *file) sums() []int64 {
	sums := make([]int64, len(f.types))
	for i := range f.functions {
		for event, own := range f.functions[i].own {
			sums[event] += own
		}
	}
	return sums
}

// function writes the costs of a function. A function without costs is none of a stack.
func (f *file) function(id int) {
	x := &f.functions[id]
	if id == 0 && isZero(x.own) {
		return
	}
	f.text("\n")
	f.name("", id)
	f.line("0", x.own)
	for i := range x.calls {
		c := &x.calls[i]
		f.name("c", c.function)
		f.text("calls=" + strconv.FormatInt(c.samples, 10) + " 0\n")
		f.line("0", c.costs)
	}
}

// name writes the lines that name a function, or with the prefix "c" the one it calls.
func (f *file) name(prefix string, id int) {
	name := calltree.Name{Text: noFrames}
	if id > 0 {
		name = f.names.List[id-1]
	}
	object, known := f.modules[name.Module]
	if !known {
		object = len(f.modules) + 1
		f.modules[name.Module] = object
	}
	f.text(prefix + "ob=(" + strconv.Itoa(object) + ")")
	if !known || id == 0 || name.Module == "" {
		f.text(" " + orUnknown(name.Module))
	}
	file := "fl"
	if prefix != "" {
		file = "fi"
	}
	f.text("\n" + prefix + file + "=(1) ???\n" + prefix + "fn=(" + strconv.Itoa(id+1) + ")")
	if !f.written[id] {
		f.written[id] = true
		f.text(" " + orUnknown(name.Text))
	}
	f.text("\n")
}

// line writes costs after a position or a title.
func (f *file) line(title string, costs []int64) {
	f.text(title)
	for _, c := range costs {
		f.text(" ")
		_, _ = f.Write(strconv.AppendInt(f.AvailableBuffer(), c, 10))
	}
	f.text("\n")
}

// text writes text. Flush returns the error.
func (f *file) text(s string) { _, _ = f.WriteString(s) }

func isZero(costs []int64) bool {
	for _, c := range costs {
		if c != 0 {
			return false
		}
	}
	return true
}

var breaks = strings.NewReplacer("\n", " ", "\r", " ")

// clean removes the separators of lines.
func clean(text string) string { return breaks.Replace(text) }

// orUnknown returns a name, "???" for none.
func orUnknown(name string) string {
	if name == "" {
		return "???"
	}
	return clean(name)
}
