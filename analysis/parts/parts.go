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

// part is a constructor and the name of what it makes.
type part struct {
	name string
	new  func() analysis.Part
}

// table lists the parts in the order of a report.
var table = []part{
	{gc.Name, func() analysis.Part { return gc.New() }},
	{alloc.Name, func() analysis.Part { return alloc.New() }},
	{jit.Name, func() analysis.Part { return jit.New() }},
	{threads.Name, func() analysis.Part { return threads.New() }},
	{locks.Name, func() analysis.Part { return locks.New() }},
	{async.Name, func() analysis.Part { return async.New() }},
	{waits.Name, func() analysis.Part { return waits.New() }},
	{exceptions.Name, func() analysis.Part { return exceptions.New() }},
	{requests.Name, func() analysis.Part { return requests.New() }},
	{spans.Name, func() analysis.Part { return spans.New() }},
	{counters.Name, func() analysis.Part { return counters.New() }},
	{trace.Name, func() analysis.Part { return trace.New() }},
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
