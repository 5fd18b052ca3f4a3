package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// layouts is the number of binaries of a side. The seeds of the linker are 1 to
// layouts.
const layouts = 4

// workspace holds both sides as trees and as test binaries, for as long as the
// gate runs.
type workspace struct {
	dir     string    // temporary
	prefix  string    // of the current folder in the repository
	commits [2]string // base and head
	pkgs    [2]string // the folders of the package, where its tests expect to run
	seeds   [2]int    // added to the seeds of the linker
}

// newWorkspace checks out HEAD and its merge base with the commit rev.
func newWorkspace(ctx context.Context, rev string) (*workspace, error) {
	w := &workspace{}
	for _, ask := range []struct {
		answer *string
		args   []string
	}{
		{&w.prefix, []string{"rev-parse", "--show-prefix"}},
		{&w.commits[head], []string{"rev-parse", "HEAD"}},
		{&w.commits[base], []string{"merge-base", rev, "HEAD"}},
	} {
		out, err := command(ctx, "", "git", ask.args...)
		if err != nil {
			return nil, malformedError{err}
		}
		*ask.answer = strings.TrimSpace(out)
	}
	var err error
	if w.dir, err = os.MkdirTemp("", "gate"); err != nil {
		return nil, err
	}
	for side, commit := range w.commits {
		// A hook of the repository is not for us.
		if _, err := command(ctx, "", "git", "-c", "core.hooksPath=/dev/null",
			"worktree", "add", "--quiet", "--detach", w.tree(side), commit); err != nil {
			w.remove()
			return nil, err
		}
	}
	return w, nil
}

func (w *workspace) tree(side int) string { return filepath.Join(w.dir, sideNames[side]) }

// current is the folder of a tree that corresponds to the current one.
func (w *workspace) current(side int) string { return filepath.Join(w.tree(side), w.prefix) }

func (w *workspace) binary(side, layout int) string {
	return filepath.Join(w.dir, fmt.Sprintf("%s.%d.test", sideNames[side], layout))
}

// remove removes the folders of newWorkspace.
func (w *workspace) remove() {
	ctx := context.Background() // also when the gate was canceled
	for side := range w.commits {
		command(ctx, "", "git", "worktree", "remove", "--force", w.tree(side))
	}
	os.RemoveAll(w.dir)
}

// messages are those of the commits between base and head.
func (w *workspace) messages(ctx context.Context) (string, error) {
	return command(ctx, "", "git", "log", "--format=%B", w.commits[base]+".."+w.commits[head])
}

// build makes the test binaries, of both sides at once.
func (w *workspace) build(ctx context.Context, pkg string) error {
	var errs [2]error
	var both sync.WaitGroup
	for side := range w.commits {
		both.Add(1)
		go func() {
			defer both.Done()
			errs[side] = w.buildSide(ctx, pkg, side)
		}()
	}
	both.Wait()
	switch {
	case errs[head] != nil:
		return malformed("head: %w", errs[head])
	case errs[base] != nil:
		return fmt.Errorf("base: %w", errs[base])
	}
	return nil
}

// buildSide builds the binaries of a side. Paths are trimmed, so that equal code
// of both trees is compiled once.
func (w *workspace) buildSide(ctx context.Context, pkg string, side int) error {
	dir, err := command(ctx, w.current(side), "go", "list", "-f", "{{.Dir}}", pkg)
	if err != nil {
		return err
	}
	w.pkgs[side] = strings.TrimSpace(dir)
	overlay, err := w.overlay(ctx, side)
	if err != nil {
		return err
	}
	for layout := 1; layout <= layouts; layout++ {
		_, err := command(ctx, w.current(side), "go", "test", "-c", "-trimpath", "-buildvcs=false", "-overlay="+overlay,
			fmt.Sprintf("-ldflags=-randlayout=%d", layout+w.seeds[side]), "-o", w.binary(side, layout), pkg)
		if err != nil {
			return err
		}
	}
	if _, err := os.Stat(w.binary(side, 1)); err != nil {
		return fmt.Errorf("%s has no test files", pkg)
	}
	return nil
}

// command runs a program and returns its standard output. Its error has the
// program's message.
func command(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, stderr.Bytes(), stdout.Bytes())
	}
	return stdout.String(), nil
}
