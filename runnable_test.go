package nettrace_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"testing"
)

// noExample has the public packages without an example that runs, each with the
// reason. Packages that are no API for other modules belong into internal.
var noExample = map[string]string{
	"conformance/conformancetest": "its functions need the *testing.T of a test; the package comment has the test",
}

// TestExamples reports every public package that exports something and has no
// example with the expected output, which go test runs.
func TestExamples(t *testing.T) {
	packages := publicPackages(t, token.NewFileSet())
	for folder := range noExample {
		if packages[folder] == nil {
			t.Errorf("noExample has %s, which is no public package", folder)
		}
	}
	for folder, files := range packages {
		if len(exportedIdentifiers(files)) == 0 {
			continue
		}
		t.Run(folder, func(t *testing.T) {
			reason, runs := noExample[folder], slices.ContainsFunc(testFiles(t, folder), hasRunnableExample)
			if !runs && reason == "" {
				t.Error("no example with an Output comment")
			}
			if runs && reason != "" {
				t.Errorf("has an example that runs, but noExample says: %s", reason)
			}
		})
	}
}

// TestHasRunnableExample tries files with examples and others.
func TestHasRunnableExample(t *testing.T) {
	for _, c := range []struct {
		name, code string
		want       bool
	}{
		{"output", "func Example() {\nprintln()\n// Output: 1\n}", true},
		{"output of a method", "func ExampleT_M() {\n// Output:\n// 1\n}", true},
		{"unordered output", "func ExampleF() {\n// Unordered output: 1\n}", true},
		{"no output", "func ExampleF() {\n// Output:\n}", true},
		{"only compiled", "func Example() {\nprintln()\n}", false},
		{"test", "func TestF(t *testing.T) {\n// Output: 1\n}", false},
		{"no file", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			file, err := parser.ParseFile(token.NewFileSet(), "x_test.go", "package p\n"+c.code, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if got := hasRunnableExample(file); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// testFiles parses the test files of a folder.
func testFiles(t *testing.T, folder string) []*ast.File {
	paths, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// hasRunnableExample reports whether go test runs an example of a test file.
func hasRunnableExample(file *ast.File) bool {
	return slices.ContainsFunc(doc.Examples(file), func(e *doc.Example) bool { return e.Output != "" || e.EmptyOutput })
}
