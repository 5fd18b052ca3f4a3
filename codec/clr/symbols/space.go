package symbols

import (
	"cmp"
	"slices"
)

// space is the address space of one process.
type space struct {
	process    uint64
	wanted     wanted
	rundown    bool              // it has rows of a rundown
	modules    map[uint64]uint32 // numbers of modules by the runtime's id
	assemblies map[uint64]uint32 // their full names, by the runtime's id

	rows      []row   // sorted by time
	added     [][]row // to rows, when built; in pieces, so that they grow without being copied
	entries   []entry // entry points
	details   []detail
	maps      map[bodyKey][]byte     // entries of MethodILToNativeMap
	inlines   map[bodyKey][]richPart // of JittedMethodRichDebugInfo
	stored    []storedSymbol
	imageMaps map[uint64]string // by start of the body
	mapped    []mapping         // v6
	about     ProcessInfo

	built    bool // the fields below are computed from those above
	code     lifetimes
	mappings lifetimes
	methods  map[uint64]methodOf // by the runtime's id, when an inlined one is named
}

// rowsOfPiece is the number of rows of a piece.
const rowsOfPiece = 256

// add adds a row.
func (s *space) add(r row) {
	last := len(s.added) - 1
	if last < 0 || len(s.added[last]) == rowsOfPiece {
		s.added = append(s.added, make([]row, 0, rowsOfPiece))
		last++
	}
	s.added[last] = append(s.added[last], r)
	s.built = false
}

// sort sorts the rows with those that were added.
func (s *space) sort() {
	s.rows = slices.Concat(append([][]row{s.rows}, s.added...)...)
	s.added = nil
	slices.SortStableFunc(s.rows, func(a, b row) int { return cmp.Compare(a.ticks, b.ticks) })
}

// row is the content of a method event: the state of a range at a time.
type row struct {
	start    uint64
	ticks    uint64
	method   uint64 // the runtime's id
	size     uint32
	function uint32 // number plus one, 0 for no name
	code     uint32 // the same of the body, with Options.Lines
	kind     rowKind
}

func (r *row) end() uint64 { return r.start + uint64(r.size) }

type rowKind uint8

const (
	loaded      rowKind = iota // code is there from now on
	present                    // rundown at the start: it has been there, and stays
	unloaded                   // it was there up to now
	stillLoaded                // rundown at the end: it has been there, to the end
	inImage                    // an image has it: it is there all the time
)
