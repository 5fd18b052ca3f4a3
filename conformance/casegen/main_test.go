package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKept: what is made is what is kept, to the byte.
func TestKept(t *testing.T) {
	if err := run("../cases", false); err != nil {
		t.Error(err)
	}
}

// TestDifferences: a case that is changed, missing or too many is noticed, and
// -write puts it right.
func TestDifferences(t *testing.T) {
	dir := t.TempDir()
	if err := run(dir, true); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, filepath.FromSlash("valid/trace/nothing-wrong.v6.nettrace"))
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for what, spoil := range map[string]func() error{
		"changed":  func() error { return os.WriteFile(name, append(whole, 0), 0o600) },
		"missing":  func() error { return os.Remove(name) },
		"too many": func() error { return os.WriteFile(name+".txt", nil, 0o600) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if err := run(dir, false); err == nil || !strings.Contains(err.Error(), "nothing-wrong") {
			t.Errorf("%s: %v", what, err)
		}
		if err := run(dir, true); err != nil {
			t.Error(err)
		}
		if err := run(dir, false); err != nil {
			t.Errorf("%s: not put right: %v", what, err)
		}
	}
}
