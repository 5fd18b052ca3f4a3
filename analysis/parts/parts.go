// Package parts lists the parts of a report.
package parts

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/gc"
)

// part is a constructor and the name of what it makes.
type part struct {
	name string
	new  func() analysis.Part
}

// table lists the parts in the order of a report.
var table = []part{
	{gc.Name, func() analysis.Part { return gc.New() }},
}

// All returns a new Part of each kind, in the order of a report.
func All() []analysis.Part {
	var list []analysis.Part
	for _, p := range table {
		list = append(list, p.new())
	}
	return list
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
