// Systems type-checks packages and their tests as on other systems, from source: nothing
// is compiled for them, and of the packages that they import only the declarations are
// read.
//
//	systems [-tags TAGS] windows/386=work freebsd/amd64=./eventpipe
//
// It prints the errors of the packages of this repository, and fails if there is one.
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	repo := flag.String("repo", "..", "check the packages of the repository in `DIR`")
	tags := flag.String("tags", "", "build `TAGS`")
	flag.Parse()
	failed := flag.NArg() == 0
	for _, arg := range flag.Args() {
		s, err := parseSystem(arg)
		if err != nil {
			fmt.Fprintln(os.Stderr, "systems:", err)
			os.Exit(2)
		}
		ok, err := s.check(*repo, *tags, os.Stdout)
		if err != nil {
			fmt.Fprintf(os.Stderr, "systems: %s: %v\n", arg, err)
			os.Exit(2)
		}
		failed = failed || !ok
	}
	if failed {
		os.Exit(1)
	}
}

// system is a system and a processor, and the packages that are checked for it.
type system struct{ os, arch, pattern string }

func parseSystem(arg string) (system, error) {
	platform, pattern, found := strings.Cut(arg, "=")
	goos, goarch, slash := strings.Cut(platform, "/")
	if !found || !slash || goos == "" || goarch == "" || pattern == "" {
		return system{}, fmt.Errorf("%q is not SYSTEM/PROCESSOR=PACKAGES", arg)
	}
	return system{goos, goarch, pattern}, nil
}

// check prints the errors of the packages, and how many it checked. It returns false if
// there is an error.
func (s system) check(repo, tags string, out io.Writer) (bool, error) {
	repo, err := filepath.Abs(repo)
	if err != nil {
		return false, err
	}
	own := repo + string(filepath.Separator)
	found, err := packages.Load(&packages.Config{
		Mode:       packages.LoadAllSyntax,
		Dir:        repo,
		Env:        append(os.Environ(), "GOWORK=", "CGO_ENABLED=0", "GOOS="+s.os, "GOARCH="+s.arch),
		BuildFlags: []string{"-tags=" + tags},
		Tests:      true,
		ParseFile: func(set *token.FileSet, name string, source []byte) (*ast.File, error) {
			if strings.HasPrefix(name, own) {
				return parser.ParseFile(set, name, source, parser.SkipObjectResolution)
			}
			return parseDeclarations(set, name, source)
		},
	}, s.pattern)
	if err != nil {
		return false, err
	}
	problems := map[string]bool{} // a package and its test variant have the same
	checked := 0
	packages.Visit(found, nil, func(p *packages.Package) {
		if len(p.GoFiles) == 0 || !strings.HasPrefix(p.GoFiles[0], own) {
			return
		}
		checked++
		for _, e := range p.Errors {
			problems[strings.TrimPrefix(e.Error(), own)] = true
		}
	})
	for _, problem := range slices.Sorted(maps.Keys(problems)) {
		fmt.Fprintf(out, "%s/%s: %s\n", s.os, s.arch, problem)
	}
	fmt.Fprintf(out, "%s/%s: %d packages, %d errors\n", s.os, s.arch, checked, len(problems))
	if checked == 0 {
		return false, fmt.Errorf("no packages match %q", s.pattern)
	}
	return len(problems) == 0, nil
}

// parseDeclarations parses a file without the bodies of its functions. Imports that only
// they use stay: the type checker reports them as errors of a package that nobody asks for.
func parseDeclarations(set *token.FileSet, name string, source []byte) (*ast.File, error) {
	file, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
	if err != nil {
		return file, err
	}
	for _, declaration := range file.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok {
			function.Body = nil
		}
	}
	return file, nil
}
