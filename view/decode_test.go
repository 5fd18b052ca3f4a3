package view_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"slices"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/gzip"

	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/view"
)

// document is a decoded document.
type document struct {
	view.Head
	columns map[string][]int64
}

// decode decodes a document as the page does.
func decode(t *testing.T, data []byte) *document {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	var parts [][]byte
	for len(plain) > 0 {
		n := binary.LittleEndian.Uint32(plain)
		parts = append(parts, plain[4:4+n])
		plain = plain[4+n:]
	}
	d := &document{columns: map[string][]int64{}}
	if err := json.Unmarshal(parts[0], &d.Head); err != nil {
		t.Fatal(err)
	}
	if len(parts) != 1+len(d.Columns) {
		t.Fatalf("%d parts, want a head and %d columns", len(parts), len(d.Columns))
	}
	for i, name := range d.Columns {
		for rest := parts[1+i]; len(rest) > 0; {
			v, n := binary.Varint(rest)
			if n <= 0 {
				t.Fatalf("column %s: a malformed integer", name)
			}
			d.columns[name] = append(d.columns[name], v)
			rest = rest[n:]
		}
	}
	return d
}

// value returns a value of a column, which may be left out.
func (d *document) value(column string, row int, usual int64) int64 {
	if list, ok := d.columns[column]; ok {
		return list[row]
	}
	return usual
}

// row is a sample of a document.
type row struct {
	thread          int
	at, value, node int64
	until           int64 // of durations
	state, status   int64
	count           int64
	class, raw      string
	evidence        profile.Evidence
}

// times returns the times of the rows of a type.
func (d *document) times(of *view.Type) []int64 {
	next := slices.Clone(of.Offsets)
	list := make([]int64, next[len(next)-1])
	at := int64(0)
	for i := range list {
		at += d.value(of.Name+".at", i, 0)
		thread := d.value(of.Name+".thread", i, 0)
		list[next[thread]] = at
		next[thread]++
	}
	return list
}

// rows decodes the samples of a type.
func (d *document) rows(of *view.Type) []row {
	var list []row
	times := d.times(of)
	for thread := range d.Threads {
		node := int64(0)
		for i := of.Offsets[thread]; i < of.Offsets[thread+1]; i++ {
			node += d.value(of.Name+".node", i, 0)
			r := row{
				thread: thread, at: times[i], node: node, value: d.value(of.Name+".value", i, 0),
				state: d.value(of.Name+".state", i, 0), status: d.value(of.Name+".status", i, 0), count: d.value(of.Name+".count", i, 1),
				class: d.Classes[d.value(of.Name+".class", i, 0)], raw: d.Classes[d.value(of.Name+".class", i, 0)+1],
				evidence: profile.Evidence{
					Added: int(d.value(of.Name+".added", i, 0)), Context: int(d.value(of.Name+".context", i, 0)), ByTime: int(d.value(of.Name+".byTime", i, 0)),
				},
			}
			if of.Timed {
				r.value = d.value(of.Name+".over", i, 0)
				if i+1 < of.Offsets[thread+1] {
					r.value += times[i+1] - times[i]
				}
				r.until = r.at + r.value
				if of.Name == "wall" {
					r.value -= d.paused(thread, r.at, r.until)
				}
			}
			list = append(list, r)
		}
	}
	return list
}

// paused returns the sum of the pauses of the process of a thread within a time.
func (d *document) paused(thread int, from, until int64) (sum int64) {
	end := from
	for _, m := range d.Marks { // in time order
		if m.Kind == "pause" && d.Threads[m.Thread].Process == d.Threads[thread].Process {
			sum += max(0, min(until, m.ToNs)-max(end, m.FromNs))
			end = max(end, m.ToNs)
		}
	}
	return sum
}

// typeOf returns the name of the type that declares a function.
func (d *document) typeOf(f int) string {
	at := d.value("function.type", f, 0)
	if at < 0 {
		return d.OtherTypes[-1-at]
	}
	return string(utf16.Decode(utf16.Encode([]rune(d.Names[d.value("function.name", f, 0)]))[:at]))
}

// path returns the names and raw names of the functions from the root to a node.
func (d *document) path(node int64) []string {
	var list []string
	for ; node != 0; node -= d.value("parent", int(node), 0) {
		f := int(d.value("function", int(node), 0))
		name := d.value("function.name", f, 0)
		list = append([]string{d.Names[name] + " " + d.Names[name+1] + " in " + d.Modules[d.value("function.module", f, 0)] + " of " + d.typeOf(f)}, list...)
	}
	return list
}
