package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// check checks the release in a temporary folder, which it removes.
func check(o *options, out io.Writer) error {
	if o.version == "" {
		return errors.New("no version: pass -version v0.1.0")
	}
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := warnUncommitted(o.repo); err != nil {
		return err
	}
	clone := filepath.Join(dir, "clone")
	if _, err := git(dir, "clone", "--quiet", "--depth", "1", fileURL(o.repo), clone); err != nil {
		return err
	}
	p, err := makeProxy(clone, filepath.Join(dir, "proxy"), o.version, released())
	if err != nil {
		return err
	}
	s, err := newSandbox(dir, p, o.verbose)
	if err != nil {
		return err
	}
	c := &checker{clone: clone, sandbox: s, proxy: p, out: out}
	return c.all()
}
