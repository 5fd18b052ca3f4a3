package query

import "modernc.org/sqlite/vtab"

// Estimates of the cost of reading a row, for SQLite's choice of a plan: what a row of a scan
// costs is 1. A row that is found by a number costs more, so that a query begins with the table
// whose rows are the most, and finds the other tables' rows by their ids, unless the ids of
// another table spare it a sort.
const (
	costAll = 1
	costKey = 10
)

// rangeShare is the part of the rows that the bounds of a time leave.
const rangeShare = 10

// usualRows returns the number of rows of a table in a usual trace. The real one is not known
// before the trace is read.
func (t *table) usualRows() int64 { return usualRows(t.name) }

func usualRows(table string) int64 {
	switch table {
	case "events", "samples":
		return 1e6
	case "frames", "functions":
		return 1e4
	case "event_types", "providers", "threads", "files", "":
		return 100
	}
	return 1e5
}

// estimate sets what SQLite knows about a plan.
func (t *table) estimate(info *vtab.IndexInfo, cost float64, rows int64) {
	info.EstimatedCost, info.EstimatedRows = cost*float64(rows), rows
}

// estimateKey sets what SQLite knows about finding rows by a number. There is one row with an
// id, and as many with another number as there are rows for each of those it refers to.
func (t *table) estimateKey(info *vtab.IndexInfo, column int) {
	if t.isID(column) {
		t.estimate(info, costAll, 1)
		info.IdxFlags |= vtab.IndexScanUnique
		return
	}
	t.estimate(info, costKey, max(1, t.usualRows()/usualRows(t.columns[column].Of)))
}
