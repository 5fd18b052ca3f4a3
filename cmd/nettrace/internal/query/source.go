package query

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/columns"
)

// numbersPerFile is the number of ids that a file has: the ids of the second file begin
// after it, so that a number identifies a row in all files.
const numbersPerFile = 1 << 40

// source has the traces of a query, and what the query needs of them.
type source struct {
	ctx    context.Context
	traces []*columns.Trace
	tables map[string]*table // by name in lower case
	loaded bool
	heap   int64 // bytes of memory that SQLite may use
}

// table is a table of SQL: that of the same name of each trace.
type table struct {
	name    string
	columns []columns.Column
	parts   []*part // by trace
	used    []bool  // by column: the query needs it
	wanted  bool
	source  *source
}

// part is the table of one trace.
type part struct {
	table   *columns.Table // nil if the trace does not have it
	at      []int          // by column of the table of SQL: position, or -1
	data    *columns.Data
	vectors []*columns.Vector // by column of the table of SQL, nil for one without values
	byKey   map[int]map[int64][]int32
	sorted  map[int]bool // by column that was checked
}

// find returns the table with a name, nil if no trace has it.
func (s *source) find(name string) (*table, error) {
	lower := strings.ToLower(name)
	if t := s.tables[lower]; t != nil {
		return t, nil
	}
	t := &table{name: name, source: s}
	for _, trace := range s.traces {
		p := &part{byKey: map[int]map[int64][]int32{}, sorted: map[int]bool{}}
		var unknown *columns.UnknownTableError
		var err error
		if p.table, err = trace.Table(s.ctx, lower); err != nil && !errors.As(err, &unknown) {
			return nil, err
		}
		t.parts = append(t.parts, p)
		if p.table != nil {
			t.addColumns(p.table)
		}
	}
	if t.columns == nil {
		return nil, nil
	}
	for _, p := range t.parts {
		p.at = make([]int, len(t.columns))
		for i := range t.columns {
			p.at[i] = -1
			if p.table != nil {
				p.at[i] = p.table.Column(t.columns[i].Name)
			}
		}
	}
	t.used = make([]bool, len(t.columns))
	s.tables[lower] = t
	return t, nil
}

// addColumns adds the columns of a part that other traces do not have. A column that is of
// another type there is a text.
func (t *table) addColumns(of *columns.Table) {
	t.name = of.Name
	for _, c := range of.Columns {
		at := slices.IndexFunc(t.columns, func(have columns.Column) bool { return have.Name == c.Name })
		if at < 0 {
			t.columns = append(t.columns, c)
		}
	}
}

// usesNames reports whether the query uses a table with the names of functions.
func (s *source) usesNames() bool {
	for _, name := range []string{"functions", "samples_by_function"} {
		if t := s.tables[name]; t != nil && t.wanted {
			return true
		}
	}
	return false
}

// load reads all that the query uses.
func (s *source) load() error {
	if s.loaded {
		return nil
	}
	for i, trace := range s.traces {
		var wants []columns.Want
		for _, t := range s.tables {
			if t.wanted && t.parts[i].table != nil {
				wants = append(wants, t.want(t.parts[i]))
			}
		}
		if err := trace.Prepare(s.ctx, wants); err != nil {
			return err
		}
		for _, t := range s.tables {
			if t.wanted {
				t.fill(trace, t.parts[i])
			}
		}
	}
	rows := 0
	for _, t := range s.tables {
		for _, p := range t.parts {
			rows += p.rows()
		}
	}
	s.limitHeap(rows)
	s.loaded = true
	return nil
}

// limitHeap sets the limit of memory for tables with a number of rows.
func (s *source) limitHeap(rows int) {
	s.heap = heap + rowHeap*int64(rows)
	limitHeap(s.heap)
}

// want returns the columns that the query uses of a part.
func (t *table) want(p *part) columns.Want {
	w := columns.Want{Table: p.table, Columns: []int{}}
	for i, used := range t.used {
		if used && p.at[i] >= 0 {
			w.Columns = append(w.Columns, p.at[i])
		}
	}
	return w
}

// fill sets the data of a part.
func (t *table) fill(trace *columns.Trace, p *part) {
	p.vectors = make([]*columns.Vector, len(t.columns))
	if p.table == nil {
		return
	}
	p.data = trace.Data(p.table)
	for i, c := range t.columns {
		if t.used[i] && p.at[i] >= 0 {
			p.vectors[i] = p.data.Vector(c.Name)
		}
	}
}

// rows returns the number of rows of a part.
func (p *part) rows() int {
	if p.data == nil {
		return 0
	}
	return p.data.Rows
}

// find returns the rows with a number in a key column.
func (p *part) find(column int, number int64) []int32 {
	v := p.vectors[column]
	if v == nil {
		return nil
	}
	index := p.byKey[column]
	if index == nil {
		index = map[int64][]int32{}
		for row := range p.rows() {
			if !v.Null(row) {
				index[v.Int(row)] = append(index[v.Int(row)], int32(row))
			}
		}
		p.byKey[column] = index
	}
	return index[number]
}

// isSorted reports whether the values of a column do not decrease, which a trace whose
// events are out of order does not keep.
func (p *part) isSorted(column int) bool {
	sorted, checked := p.sorted[column]
	if !checked {
		v := p.vectors[column]
		sorted = true
		for row := 1; row < p.rows() && sorted; row++ {
			sorted = v.Int(row-1) <= v.Int(row)
		}
		p.sorted[column] = sorted
	}
	return sorted
}

// value returns a value of a row of a file. The numbers of rows are those of all files.
func (t *table) value(file, row, column int) any {
	p := t.parts[file]
	v := p.vectors[column]
	if v == nil || v.Null(row) {
		return nil
	}
	switch c := &p.table.Columns[p.at[column]]; {
	case c.Type == columns.Text:
		return v.Text(row)
	case c.Type == columns.Float:
		return v.Float(row)
	case c.Of != "":
		return v.Int(row) + int64(file)*numbersPerFile
	}
	return v.Int(row)
}
