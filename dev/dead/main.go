// Dead compares the functions that the tool deadcode reports with explained.tsv,
// which gives the reason for each one that stays. It fails if a function has no
// explanation, and if an explanation has no function: make dead.
//
//	bin/deadcode -json -test work | bin/dead
package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

const module = "github.com/nettrace-go/nettrace"

//go:embed explained.tsv
var explained string

func main() {
	problems, err := run(os.Stdin, explained)
	if err != nil {
		fmt.Fprintln(os.Stderr, "dead:", err)
		os.Exit(2)
	}
	for _, p := range problems {
		fmt.Println(p)
	}
	if len(problems) > 0 {
		os.Exit(1)
	}
}

// function is a function or method by the path of its package, without the module,
// and its name as deadcode prints it: "Type.Method".
type function struct{ path, name string }

// run returns a line for each function of the report without a reason, in the
// order of the report, then one for each reason without a function.
func run(report io.Reader, explained string) (problems []string, err error) {
	reasons, err := readReasons(explained)
	if err != nil {
		return nil, err
	}
	var packages []reportedPackage
	if err := json.NewDecoder(report).Decode(&packages); err != nil {
		return nil, fmt.Errorf("output of deadcode -json: %w", err)
	}
	used := map[function]bool{}
	for _, p := range packages {
		for _, f := range p.Funcs {
			of := function{strings.TrimPrefix(strings.TrimPrefix(p.Path, module), "/"), f.Name}
			used[of] = true
			if f.isExample() || slices.Contains(reasons, of) {
				continue
			}
			problems = append(problems, fmt.Sprintf("%s:%d: neither a program nor a test calls %s", f.Position.File, f.Position.Line, f.Name))
		}
	}
	for _, of := range reasons {
		if !used[of] {
			problems = append(problems, fmt.Sprintf("explained.tsv: %s: %s is called, or removed", of.path, of.name))
		}
	}
	return problems, nil
}

// reportedPackage is an entry of the output of deadcode -json.
type reportedPackage struct {
	Path  string
	Funcs []reportedFunction
}

type reportedFunction struct {
	Name     string
	Position struct {
		File string
		Line int
	}
}

// isExample reports whether f is an example. One without a comment "Output:" is
// compiled, but does not run.
func (f *reportedFunction) isExample() bool {
	return strings.HasPrefix(f.Name, "Example") && strings.HasSuffix(f.Position.File, "_test.go")
}

// readReasons returns the functions of explained.tsv. Each must have a reason.
func readReasons(text string) (functions []function, err error) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(line, "\t")
		if len(columns) != 3 || slices.Contains(columns[1:], "") {
			return nil, fmt.Errorf("explained.tsv: line %q does not have a package, a symbol and a reason", line)
		}
		functions = append(functions, function{columns[0], columns[1]})
	}
	return functions, nil
}
