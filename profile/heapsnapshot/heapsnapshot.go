// Package heapsnapshot writes a heap dump as a heap snapshot of V8, which Chrome
// DevTools opens (extension .heapsnapshot).
//
// Each object is a node with the name of its type. A root is an edge of the type
// shortcut from the first node, with the kind of the root as its name; roots that do not
// keep their object are left out. References have numbers in their order, because a dump
// has no names of fields; those of static fields have the field's name, and the edge of
// a dependent handle is named so. Objects that no root reaches are below a node of their
// own. Ids are numbers in the order of the dump: the same object has different ids in
// two dumps.
package heapsnapshot

import (
	"bufio"
	"encoding/json"
	"io"
	"math"
	"strconv"

	"github.com/nettrace-go/nettrace/heap"
)

// Numbers of node and edge types in the list of types below.
const (
	objectNode    = 3
	syntheticNode = 9

	elementEdge  = 1
	propertyEdge = 2
	internalEdge = 3
	shortcutEdge = 5
)

// nodeFields is the number of fields of a node.
const nodeFields = 5

// meta describes the numbers of nodes and edges.
const meta = `{"node_fields":["type","name","id","self_size","edge_count"],` +
	`"node_types":[["hidden","array","string","object","code","closure","regexp","number","native","synthetic",` +
	`"concatenated string","sliced string","symbol","bigint"],"string","number","number","number"],` +
	`"edge_fields":["type","name_or_index","to_node"],` +
	`"edge_types":[["context","element","property","internal","hidden","shortcut","weak"],"string_or_number","node"],` +
	`"trace_function_info_fields":[],"trace_node_fields":[],"sample_fields":[],"location_fields":[]}`

// Names of the nodes that are no objects.
const (
	rootName      = ""
	unreachedName = "(objects that no root reaches)"
)

// Write writes a dump with its dominators. It returns the error of w.
func Write(w io.Writer, h *heap.Heap, d *heap.Dominators) error {
	s := &writer{w: bufio.NewWriterSize(w, 1<<16), heap: h, tree: d, numbers: map[string]int{}}
	for _, name := range h.Names() {
		s.text(name)
	}
	edges := 0
	for v := range s.vertices() {
		edges += s.edges(v, func(edge) {})
	}
	s.put(`{"snapshot":{"meta":` + meta + `,"node_count":` + strconv.Itoa(h.Len()+2) + `,"edge_count":` + strconv.Itoa(edges) +
		`,"trace_function_count":0},` + "\n" + `"nodes":[`)
	s.nodes()
	s.put("],\n" + `"edges":[`)
	s.first = true
	for v := range s.vertices() {
		s.edges(v, func(e edge) {
			to := int(e.to) + 2
			if int(e.to) >= h.Len() {
				to = int(e.to) - h.Len()
			}
			s.row(uint64(e.kind), uint64(e.name), uint64(to)*nodeFields)
		})
	}
	s.put("],\n" + `"trace_function_infos":[],"trace_tree":[],"samples":[],"locations":[],` + "\n" + `"strings":[`)
	for i, text := range s.texts {
		if i > 0 {
			s.put(",\n")
		}
		quoted, err := json.Marshal(text)
		if err != nil {
			return err
		}
		s.put(string(quoted))
	}
	s.put("]}\n")
	return s.w.Flush() // which returns the first error of all writes
}

// writer writes one snapshot.
type writer struct {
	w       *bufio.Writer
	heap    *heap.Heap
	tree    *heap.Dominators
	texts   []string
	numbers map[string]int
	first   bool // the next row is the first one
	line    []byte
}

// edge is an edge of a node.
type edge struct {
	kind int
	name int // number of a text, or of an element
	to   int32
}

// put writes text. Flush returns its error.
func (s *writer) put(text string) { _, _ = s.w.WriteString(text) }

// text returns the number of a text.
func (s *writer) text(text string) int {
	n, known := s.numbers[text]
	if !known {
		n = len(s.texts)
		s.numbers[text] = n
		s.texts = append(s.texts, text)
	}
	return n
}

// vertices iterates over the nodes in their order: the root, the node above the objects
// that no root reaches, and the objects.
func (s *writer) vertices() func(yield func(int32) bool) {
	return func(yield func(int32) bool) {
		if !yield(s.heap.Root()) || !yield(s.heap.Unreached()) {
			return
		}
		for i := range s.heap.Len() {
			if !yield(int32(i)) {
				return
			}
		}
	}
}

func (s *writer) nodes() {
	s.first = true
	id := uint64(1)
	for v := range s.vertices() {
		kind, name := syntheticNode, 0
		switch v {
		case s.heap.Root():
			name = s.text(rootName)
		case s.heap.Unreached():
			name = s.text(unreachedName)
		default:
			kind, name = objectNode, s.text(s.heap.Names()[s.heap.TypeOf(v)])
		}
		s.row(uint64(kind), uint64(name), id, min(s.heap.Size(v), math.MaxUint32), uint64(s.edges(v, func(edge) {})))
		id += 2
	}
}

// edges calls f for the edges of a node and returns their number.
func (s *writer) edges(v int32, f func(edge)) (n int) {
	emit := func(e edge) {
		n++
		f(e)
	}
	switch v {
	case s.heap.Root():
		for i := range s.heap.Roots {
			if r := &s.heap.Roots[i]; !r.Weak() {
				emit(edge{shortcutEdge, s.text(r.String()), r.Object})
			}
		}
		emit(edge{elementEdge, 1, s.heap.Unreached()})
	case s.heap.Unreached():
		for i, to := range s.tree.Children(v) {
			emit(edge{elementEdge, i, to})
		}
	default:
		for i, to := range s.heap.References(v) {
			switch name := s.heap.EdgeName(v, to); name {
			case "":
				emit(edge{elementEdge, i, to})
			case "dependent handle":
				emit(edge{internalEdge, s.text(name), to})
			default:
				emit(edge{propertyEdge, s.text(name), to})
			}
		}
	}
	return n
}

// row writes the numbers of a node or an edge on a line.
func (s *writer) row(numbers ...uint64) {
	line := s.line[:0]
	for i, n := range numbers {
		if i > 0 || !s.first {
			line = append(line, ',')
		}
		line = strconv.AppendUint(line, n, 10)
	}
	s.first = false
	s.line = append(line, '\n')
	_, _ = s.w.Write(s.line) // Flush returns the error
}
