// Release checks a release before its tags exist: "make release-check
// VERSION=v0.1.0".
//
// It makes a module proxy of files from the last commit, as the tags will publish
// them. In a temporary folder, outside of the workspace, it uses that proxy like
// a user: go get, go mod tidy, go install. It prints sizes and counts, each with
// its limit, and exits with 1 if one of them is exceeded.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	version := flag.String("version", "", "the `VERSION` of all modules, such as v0.1.0")
	repo := flag.String("repo", "../..", "the `DIR` of the repository")
	verbose := flag.Bool("v", false, "print each command")
	flag.Parse()
	if err := run(*repo, *version, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run checks the release in a temporary folder, which it removes.
func run(repo, version string, verbose bool) error {
	if version == "" {
		return errors.New("no version: pass -version v0.1.0")
	}
	repo, err := filepath.Abs(repo)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := warnUncommitted(repo); err != nil {
		return err
	}
	clone := filepath.Join(dir, "clone")
	if _, err := git(dir, "clone", "--quiet", "--depth", "1", fileURL(repo), clone); err != nil {
		return err
	}
	p, err := makeProxy(clone, filepath.Join(dir, "proxy"), version, released())
	if err != nil {
		return err
	}
	s, err := newSandbox(dir, p, verbose)
	if err != nil {
		return err
	}
	c := &checker{sandbox: s, proxy: p, out: os.Stdout}
	return c.all()
}
