package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// compareDirs prints the differences between two snapshots and returns their
// number. Records of stderr count only if stderr is true.
func compareDirs(out io.Writer, a, b string, stderr bool) (int, error) {
	var snapshots [2]map[string]record
	var sources [2]map[string]string
	for i, dir := range []string{a, b} {
		f, err := os.Open(filepath.Join(dir, recordsFile))
		if err != nil {
			return 0, err
		}
		snapshots[i], err = readRecords(f)
		f.Close()
		if err != nil {
			return 0, fmt.Errorf("%s: %w", filepath.Join(dir, recordsFile), err)
		}
		if sources[i], err = readInputs(filepath.Join(dir, inputsFile)); err != nil {
			return 0, err
		}
	}
	for _, name := range changedInputs(sources[0], sources[1]) {
		fmt.Fprintf(out, "input\t%s\tdiffers\n", name)
	}
	return compare(out, snapshots[0], snapshots[1], stderr), nil
}

// compare prints a line for each record that differs: its key and the parts
// that differ. It returns the number of lines.
func compare(out io.Writer, a, b map[string]record, stderr bool) int {
	n := 0
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if what := difference(a, b, key, stderr); what != "" {
			fmt.Fprintf(out, "%s\t%s\n", key, what)
			n++
		}
	}
	return n
}

// difference names the parts in which the two records of a key differ.
func difference(a, b map[string]record, key string, stderr bool) string {
	x, inA := a[key]
	y, inB := b[key]
	switch {
	case !inA:
		return "only in B"
	case !inB:
		return "only in A"
	}
	var parts []string
	if x.exit != y.exit {
		parts = append(parts, fmt.Sprintf("exit %d, %d", x.exit, y.exit))
	}
	if x.stdout != y.stdout {
		parts = append(parts, "stdout")
	}
	if stderr && x.stderr != y.stderr {
		parts = append(parts, "stderr")
	}
	return strings.Join(append(parts, differentFiles(x.files, y.files)...), "; ")
}

// differentFiles names the files that are not equal in both lists.
func differentFiles(a, b []string) []string {
	names := map[string]bool{}
	for _, pair := range [][2][]string{{a, b}, {b, a}} {
		for _, file := range pair[0] {
			if !slices.Contains(pair[1], file) {
				name, _, _ := strings.Cut(file, "=")
				names["file "+name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// readInputs reads the hashes of inputs by name.
func readInputs(path string) (map[string]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for line := range strings.Lines(string(data)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), "\t")
		all[name] = rest
	}
	return all, nil
}

// changedInputs names the inputs of both snapshots that have different contents.
func changedInputs(a, b map[string]string) []string {
	var names []string
	for name, content := range a {
		if other, ok := b[name]; ok && other != content {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
