package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/conformance/cases"
)

//go:embed expected.tsv
var expectedText string

// expectation is what a reader must do with a case, and why.
type expectation struct {
	result     string // a word of the column result
	basis      cases.Basis
	uncompared []string
	heading    string // "" for that of the rule or of the block
	about      string
	used       bool
}

// expectations has the rows of expected.tsv by the name of the case.
type expectations map[string]*expectation

// readExpectations parses expected.tsv.
func readExpectations(text string) (expectations, error) {
	list := expectations{}
	for n, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "name\t") {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) != 6 {
			return nil, fmt.Errorf("expected.tsv, line %d: %d columns, want 6", n+1, len(cells))
		}
		for i := range cells {
			if cells[i] == "-" {
				cells[i] = ""
			}
		}
		e := &expectation{result: cells[1], basis: cases.Basis(cells[2]), heading: cells[4], about: cells[5]}
		if cells[3] != "" {
			e.uncompared = strings.Split(cells[3], ",")
		}
		if list[cells[0]] != nil {
			return nil, fmt.Errorf("expected.tsv, line %d: %s is there twice", n+1, cells[0])
		}
		list[cells[0]] = e
	}
	return list, nil
}

// of returns the expectation for a case: that of its version, that of all versions,
// or that of a valid case which rests on the text.
func (list expectations) of(m *made) *expectation {
	name := m.block + "/" + m.name
	for _, key := range []string{fmt.Sprintf("%s.v%d", name, m.version.Major), name} {
		if e := list[key]; e != nil {
			e.used = true
			return e
		}
	}
	e := &expectation{result: "valid", basis: cases.Text, about: m.about}
	if m.block == "type" {
		e.typed(m)
	}
	return e
}

// unused returns the first name in the table that no case has, or "".
func (list expectations) unused() string {
	var names []string
	for name, e := range list {
		if !e.used {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names[:min(1, len(names))], "")
}

// later is the heading of the fields of v5 in the revision that corrects their layout.
const later = "Metadata event encoding (revision of 2025-10-06)"

// typed sets the basis of a case about a type of values. Where v4 and v5 differ from
// their text, all writers agree; of DateTime in v6 none is known.
func (e *expectation) typed(m *made) {
	has := func(name string) bool { return strings.HasSuffix(m.name, name) }
	switch {
	case m.version.HasTags():
		e.basis, e.heading = cases.Runtime, later
	case m.version.HasObjects() && (has("boolean") || has("guid") || has("datetime")):
		e.basis = cases.Runtime
	case has("boolean8"):
		e.basis, e.heading = cases.Runtime, "MetadataBlock (revision of 2025-10-16)"
		e.result = "read:runtime,fieldsError,report"
	case has("datetime") && m.version.HasThreadTable():
		e.basis, e.result = cases.Choice, "read,strict:text,fieldsError,report"
	case has("datetime-of-16-bytes"):
		e.basis, e.result = cases.Choice, "strict:text,filetime,fieldsError,report"
	}
}

// grade is the first part of the names of cases with a result.
func (e *expectation) grade() cases.Grade {
	switch e.result {
	case "valid":
		return cases.Valid
	case string(cases.Stops), string(cases.Tells), string(cases.Silent):
		return cases.Invalid
	}
	return cases.Either
}
