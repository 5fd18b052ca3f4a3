package nettrace_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mayCompare lists the files and folders whose code may depend on the number of a
// version. All other code uses the methods of wire.Format.
var mayCompare = []string{"codec/wire/", "codec/dialect.go", "codec/layout/version.go"}

// TestVersionNumbers parses all Go files of the repository, those of nested
// modules and tests included.
func TestVersionNumbers(t *testing.T) {
	files := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if path != "." && strings.HasPrefix(entry.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		case filepath.Ext(path) != ".go", slices.ContainsFunc(mayCompare, func(p string) bool {
			return strings.HasPrefix(filepath.ToSlash(path), p)
		}):
			return nil
		}
		files++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, node := range comparedMajors(file) {
			t.Errorf("%v: depends on the number of a version: use a method of wire.Format", set.Position(node.Pos()))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 500 {
		t.Errorf("only %d files were parsed", files)
	}
}

// TestComparedMajors tries expressions that compare and others.
func TestComparedMajors(t *testing.T) {
	for _, c := range []struct {
		code string
		want int
	}{
		{"if f.Major >= 6 {}", 1},
		{"if 3 == t.Format.Major {}", 1},
		{"_ = f.Major < 4 || f.Major > 6", 2},
		{"switch f.Major { case 4: }", 1},
		{"switch { case f.Major == 4: }", 1},
		{"n := f.Major", 1},
		{"n = f.Major", 1},
		{"var n = f.Major", 1},
		{"_ = side{major: f.Major}", 1},
		{"return f.Major", 1},
		{"_ = versions[min(f.Major, 6)]", 1},
		{"_ = uint64(f.Major) >= 6", 1},
		{"_ = max(5, f.Major)", 1},

		{"f.Major = 6", 0},
		{"n := fmt.Sprint(f.Major)", 0},
		{`_ = fmt.Sprintf("v%d", f.Major)`, 0},
		{"for range []uint32{f.Major, f.Minor} {}", 0},
		{"_ = unix.Major(device) == 8", 0},
	} {
		t.Run(c.code, func(t *testing.T) {
			file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc f() {\n"+c.code+"\n}", parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(comparedMajors(file)); got != c.want {
				t.Errorf("got %d expressions, want %d", got, c.want)
			}
		})
	}
}

// comparedMajors returns the selectors .Major in a file that are compared, or
// kept where they can be. They may be set, printed and put in a list.
func comparedMajors(file *ast.File) []ast.Node {
	var found []ast.Node
	var check func(e ast.Expr)
	check = func(e ast.Expr) {
		switch e := e.(type) {
		case *ast.ParenExpr:
			check(e.X)
		case *ast.SelectorExpr:
			if e.Sel.Name == "Major" {
				found = append(found, e)
			}
		case *ast.CallExpr: // a conversion, min or max
			switch name, _ := e.Fun.(*ast.Ident); {
			case name == nil:
			case slices.Contains([]string{"int", "uint", "uint8", "uint16", "uint32", "int64", "uint64", "min", "max"}, name.Name):
				for _, arg := range e.Args {
					check(arg)
				}
			}
		}
	}
	all := func(list []ast.Expr) {
		for _, e := range list {
			check(e)
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.BinaryExpr:
			all([]ast.Expr{node.X, node.Y})
		case *ast.SwitchStmt:
			check(node.Tag)
		case *ast.AssignStmt:
			all(node.Rhs)
		case *ast.ValueSpec:
			all(node.Values)
		case *ast.KeyValueExpr:
			check(node.Value)
		case *ast.IndexExpr:
			check(node.Index)
		case *ast.ReturnStmt:
			all(node.Results)
		}
		return true
	})
	return found
}
