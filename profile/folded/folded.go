// Package folded writes a profile as lines for flamegraph.pl and the many tools
// that read its input. A line has the frames of a call path from the root,
// separated by semicolons, a space, and the sum of the values in all threads.
package folded

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
	// Type selects the samples. Default: wall time in nanoseconds.
	Type profile.Type
	// RawNames shows methods as the runtime writes them.
	RawNames bool
	// Threads adds a frame for the thread at the root of each path and, if
	// there are several processes, one for the process above it.
	Threads bool
}

// NoFrames is the frame of a sample with an empty stack.
const NoFrames = "[no managed frames]"

// Write writes each call path once, in the order of its first sample, without
// paths of value 0. The numbers add up to the values of the samples. It returns
// the error of w.
func Write(w io.Writer, p *profile.Profile, opt Options) error {
	name := calltree.Naming(opt.RawNames)
	names := calltree.NewNames(p, func(f *profile.Function) calltree.Name {
		return calltree.Name{Text: clean(name(f).Text)}
	})
	e := encoder{w: w, names: names}
	if !opt.Threads {
		tree := calltree.New(names)
		tree.AddAll(p.Totals(opt.Type))
		e.tree(tree, "")
		return e.flush()
	}
	processes := len(calltree.Processes(p, opt.Type))
	for thread := range p.Threads() {
		tree := calltree.New(names)
		tree.AddAll(p.ThreadTotals(opt.Type, thread))
		t := &p.Threads()[thread]
		root := clean(t.Label() + " [" + strconv.FormatUint(t.ID, 10) + "]")
		if processes > 1 {
			process := p.Process(t.ProcessID)
			root = clean(process.Label()+" ["+strconv.FormatUint(t.ProcessID, 10)+"]") + ";" + root
		}
		e.tree(tree, root)
	}
	return e.flush()
}

var separators = strings.NewReplacer(";", ":", "\n", " ", "\r", " ")

// clean removes the separators of frames and lines from a name.
func clean(name string) string {
	if name == "" {
		return "?"
	}
	return separators.Replace(name)
}

// encoder collects lines.
type encoder struct {
	w     io.Writer
	b     []byte
	err   error
	names *calltree.Names
	path  []uint32
}

// full is how much is collected before it is written.
const full = 64 << 10

func (e *encoder) flush() error {
	if e.err == nil && len(e.b) > 0 {
		e.err = shortwrite.Write(e.w, e.b)
	}
	e.b = e.b[:0]
	return e.err
}

// tree writes the nodes where samples end.
func (e *encoder) tree(t *calltree.Tree, root string) {
	for i := range t.Nodes {
		if t.Nodes[i].Self <= 0 {
			continue
		}
		e.path = t.Path(e.path, int32(i))
		e.line(root, t.Nodes[i].Self)
		if len(e.b) >= full {
			_ = e.flush()
		}
	}
}

func (e *encoder) line(root string, value int64) {
	start := len(e.b)
	e.b = append(e.b, root...)
	for _, name := range e.path {
		if len(e.b) > start {
			e.b = append(e.b, ';')
		}
		e.b = append(e.b, e.names.List[name].Text...)
	}
	if len(e.path) == 0 {
		if root != "" {
			e.b = append(e.b, ';')
		}
		e.b = append(e.b, NoFrames...)
	}
	e.b = append(e.b, ' ')
	e.b = strconv.AppendInt(e.b, value, 10)
	e.b = append(e.b, '\n')
}
