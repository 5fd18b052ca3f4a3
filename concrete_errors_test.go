package nettrace_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestConcreteErrors: no exported function or method, and no method of an exported
// interface, has a result of a pointer to an error type: assigned to an error, its
// nil is an error that is not nil.
func TestConcreteErrors(t *testing.T) {
	set := token.NewFileSet()
	files := map[string]*ast.File{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && path != "." || entry.Name() == "testdata"):
			return fs.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files[path], err = parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	errors := map[string]bool{}
	for _, file := range files {
		addErrorTypes(errors, file)
	}
	if len(errors) < 15 {
		t.Errorf("got %d error types, want 15 or more", len(errors))
	}
	for _, file := range files {
		for _, node := range concreteErrors(file, errors) {
			t.Errorf("%v: the result is a pointer to an error type: return error", set.Position(node.Pos()))
		}
	}
}

// TestConcreteErrorsFound tries declarations that are found and others.
func TestConcreteErrorsFound(t *testing.T) {
	for code, want := range map[string]int{
		"func F() *E":                         1,
		"func (T) F() (int, *E)":              1,
		"func (*T) F() *raw.E":                1,
		"type I interface { F() *E }":         1,
		"func F() error":                      0,
		"func F() E":                          0,
		"func F(e *E)":                        0,
		"func F() *T":                         0,
		"func f() *E":                         0,
		"func (t) F() *E":                     0,
		"type i interface { F() *E }":         0,
		"type I interface { f() *E; F() *T }": 0,
	} {
		t.Run(code, func(t *testing.T) {
			file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc (*E) Error() string\n"+code, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			errors := map[string]bool{}
			addErrorTypes(errors, file)
			if got := len(concreteErrors(file, errors)); got != want {
				t.Errorf("got %d results, want %d", got, want)
			}
		})
	}
}

// addErrorTypes adds the names of the types of a file that have a method Error.
func addErrorTypes(errors map[string]bool, file *ast.File) {
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "Error" && f.Type.Params.NumFields() == 0 {
			errors[typeName(f.Recv.List[0].Type)] = true
		}
	}
}

// concreteErrors returns the results of a file's API that are pointers to error
// types.
func concreteErrors(file *ast.File, errors map[string]bool) []ast.Node {
	var found []ast.Node
	check := func(f *ast.FuncType) {
		if f.Results == nil {
			return
		}
		for _, result := range f.Results.List {
			pointer, ok := result.Type.(*ast.StarExpr)
			if !ok {
				continue
			}
			name := typeName(pointer)
			if other, ok := pointer.X.(*ast.SelectorExpr); ok {
				name = other.Sel.Name
			}
			if errors[name] {
				found = append(found, result)
			}
		}
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Name.IsExported() && (decl.Recv == nil || ast.IsExported(typeName(decl.Recv.List[0].Type))) {
				check(decl.Type)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				for _, method := range exportedMethods(spec) {
					check(method)
				}
			}
		}
	}
	return found
}

// exportedMethods returns the exported methods of an exported interface type.
func exportedMethods(spec ast.Spec) (list []*ast.FuncType) {
	named, ok := spec.(*ast.TypeSpec)
	if !ok || !named.Name.IsExported() {
		return nil
	}
	if face, ok := named.Type.(*ast.InterfaceType); ok {
		for _, m := range face.Methods.List {
			if f, ok := m.Type.(*ast.FuncType); ok && len(m.Names) == 1 && m.Names[0].IsExported() {
				list = append(list, f)
			}
		}
	}
	return list
}
