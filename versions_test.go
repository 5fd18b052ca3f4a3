package nettrace_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
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
		found := slices.Concat(comparedMajors(file), versionBools(file), comparedNumbers(file))
		if !strings.HasSuffix(path, "_test.go") { // tests compare a result with the version that they expect
			found = append(found, comparedVersions(file)...)
		}
		for _, node := range found {
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
	for code, want := range map[string]int{
		"if f.Major >= 6 {}":             1,
		"if 3 == t.Format.Major {}":      1,
		"_ = f.Major < 4 || f.Major > 6": 2,
		"switch f.Major { case 4: }":     1,
		"switch { case f.Major == 4: }":  1,
		"n := f.Major":                   1,
		"n = f.Major":                    1,
		"var n = f.Major":                1,
		"_ = side{major: f.Major}":       1,
		"return f.Major":                 1,
		"_ = versions[min(f.Major, 6)]":  1,
		"_ = uint64(f.Major) >= 6":       1,
		"_ = max(5, f.Major)":            1,

		"f.Major = 6":                             0,
		"n := fmt.Sprint(f.Major)":                0,
		`_ = fmt.Sprintf("v%d", f.Major)`:         0,
		"for range []uint32{f.Major, f.Minor} {}": 0,
		"_ = unix.Major(device) == 8":             0,
	} {
		t.Run(code, func(t *testing.T) { countFound(t, code, comparedMajors, want) })
	}
}

// TestVersionBools tries names of versions that are conditions and others.
func TestVersionBools(t *testing.T) {
	for code, want := range map[string]int{
		"type t struct { v3, v6 bool }":       2,
		"type t struct { isV6 bool }":         1,
		"var _ = func(v6 bool) {}":            1,
		"var _ = func() (v6 bool) { return }": 1,
		"if c.v6 {}":                          1,
		"if !c.v6 {}":                         1,
		"for v6 {}":                           1,
		"_ = bad && c.v6":                     1,
		"_ = v3 || (v4)":                      2,
		"switch { case c.v3, !v6: }":          2,
		"if isV3() {}":                        1,

		"v4, v6 := older(), newer()":  0,
		"_ = bytes.Equal(v4, v6)":     0,
		"if v6 == nil {}":             0,
		"type t struct { v6 []byte }": 0,
		"switch name { case v4: }":    0,
		"if v7 {}":                    0,
	} {
		t.Run(code, func(t *testing.T) { countFound(t, code, versionBools, want) })
	}
}

// TestComparedNumbers tries comparisons of numbers that have the name of a version
// and others.
func TestComparedNumbers(t *testing.T) {
	for code, want := range map[string]int{
		"if major >= 6 {}":               1,
		"_ = v.number == 3 || 4 < major": 2,
		"_ = format != 6":                1,
		"for version == (5) {}":          1,

		"if major == 7 {}":      0,
		"if number == 6 + n {}": 0,
		"if b.Version == 4 {}":  0,
		"major = 6":             0,
		"_ = len(version) == 6": 0,
		"_ = number == number":  0,
	} {
		t.Run(code, func(t *testing.T) { countFound(t, code, comparedNumbers, want) })
	}
}

// TestComparedVersions tries expressions that compare with a version and others.
func TestComparedVersions(t *testing.T) {
	for code, want := range map[string]int{
		"if f == wire.V3 {}":                  1,
		"_ = wire.V6 != (t.Format)":           1,
		"switch f { case wire.V4, wire.V5: }": 2,
		"_ = slices.Contains(list, wire.V6)":  0,
		"opt.Format = wire.V6":                0,
		"_ = opt.Format.Before(wire.V6)":      0,
		"_ = f == wire.KindEvent":             0,
	} {
		t.Run(code, func(t *testing.T) { countFound(t, code, comparedVersions, want) })
	}
}

// countFound compares how many nodes are found in the body of a function.
func countFound(t *testing.T, code string, find func(*ast.File) []ast.Node, want int) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc f() {\n"+code+"\n}", parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(find(file)); got != want {
		t.Errorf("got %d expressions, want %d", got, want)
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

// namesVersion matches the names that a bool has which means a version.
var namesVersion = regexp.MustCompile(`^(?i)(is|has|not|no)?v[3-6]$`)

// versionBools returns the conditions of a file, and the bools that it declares,
// that have the name of a version: each means a comparison.
func versionBools(file *ast.File) []ast.Node {
	var found []ast.Node
	var check func(e ast.Expr)
	check = func(e ast.Expr) {
		switch e := e.(type) {
		case *ast.ParenExpr:
			check(e.X)
		case *ast.CallExpr:
			check(e.Fun)
		case *ast.SelectorExpr:
			check(e.Sel)
		case *ast.Ident:
			if namesVersion.MatchString(e.Name) {
				found = append(found, e)
			}
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.UnaryExpr:
			if node.Op == token.NOT {
				check(node.X)
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				check(node.X)
				check(node.Y)
			}
		case *ast.IfStmt:
			check(node.Cond)
		case *ast.ForStmt:
			check(node.Cond)
		case *ast.SwitchStmt:
			if node.Tag == nil {
				for _, e := range caseExprs(node) {
					check(e)
				}
			}
		case *ast.Field:
			if kind, ok := node.Type.(*ast.Ident); ok && kind.Name == "bool" {
				for _, name := range node.Names {
					check(name)
				}
			}
		}
		return true
	})
	return found
}

// comparedVersions returns the constants wire.V3 to wire.V6 in a file that a
// version is compared with.
func comparedVersions(file *ast.File) []ast.Node {
	var found []ast.Node
	check := func(e ast.Expr) {
		if v, ok := ast.Unparen(e).(*ast.SelectorExpr); ok && len(v.Sel.Name) == 2 && namesVersion.MatchString(v.Sel.Name) {
			if p, ok := v.X.(*ast.Ident); ok && p.Name == "wire" {
				found = append(found, v)
			}
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.BinaryExpr:
			check(node.X)
			check(node.Y)
		case *ast.SwitchStmt:
			for _, e := range caseExprs(node) {
				check(e)
			}
		}
		return true
	})
	return found
}

// caseExprs returns the expressions of all cases of a switch.
func caseExprs(s *ast.SwitchStmt) (list []ast.Expr) {
	for _, clause := range s.Body.List {
		list = append(list, clause.(*ast.CaseClause).List...)
	}
	return list
}

// comparedNumbers returns the comparisons in a file of a version under another name
// with a number of a version.
func comparedNumbers(file *ast.File) []ast.Node {
	var found []ast.Node
	named := func(e ast.Expr) bool {
		name := ""
		switch e := ast.Unparen(e).(type) {
		case *ast.Ident:
			name = e.Name
		case *ast.SelectorExpr:
			name = e.Sel.Name
		}
		return slices.Contains([]string{"major", "number", "version", "format"}, name)
	}
	literal := func(e ast.Expr) bool {
		value, ok := ast.Unparen(e).(*ast.BasicLit)
		return ok && slices.Contains([]string{"3", "4", "5", "6"}, value.Value)
	}
	ast.Inspect(file, func(node ast.Node) bool {
		b, ok := node.(*ast.BinaryExpr)
		switch {
		case !ok:
		case b.Op != token.EQL && b.Op != token.NEQ && b.Op != token.LSS && b.Op != token.GTR && b.Op != token.LEQ && b.Op != token.GEQ:
		case named(b.X) && literal(b.Y), literal(b.X) && named(b.Y):
			found = append(found, b)
		}
		return true
	})
	return found
}
