package heapdump

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/nettrace-go/nettrace/profile/heapsnapshot"
)

// Exports are the formats for other programs. They have all objects.
var Exports = map[string]func(w io.Writer, q *Query, d *Dump) error{
	"folded":       writeFolded,
	"pprof":        writePprof,
	"heapsnapshot": func(w io.Writer, _ *Query, d *Dump) error { return WriteSnapshot(w, d) },
	"gcdump":       func(w io.Writer, _ *Query, d *Dump) error { return WriteGCDump(w, d) },
}

// WriteSnapshot writes the dump for Chrome DevTools.
func WriteSnapshot(w io.Writer, d *Dump) error {
	return heapsnapshot.Write(w, d.Heap, d.Dominators)
}

var separators = strings.NewReplacer(";", ":", "\n", " ", "\r", " ")

// writeFolded writes the bytes of each group of the dominator tree.
func writeFolded(w io.Writer, q *Query, d *Dump) error {
	t := q.dominatorTree(d)
	b := bufio.NewWriter(w)
	for i := range t.groups {
		if g := &t.groups[i]; g.shallow > 0 {
			names := t.path(int32(i))
			for k := range names {
				names[k] = separators.Replace(names[k])
			}
			_, _ = b.WriteString(strings.Join(names, ";") + " " + strconv.FormatUint(g.shallow, 10) + "\n") // Flush returns the error
		}
	}
	return b.Flush()
}

// writePprof writes the groups of the dominator tree as samples: a group's stack is its
// path from the root.
func writePprof(w io.Writer, q *Query, d *Dump) error {
	t := q.dominatorTree(d)
	out := &profile.Profile{
		SampleType:        []*profile.ValueType{{Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"}},
		DefaultSampleType: "inuse_space",
		TimeNanos:         d.Dump.Begin.UnixNano(),
	}
	if d.Dump.Begin.IsZero() {
		out.TimeNanos = 0
	}
	locations := map[string]*profile.Location{}
	stacks := make([][]*profile.Location, len(t.groups)) // leaf first
	for i := range t.groups {
		g := &t.groups[i]
		name := t.name(g)
		at := locations[name]
		if at == nil {
			f := &profile.Function{ID: uint64(len(out.Function)) + 1, Name: name, SystemName: name}
			at = &profile.Location{ID: f.ID, Line: []profile.Line{{Function: f}}}
			out.Function, out.Location, locations[name] = append(out.Function, f), append(out.Location, at), at
		}
		stacks[i] = []*profile.Location{at}
		if g.key.parent >= 0 {
			stacks[i] = append(stacks[i], stacks[g.key.parent]...)
		}
		if g.objects > 0 {
			out.Sample = append(out.Sample, &profile.Sample{Location: stacks[i], Value: []int64{g.objects, int64(g.shallow)}})
		}
	}
	return out.Write(w)
}
