// Package parts lists the parts of a report.
package parts

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/alloc"
	"github.com/nettrace-go/nettrace/analysis/async"
	"github.com/nettrace-go/nettrace/analysis/counters"
	"github.com/nettrace-go/nettrace/analysis/exceptions"
	"github.com/nettrace-go/nettrace/analysis/gc"
	"github.com/nettrace-go/nettrace/analysis/jit"
	"github.com/nettrace-go/nettrace/analysis/locks"
	"github.com/nettrace-go/nettrace/analysis/requests"
	"github.com/nettrace-go/nettrace/analysis/spans"
	"github.com/nettrace-go/nettrace/analysis/threads"
	"github.com/nettrace-go/nettrace/analysis/trace"
	"github.com/nettrace-go/nettrace/analysis/waits"
)

// part is a constructor, the name of what it makes, and the declaration of its rows.
type part struct {
	name string
	new  func() analysis.Part
	rows func() *analysis.Listing
}

// table lists the parts in the order of a report.
var table = []part{
	{gc.Name, func() analysis.Part { return gc.New() }, gc.Table.Listing},
	{alloc.Name, func() analysis.Part { return alloc.New() }, alloc.Table.Listing},
	{jit.Name, func() analysis.Part { return jit.New() }, jit.Table.Listing},
	{threads.Name, func() analysis.Part { return threads.New() }, threads.Table.Listing},
	{locks.Name, func() analysis.Part { return locks.New() }, locks.Table.Listing},
	{async.Name, func() analysis.Part { return async.New() }, async.Table.Listing},
	{waits.Name, func() analysis.Part { return waits.New() }, waits.Table.Listing},
	{exceptions.Name, func() analysis.Part { return exceptions.New() }, exceptions.Table.Listing},
	{requests.Name, func() analysis.Part { return requests.New() }, requests.Table.Listing},
	{spans.Name, func() analysis.Part { return spans.New() }, spans.Table.Listing},
	{counters.Name, func() analysis.Part { return counters.New() }, nil},
	{trace.Name, func() analysis.Part { return trace.New() }, trace.Table.Listing},
}

// All returns a new Part of each kind, in the order of a report.
func All() []analysis.Part {
	var list []analysis.Part
	for _, p := range table {
		list = append(list, p.new())
	}
	connect(list)
	return list
}

// With returns a new Part by its name, as the last of those that Read must read for it: it takes facts
// from the others. It returns nil if there is none.
func With(name string) []analysis.Part {
	var list []analysis.Part
	if name == requests.Name {
		list = append(list, alloc.New(), locks.New(), waits.New())
	}
	one, ok := New(name)
	if !ok {
		return nil
	}
	list = append(list, one)
	connect(list)
	return list
}

// connect gives the requests the parts that they take facts from, which are before them.
func connect(list []analysis.Part) {
	var w *waits.Part
	var l *locks.Part
	var a *alloc.Part
	for _, one := range list {
		switch one := one.(type) {
		case *waits.Part:
			w = one
		case *locks.Part:
			l = one
		case *alloc.Part:
			a = one
		case *requests.Part:
			if w != nil && l != nil && a != nil {
				one.With(w, l, a)
			}
		}
	}
}

// New returns a new Part by its name, false if there is none.
func New(name string) (analysis.Part, bool) {
	for _, p := range table {
		if p.name == name {
			return p.new(), true
		}
	}
	return nil, false
}

// Names returns the names of the parts, in the order of a report.
func Names() []string {
	var list []string
	for _, p := range table {
		list = append(list, p.name)
	}
	return list
}

// Listing returns what the page of the viewer needs about the rows of a part, nil for a part that does
// not declare them.
func Listing(name string) *analysis.Listing {
	for _, p := range table {
		if p.name == name && p.rows != nil {
			return p.rows()
		}
	}
	return nil
}
