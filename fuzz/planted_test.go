package fuzz

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// TestPlantedFit: the patches of fuzz/planted apply to the current code, and
// their targets exist.
func TestPlantedFit(t *testing.T) {
	if out, err := exec.Command("git", "rev-parse", "--show-prefix").CombinedOutput(); err != nil {
		t.Skipf("this is no clone: %s", out)
	}
	bugs, err := filepath.Glob("testdata/planted/*.patch")
	if err != nil || len(bugs) < 4 {
		t.Fatalf("%d bugs: %v", len(bugs), err)
	}
	targets := ""
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		targets += string(text)
	}
	first := regexp.MustCompile(`^target: (Fuzz\w+)\n`)
	for _, bug := range bugs {
		text, err := os.ReadFile(bug)
		if err != nil {
			t.Fatal(err)
		}
		if m := first.FindSubmatch(text); m == nil || !regexp.MustCompile(`func `+string(m[1])+`\(`).MatchString(targets) {
			t.Errorf("%s names no target", bug)
		}
		path, err := filepath.Abs(bug)
		if err != nil {
			t.Fatal(err)
		}
		apply := exec.Command("git", "apply", "--check", path)
		apply.Dir = ".."
		if out, err := apply.CombinedOutput(); err != nil {
			t.Errorf("%s does not fit the code: %s", bug, out)
		}
	}
}
