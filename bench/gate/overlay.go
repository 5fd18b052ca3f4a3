package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// sliceSource is the file that the gate adds to package testing.
//
//go:embed overlay/slice.go.txt
var sliceSource []byte

// The method of package testing that decides after each batch of operations
// whether b.Loop goes on, and the same method that asks the gate instead.
const (
	loopEnd       = "\nfunc (b *B) stopOrScaleBLoop() bool {\n"
	slicedLoopEnd = loopEnd + "\tif sliced {\n\t\treturn b.nextSlice()\n\t}\n"
)

// overlay writes the files that the flag -overlay of the go command needs for a
// side, and returns the name of the JSON file.
func (w *workspace) overlay(ctx context.Context, side int) (string, error) {
	root, err := command(ctx, w.current(side), "go", "env", "GOROOT")
	if err != nil {
		return "", err
	}
	testing := filepath.Join(strings.TrimSpace(root), "src", "testing")
	benchmark, err := os.ReadFile(filepath.Join(testing, "benchmark.go"))
	if err != nil {
		return "", err
	}
	if !bytes.Contains(benchmark, []byte(loopEnd)) {
		return "", fmt.Errorf("%s: no method stopOrScaleBLoop: the gate does not support this version of Go", testing)
	}
	dir := filepath.Join(w.dir, sideNames[side]+".testing")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, text := range map[string][]byte{
		"benchmark.go": bytes.Replace(benchmark, []byte(loopEnd), []byte(slicedLoopEnd), 1),
		"slice.go":     sliceSource,
	} {
		file := filepath.Join(dir, name)
		replace[filepath.Join(testing, name)] = file
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, text, 0o644)
}
