package symbols

// space is the address space of one process.
type space struct {
	process    uint64
	wanted     wanted
	rundown    bool              // it has rows of a rundown
	modules    map[uint64]uint32 // numbers of modules by the runtime's id
	assemblies map[uint64]uint32 // their full names, by the runtime's id

	rows    []row
	entries []entry // entry points
	details []detail
	mapped  []mapping // v6
	about   ProcessInfo

	built    bool // the fields below are computed from those above
	code     lifetimes
	mappings lifetimes
}

// row is the content of a method event: the state of a range at a time.
type row struct {
	start    uint64
	ticks    uint64
	method   uint64 // the runtime's id
	size     uint32
	function uint32 // number plus one, 0 for no name
	kind     rowKind
}

func (r *row) end() uint64 { return r.start + uint64(r.size) }

type rowKind uint8

const (
	loaded      rowKind = iota // code is there from now on
	present                    // rundown at the start: it has been there, and stays
	unloaded                   // it was there up to now
	stillLoaded                // rundown at the end: it has been there, to the end
)
