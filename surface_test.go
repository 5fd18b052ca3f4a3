package nettrace_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
)

// The bounds of the public surface: they fall. What rises is needed by an author of an agent or a tool.
const (
	maxNames   = 2100 // constants, variables, types and functions
	maxMethods = 1651
)

// TestSurface bounds the exported names of the packages that other modules can import, and prints how many
// each has. Rules and layouts are tables of the format, whose names are its own.
func TestSurface(t *testing.T) {
	packages := publicPackages(t, token.NewFileSet())
	names, methods := 0, 0
	var lines []string
	for _, folder := range slices.Sorted(maps.Keys(packages)) {
		if folder == "codec/rule" || folder == "codec/layout" {
			continue
		}
		n, m := surfaceOf(packages[folder])
		names, methods = names+n, methods+m
		lines = append(lines, fmt.Sprintf("%5d %5d %s", n, m, folder))
	}
	t.Logf("%d names and %d methods:\n%s", names, methods, strings.Join(lines, "\n"))
	if names > maxNames || methods > maxMethods {
		t.Errorf("%d names and %d methods are exported, the bounds are %d and %d", names, methods, maxNames, maxMethods)
	}
}

// surfaceOf counts the exported names of a package, and the methods of its exported types.
func surfaceOf(files []*ast.File) (names, methods int) {
	for _, file := range files {
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				switch {
				case !decl.Name.IsExported():
				case decl.Recv == nil:
					names++
				case ast.IsExported(typeName(decl.Recv.List[0].Type)):
					methods++
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						if spec.Name.IsExported() {
							names++
						}
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							if name.IsExported() {
								names++
							}
						}
					}
				}
			}
		}
	}
	return names, methods
}
