package nettrace_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDocComments reports every exported identifier of the public packages that
// has no doc comment: also fields of structs and methods of interfaces.
func TestDocComments(t *testing.T) {
	set := token.NewFileSet()
	packages := publicPackages(t, set)
	count := 0
	for _, folder := range slices.Sorted(maps.Keys(packages)) {
		identifiers := exportedIdentifiers(packages[folder])
		count += len(identifiers)
		for _, id := range identifiers {
			if !id.documented {
				t.Errorf("%v: %s has no doc comment", set.Position(id.pos), id.name)
			}
		}
	}
	if count < 1000 {
		t.Errorf("only %d exported identifiers were found", count)
	}
}

// TestExportedIdentifiers lists the identifiers of a small file; a name in
// parentheses has no doc comment.
func TestExportedIdentifiers(t *testing.T) {
	for _, c := range []struct{ name, code, want string }{
		{"function", "// F is.\nfunc F() {}\nfunc G() {}\nfunc h() {}", "F (G)"},
		{"method", "// T is.\ntype T int\n// M is.\nfunc (T) M() {}\nfunc (t *T) N() {}\nfunc (T) o() {}", "T T.M (T.N)"},
		{"method of a generic type", "// T is.\ntype T[K any] []K\nfunc (t *T[K]) M() {}", "T (T.M)"},
		{"method of an unexported type", "type t int\nfunc (t) M() {}", ""},
		{"method of an embedded type", "// T is.\ntype T struct{ *t }\ntype t struct{ F int }\nfunc (t) M() {}", "T (t.F) (t.M)"},
		{"type group", "// They are.\ntype (\n// A is.\nA int\nB int\n)", "A (B)"},
		{"field", "// T is.\ntype T struct {\n// A is.\nA int\nB, C int // both\nD int\ne int\n}", "T T.A T.B T.C (T.D)"},
		{"field of a field", "// T is.\ntype T struct {\n// A is.\nA []struct{ B int }\n}", "T T.A (T.A.B)"},
		{"field of an unexported type", "type t struct { A int }", ""},
		{"method of an interface", "// I is.\ntype I interface {\n// A is.\nA()\nB()\nerror\n}", "I I.A (I.B)"},
		{"constant", "// C is.\nconst C = 1\nconst D = 2", "C (D)"},
		{"constant group", "// They are.\nconst (\nC = 1\nD = 2\n)\nconst (\nE = 1 // one\nF = 2\n)", "C D E (F)"},
		{"variable", "// They are.\nvar (\nA = 1\n// B is.\nB = 2\n)\nvar c = 1", "(A) B"},
		{"directive", "//go:noinline\nfunc F() {}", "(F)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+c.code, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, id := range exportedIdentifiers([]*ast.File{file}) {
				if !id.documented {
					id.name = "(" + id.name + ")"
				}
				names = append(names, id.name)
			}
			if got := strings.Join(names, " "); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// publicPackages parses the Go files without tests of each package that other
// modules can import, by folder, also those of nested modules.
func publicPackages(t *testing.T, set *token.FileSet) map[string][]*ast.File {
	packages := map[string][]*ast.File{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			hidden := path != "." && strings.HasPrefix(entry.Name(), ".")
			if hidden || entry.Name() == "internal" || entry.Name() == "testdata" {
				return fs.SkipDir
			}
			return nil
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil && file.Name.Name != "main" {
			folder := filepath.ToSlash(filepath.Dir(path))
			packages[folder] = append(packages[folder], file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

// An identifier is an exported name of a package. A field or method has its
// type's name and a dot before its own.
type identifier struct {
	name       string
	pos        token.Pos
	documented bool
}

// exportedIdentifiers returns the identifiers that go doc shows for a package. Of
// an unexported type that an exported struct embeds it returns the exported
// fields and methods, as those are the struct's too.
func exportedIdentifiers(files []*ast.File) []identifier {
	l := lister{visible: embeddedTypes(files)}
	for _, file := range files {
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				l.function(decl)
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					l.spec(decl, spec)
				}
			}
		}
	}
	return l.found
}

type lister struct {
	visible map[string]bool // unexported types that exported ones embed
	found   []identifier
}

func (l *lister) add(prefix string, name *ast.Ident, comments ...*ast.CommentGroup) {
	if !name.IsExported() {
		return
	}
	written := slices.ContainsFunc(comments, func(c *ast.CommentGroup) bool { return strings.TrimSpace(c.Text()) != "" })
	l.found = append(l.found, identifier{prefix + name.Name, name.Pos(), written})
}

func (l *lister) function(decl *ast.FuncDecl) {
	if decl.Recv == nil {
		l.add("", decl.Name, decl.Doc)
	} else if owner := typeName(decl.Recv.List[0].Type); ast.IsExported(owner) || l.visible[owner] {
		l.add(owner+".", decl.Name, decl.Doc)
	}
}

func (l *lister) spec(decl *ast.GenDecl, spec ast.Spec) {
	group := decl.Doc
	if decl.Lparen.IsValid() && decl.Tok != token.CONST {
		group = nil
	}
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			l.add("", name, spec.Doc, spec.Comment, group)
		}
	case *ast.TypeSpec:
		l.add("", spec.Name, spec.Doc, spec.Comment, group)
		if spec.Name.IsExported() || l.visible[spec.Name.Name] {
			l.members(spec.Name.Name+".", spec.Type)
		}
	}
}

// members adds the fields or methods within a type expression.
func (l *lister) members(prefix string, expr ast.Expr) {
	ast.Inspect(expr, func(node ast.Node) bool {
		field, isField := node.(*ast.Field)
		_, isFunc := node.(*ast.FuncType)
		if !isField {
			return !isFunc
		}
		for _, name := range field.Names {
			l.add(prefix, name, field.Doc, field.Comment)
			if name.IsExported() {
				l.members(prefix+name.Name+".", field.Type)
			}
		}
		return false
	})
}

// embeddedTypes returns the names of the unexported types of a package that its
// exported structs embed, also over another embedded type.
func embeddedTypes(files []*ast.File) map[string]bool {
	visible := map[string]bool{}
	for again := true; again; {
		again = false
		for _, file := range files {
			ast.Inspect(file, func(node ast.Node) bool {
				spec, ok := node.(*ast.TypeSpec)
				if !ok {
					return true
				}
				structure, ok := spec.Type.(*ast.StructType)
				if !ok || !spec.Name.IsExported() && !visible[spec.Name.Name] {
					return false
				}
				for _, field := range structure.Fields.List {
					if name := typeName(field.Type); field.Names == nil && name != "" && !ast.IsExported(name) && !visible[name] {
						visible[name] = true
						again = true
					}
				}
				return false
			})
		}
	}
	return visible
}

// typeName returns the name of a type of the same package without its pointer
// and type parameters, or "".
func typeName(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.Ident:
		return expr.Name
	case *ast.StarExpr:
		return typeName(expr.X)
	case *ast.IndexExpr:
		return typeName(expr.X)
	case *ast.IndexListExpr:
		return typeName(expr.X)
	}
	return ""
}
