package exceptions

import (
	"fmt"
	"strings"

	"github.com/nettrace-go/nettrace/analysis"
)

// command shows the details of all findings of the part.
const command = "nettrace report exceptions FILE"

// rules are the findings of the part. Each has the lowest value that is one.
var rules = []analysis.Measured[Row, Totals]{
	{Rule: analysis.Rule{
		Name: "exceptions-unhandled", Threshold: 1, Unit: "count", Severity: analysis.High, Command: command,
		Advice: "Handle the exception: it ends the process.",
	}, Measure: unhandled},
	{Rule: analysis.Rule{
		Name: "exceptions-filter", Threshold: 1, High: 100, Unit: "count", Severity: analysis.Medium, Command: command,
		Advice: "Correct the filter: its exception is lost, and the filter counts as false.",
	}, Measure: swallowed},
	{Rule: analysis.Rule{
		Name: "exceptions-replaced", Threshold: 3, High: 100, Unit: "count", Severity: analysis.Medium, Command: command,
		Advice: "Let no exception leave a catch or finally block without the first one as its inner exception: the cause is lost.",
	}, Measure: replaced},
	{Rule: analysis.Rule{
		Name: "exceptions-rate", Threshold: 100, High: 1000, Unit: "count", Severity: analysis.Medium, Command: command,
		Advice: "Test for the condition instead of catching its exception: a throw takes tens of microseconds.",
	}, Measure: throwRate},
}

// most returns the row with the highest count, nil if all are 0.
func most(rows []Row, count func(*Row) int64) *Row {
	var first *Row
	for i := range rows {
		if n := count(&rows[i]); n > 0 && (first == nil || n > count(first)) {
			first = &rows[i]
		}
	}
	return first
}

// description says which exceptions a row is about.
func (r *Row) description() string {
	text := r.Type
	if r.Thrower != "" {
		text += " thrown by " + r.Thrower
	}
	return text
}

func unhandled(rows []Row, t *Totals) (float64, string) {
	row := most(rows, func(r *Row) int64 { return r.Unhandled })
	if row == nil {
		return 0, ""
	}
	return float64(t.Unhandled), fmt.Sprintf("%s was not handled, and the trace ends after it: %q", row.description(), row.Message)
}

func swallowed(rows []Row, t *Totals) (float64, string) {
	row := most(rows, func(r *Row) int64 { return r.Swallowed })
	if row == nil {
		return 0, ""
	}
	return float64(t.Swallowed), fmt.Sprintf("%d exceptions left a filter and are lost; most often %s", t.Swallowed, row.description())
}

// replaced counts the exceptions that were replaced in the program's own methods: the
// class library replaces some on purpose, such as canceled operations.
func replaced(rows []Row, _ *Totals) (float64, string) {
	own := func(r *Row) int64 {
		if r.inLibrary() {
			return 0
		}
		return r.Replaced
	}
	row, count := most(rows, own), int64(0)
	if row == nil {
		return 0, ""
	}
	for i := range rows {
		count += own(&rows[i])
	}
	return float64(count), fmt.Sprintf("%d exceptions were replaced by others that left a catch or finally block without an inner exception; most often %s",
		count, row.description())
}

// inLibrary reports whether the exceptions were last handled in the class library.
func (r *Row) inLibrary() bool {
	method := r.Catcher
	if method == "" {
		method = r.Thrower
	}
	return strings.HasPrefix(method, "System.") || strings.HasPrefix(method, "Microsoft.")
}

// fewThrown is the number of throws below which their rate is no finding.
const fewThrown = 1000

func throwRate(rows []Row, t *Totals) (float64, string) {
	count, known := t.first()
	row := most(rows, func(r *Row) int64 { return r.Throws })
	if count < fewThrown || row == nil {
		return 0, ""
	}
	text := fmt.Sprintf("%d exceptions were thrown, %.1f per second; most often %s", count, t.ThrownPerSecond, row.description())
	if !known {
		text += "; without the names of methods that includes those that an await throws again"
	}
	return t.ThrownPerSecond, text
}
