package parquet

import (
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/nettrace-go/nettrace/columns"
)

const (
	rowsPerGroup = 1 << 20
	rowsPerBatch = 1 << 14
	// maxShared bounds the values of a column that are made once for all rows.
	maxShared = 1 << 16
)

// Write writes some rows of a table, all if rows is nil, as a Parquet file. With optional,
// all columns can be null, so that the files of several traces have one schema: engines take
// that of the first file for all, and a required column would lose the nulls of the others.
func Write(dst io.Writer, d *columns.Data, rows []int, optional bool) error {
	count := len(rows)
	if rows == nil {
		count = d.Rows
	}
	w := parquet.NewGenericWriter[any](dst, schema(d, optional))
	var list []*source
	for i := range d.Table.Columns {
		v := d.Vector(d.Table.Columns[i].Name)
		list = append(list, newSource(source{of: &d.Table.Columns[i], vector: v, column: i, optional: optional || v.Nulls != nil}))
	}
	batch := make([]parquet.Value, 0, min(count, rowsPerBatch))
	for from := 0; from < count; from += rowsPerGroup {
		for i, column := range w.ColumnWriters() {
			if err := list[i].write(column, rows, from, min(from+rowsPerGroup, count), batch); err != nil {
				return err
			}
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return w.Close()
}

// source has the values of a column.
type source struct {
	of       *columns.Column
	vector   *columns.Vector
	column   int
	optional bool
	shared   []parquet.Value // by position of the vector; nil: each row has a value of its own
}

// newSource returns s with the values that many rows share.
func newSource(s source) *source {
	size := max(len(s.vector.Ints), len(s.vector.Floats), len(s.vector.Texts))
	if s.vector.Index == nil || size > maxShared {
		return &s
	}
	once, values := *s.vector, s
	once.Index, values.vector = nil, &once
	for i := range size {
		s.shared = append(s.shared, values.value(i))
	}
	return &s
}

// write writes the rows of a group, in batches.
func (s *source) write(column *parquet.ColumnWriter, rows []int, from, to int, batch []parquet.Value) error {
	for at := from; at < to; at += rowsPerBatch {
		end := min(at+rowsPerBatch, to)
		if rows == nil {
			batch = s.appendAll(batch[:0], at, end)
		} else {
			batch = s.append(batch[:0], rows[at:end])
		}
		if _, err := column.WriteRowValues(batch); err != nil {
			return err
		}
	}
	return nil
}

// appendAll appends the values of all rows of a range.
func (s *source) appendAll(batch []parquet.Value, from, to int) []parquet.Value {
	if s.shared != nil {
		for _, at := range s.vector.Index[from:to] {
			batch = append(batch, s.shared[at])
		}
		return batch
	}
	for row := from; row < to; row++ {
		batch = append(batch, s.value(row))
	}
	return batch
}

// append appends the values of some rows.
func (s *source) append(batch []parquet.Value, rows []int) []parquet.Value {
	for _, row := range rows {
		batch = append(batch, s.value(row))
	}
	return batch
}

// value returns the value of a row. Only the values of optional columns have a level.
func (s *source) value(row int) parquet.Value {
	var v parquet.Value
	switch {
	case s.vector.Null(row):
		return v.Level(0, 0, s.column)
	case s.of.Type == columns.Text:
		v = parquet.ValueOf(s.vector.Text(row))
	case s.of.Type == columns.Float:
		v = parquet.DoubleValue(s.vector.Float(row))
	case s.of.Type == columns.Bool:
		v = parquet.BooleanValue(s.vector.Int(row) != 0)
	default:
		v = parquet.Int64Value(s.vector.Int(row))
	}
	if !s.optional {
		return v
	}
	return v.Level(0, 1, s.column)
}
