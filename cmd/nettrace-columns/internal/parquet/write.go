package parquet

import (
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/nettrace-go/nettrace/columns"
)

const (
	rowsPerGroup = 1 << 20
	rowsPerBatch = 1 << 14
)

// Write writes some rows of a table, all if rows is nil, as a Parquet file.
func Write(dst io.Writer, d *columns.Data, rows []int) error {
	count := len(rows)
	if rows == nil {
		count = d.Rows
	}
	w := parquet.NewGenericWriter[any](dst, schema(d))
	batch := make([]parquet.Value, 0, min(count, rowsPerBatch))
	for from := 0; from < count; from += rowsPerGroup {
		if err := writeGroup(w, d, rows, batch, from, min(from+rowsPerGroup, count)); err != nil {
			return err
		}
	}
	return w.Close()
}

// writeGroup writes a row group, column by column.
func writeGroup(w *parquet.GenericWriter[any], d *columns.Data, rows []int, batch []parquet.Value, from, to int) error {
	for i, column := range w.ColumnWriters() {
		one := &source{of: &d.Table.Columns[i], vector: d.Vector(d.Table.Columns[i].Name), column: i}
		for at := from; at < to; at += rowsPerBatch {
			batch = batch[:0]
			for row := at; row < min(at+rowsPerBatch, to); row++ {
				if rows == nil {
					batch = append(batch, one.value(row))
				} else {
					batch = append(batch, one.value(rows[row]))
				}
			}
			if _, err := column.WriteRowValues(batch); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

// source has the values of a column.
type source struct {
	of     *columns.Column
	vector *columns.Vector
	column int
}

// value returns the value of a row.
func (s *source) value(row int) parquet.Value {
	if s.vector.Null(row) {
		return parquet.Value{}.Level(0, 0, s.column)
	}
	var v parquet.Value
	switch s.of.Type {
	case columns.Text:
		v = parquet.ValueOf(s.vector.Text(row))
	case columns.Float:
		v = parquet.DoubleValue(s.vector.Float(row))
	case columns.Bool:
		v = parquet.BooleanValue(s.vector.Int(row) != 0)
	default:
		v = parquet.Int64Value(s.vector.Int(row))
	}
	return v.Level(0, 1, s.column)
}
