package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// check checks the release in a temporary folder.
func check(o *options, out io.Writer) error {
	if err := warnUncommitted(o.repo); err != nil {
		return err
	}
	return inClone(o, func(dir, clone string) error {
		p, err := makeProxy(clone, filepath.Join(dir, "proxy"), o.version, released())
		if err != nil {
			return err
		}
		s, err := newSandbox(dir, o.verbose, p)
		if err != nil {
			return err
		}
		c := &checker{options: o, clone: clone, sandbox: s, proxy: p, out: out}
		return c.all()
	})
}

// inClone calls f with a temporary folder and a clone of the repository in it, and removes
// both. The clone has the committed files and all tags.
func inClone(o *options, f func(dir, clone string) error) error {
	if o.version == "" {
		return errors.New("no version: pass -version v0.1.0")
	}
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	clone := filepath.Join(dir, "clone")
	if _, err := git(dir, "clone", "--quiet", o.repo, clone); err != nil {
		return err
	}
	return f(dir, clone)
}
