// Package ruletest demands of the tests of a part of a report that each rule for findings
// has a trace that fires it, and a trace of the same part, a healthy one, that does not.
//
// Only tests import this package.
package ruletest

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/internal/corpora"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// Rules remembers the findings of the reports that the tests of a package make. The zero
// value has seen none. Its methods must not run in several goroutines.
type Rules struct {
	reports int            // with events of the part
	fired   map[string]int // how many of them have a finding of the rule
}

// Saw remembers reports, and returns them.
func (r *Rules) Saw(reports []analysis.Report) []analysis.Report {
	for i := range reports {
		if !reports[i].Recorded() {
			continue
		}
		r.reports++
		var names []string
		for _, f := range reports[i].Findings {
			names = append(names, f.Rule)
		}
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			if r.fired == nil {
				r.fired = map[string]int{}
			}
			r.fired[name]++
		}
	}
	return reports
}

// Main runs the tests of a package, and then demands the traces of each rule in its source.
// It returns the exit code. It demands nothing when only some tests ran, as with -run or
// without the folder "shared", which has some of the traces.
func (r *Rules) Main(m *testing.M) int {
	code := m.Run()
	if code != 0 || !whole() {
		return code
	}
	names, err := named(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "ruletest:", err)
		return 1
	}
	for _, fault := range r.faults(names) {
		fmt.Fprintln(os.Stderr, "ruletest:", fault)
		code = 1
	}
	return code
}

// whole reports whether all tests of the package ran with all traces.
func whole() bool {
	if shared.Race { // some of the tests are skipped
		return false
	}
	for _, name := range []string{"test.run", "test.skip", "test.list", "test.bench", "test.fuzz"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			return false
		}
	}
	dir := os.Getenv("NETTRACE_SHARED")
	if dir == "" {
		root, err := corpora.Root()
		if err != nil {
			return false
		}
		dir = filepath.Join(root, "..", "shared")
	}
	_, err := os.Stat(dir)
	return err == nil
}

// faults returns what the reports lack for the rules of these names.
func (r *Rules) faults(names []string) (list []string) {
	if len(names) == 0 {
		list = append(list, "the package has no rule: an analysis.Rule with a Name")
	}
	for _, name := range names {
		switch fired := r.fired[name]; {
		case fired == 0:
			list = append(list, name+": no trace of the tests has this finding")
		case fired == r.reports:
			list = append(list, name+": no trace of the tests is without this finding")
		}
	}
	for name := range r.fired {
		if !slices.Contains(names, name) {
			list = append(list, name+": a finding of no rule of the package")
		}
	}
	slices.Sort(list)
	return list
}

// named returns the names of the rules in the Go files of a folder but tests: the values of
// the key Name of each literal of type analysis.Rule.
func named(dir string) (names []string, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			return nil, err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if literal, ok := n.(*ast.CompositeLit); ok && isRule(literal.Type) {
				names = append(names, nameOf(literal)...)
			}
			return true
		})
	}
	return names, nil
}

// isRule reports whether a type is analysis.Rule.
func isRule(t ast.Expr) bool {
	s, ok := t.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "Rule" {
		return false
	}
	pkg, ok := s.X.(*ast.Ident)
	return ok && pkg.Name == "analysis"
}

// nameOf returns the value of the key Name, if it is a text.
func nameOf(literal *ast.CompositeLit) (names []string) {
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key, isName := pair.Key.(*ast.Ident)
		value, isText := pair.Value.(*ast.BasicLit)
		if isName && isText && key.Name == "Name" {
			if name, err := strconv.Unquote(value.Value); err == nil {
				names = append(names, name)
			}
		}
	}
	return names
}
