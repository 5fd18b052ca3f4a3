package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
)

const module = "github.com/nettrace-go/nettrace"

// listed is what is used of the output of go list.
type listed struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
	TestGoFiles, XTestGoFiles          []string
}

// tests reports whether the package has tests.
func (p *listed) tests() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// listPackages returns the packages of all modules of the repository.
func listPackages(ctx context.Context) (packages []listed, err error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-json=ImportPath,Imports,TestImports,XTestImports,TestGoFiles,XTestGoFiles", "work")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	for decoder := json.NewDecoder(out); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		packages = append(packages, p)
	}
	if err := cmd.Wait(); err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	return packages, nil
}

// importers returns the packages with tests that import the package, in their code
// or in their tests.
func importers(packages []listed, of string) (paths []string) {
	for i := range packages {
		p := &packages[i]
		uses := slices.Contains(p.Imports, of) || slices.Contains(p.TestImports, of) || slices.Contains(p.XTestImports, of)
		if uses && p.tests() && p.ImportPath != of {
			paths = append(paths, p.ImportPath)
		}
	}
	return paths
}
