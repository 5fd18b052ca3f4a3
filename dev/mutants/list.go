package main

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed list/*.tsv
var lists embed.FS

// mutant is a change of one function.
type mutant struct {
	file     string // from the root of the repository
	function string // "Type.Method", or the name of a function or another declaration
	old, new string
	// equivalent is the reason why no test can detect the change; empty for a
	// mutant that tests must kill.
	equivalent string
}

// folder is the folder of the mutant's package.
func (m *mutant) folder() string { return path.Dir(m.file) }

func (m *mutant) String() string {
	return fmt.Sprintf("%s %s: %s -> %s", m.file, m.function, m.old, m.new)
}

// readLists returns the mutants of all lists.
func readLists() ([]mutant, error) {
	names, err := lists.ReadDir("list")
	if err != nil {
		return nil, err
	}
	var all []mutant
	for _, name := range names {
		text, err := lists.ReadFile("list/" + name.Name())
		if err != nil {
			return nil, err
		}
		list, err := parseList(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name.Name(), err)
		}
		all = append(all, list...)
	}
	return all, nil
}

// parseList reads one list. Lines that begin with # are comments.
func parseList(text string) (list []mutant, err error) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(line, "\t")
		if len(columns) == 4 {
			columns = append(columns, "")
		} else if len(columns) != 5 || columns[4] == "" {
			return nil, fmt.Errorf("line %q does not have a file, a function, the old and the new text, and perhaps a reason", line)
		}
		m := mutant{columns[0], columns[1], columns[2], columns[3], columns[4]}
		if m.old == "" || m.old == m.new {
			return nil, fmt.Errorf("line %q changes nothing", line)
		}
		same := func(o mutant) bool { return o.String() == m.String() }
		if slices.ContainsFunc(list, same) {
			return nil, fmt.Errorf("line %q is there twice", line)
		}
		list = append(list, m)
	}
	return list, nil
}

// apply returns the text of the mutant's file, which is below root, with the change.
func (m *mutant) apply(root string) ([]byte, error) {
	src, err := os.ReadFile(filepath.Join(root, m.file))
	if err != nil {
		return nil, err
	}
	changed, err := m.change(src)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", m, err)
	}
	return changed, nil
}

// change replaces the old text in src, the text of the mutant's file. The result
// must be valid Go.
func (m *mutant) change(src []byte) ([]byte, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, m.file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	nodes := declarations(file, m.function)
	if len(nodes) != 1 {
		return nil, fmt.Errorf("%d declarations with this name instead of one", len(nodes))
	}
	start, end := files.Position(nodes[0].Pos()).Offset, files.Position(nodes[0].End()).Offset
	text := string(src[start:end])
	if n := strings.Count(text, m.old); n != 1 {
		return nil, fmt.Errorf("the function has the old text %d times instead of once", n)
	}
	text = strings.Replace(text, m.old, m.new, 1)
	changed := slices.Concat(src[:start], []byte(text), src[end:])
	_, err = parser.ParseFile(token.NewFileSet(), m.file, changed, parser.SkipObjectResolution)
	return changed, err
}

// declarations returns the declarations of file with the given name.
func declarations(file *ast.File, name string) (nodes []ast.Node) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if functionName(d) == name {
				nodes = append(nodes, d)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if hasName(spec, name) {
					nodes = append(nodes, spec)
				}
			}
		}
	}
	return nodes
}

// functionName is "Name", or "Type.Name" for a method.
func functionName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	switch generic := typ.(type) {
	case *ast.IndexExpr:
		typ = generic.X
	case *ast.IndexListExpr:
		typ = generic.X
	}
	if of, ok := typ.(*ast.Ident); ok {
		return of.Name + "." + d.Name.Name
	}
	return d.Name.Name
}

// hasName reports whether spec declares a constant, variable or type of that name.
func hasName(spec ast.Spec, name string) bool {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		return spec.Name.Name == name
	case *ast.ValueSpec:
		return slices.ContainsFunc(spec.Names, func(id *ast.Ident) bool { return id.Name == name })
	}
	return false
}
