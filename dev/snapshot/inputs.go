package main

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/internal/corpora"
)

// streamCount is the number of small streams that are read, of those in the
// shared folder.
const streamCount = 60

// kind is a kind of inputs.
type kind string

const (
	packedFile kind = "packed" // made by packed
	trace      kind = "trace"  // a real or synthesized recording
	stream     kind = "stream" // a few events, one situation
)

// input is a file that commands are run with.
type input struct {
	kind kind
	name string // without folder, unique
	path string // absolute
	size int64  // bytes, uncompressed
	hash string // of the file
}

// inputs collects the traces of the repository and of the shared folder, a
// choice of the small streams, and the files that packed writes into dir. A
// trace that is in two folders is read once.
func inputs(repository, shared, dir string) ([]input, error) {
	made, err := packed(repository, dir)
	if err != nil {
		return nil, err
	}
	var recorded []string
	for _, folder := range []string{
		filepath.Join(repository, "corpora"), filepath.Join(shared, "traces"), filepath.Join(shared, "truth"),
	} {
		found, err := traces(folder)
		if err != nil {
			return nil, err
		}
		recorded = append(recorded, found...)
	}
	streams, err := traces(filepath.Join(shared, "streams"))
	if err != nil {
		return nil, err
	}
	return measure(map[kind][]string{packedFile: made, trace: recorded, stream: choose(streams, streamCount)})
}

// traces lists the trace files of a folder.
func traces(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, e := range entries {
		plain := strings.TrimSuffix(e.Name(), ".zst")
		if ext := filepath.Ext(plain); ext == ".nettrace" || ext == ".netperf" {
			found = append(found, filepath.Join(folder, e.Name()))
		}
	}
	return found, nil
}

// choose returns n of the files: those whose names have the lowest hashes, so
// that adding or removing a file changes at most one of them.
func choose(files []string, n int) []string {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b string) int {
		return cmp.Compare(hash([]byte(filepath.Base(a))), hash([]byte(filepath.Base(b))))
	})
	return files[:min(n, len(files))]
}

// measure reads the files. It keeps the first of those that have one name, and
// fails if their contents differ.
func measure(files map[kind][]string) ([]input, error) {
	known := map[string]input{}
	for _, kind := range slices.Sorted(maps.Keys(files)) {
		for _, path := range files[kind] {
			in, err := read(kind, path)
			if err != nil {
				return nil, err
			}
			if first, ok := known[in.name]; !ok {
				known[in.name] = in
			} else if first.hash != in.hash {
				return nil, fmt.Errorf("%s and %s have the same name, but differ", first.path, path)
			}
		}
	}
	return slices.SortedFunc(maps.Values(known), func(a, b input) int { return cmp.Compare(a.name, b.name) }), nil
}

// read reads a file for its hash and its size without compression.
func read(kind kind, path string) (input, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return input{}, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return input{}, err
	}
	in := input{kind: kind, name: filepath.Base(path), path: path, size: int64(len(data)), hash: hash(data)}
	if kind != packedFile && strings.HasSuffix(path, ".zst") {
		plain, err := corpora.Decompress(data)
		if err != nil {
			return input{}, fmt.Errorf("%s: %w", path, err)
		}
		in.size = int64(len(plain))
	}
	return in, nil
}

// hash returns the first half of the SHA-256 of data, in hexadecimal.
func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return fmt.Sprintf("%x", sum[:16])
}

// fallback is the second file of a command for inputs that have no counterpart.
const fallback = "net10-mix-gc.v4.nettrace.zst"

// other returns the second input of a command: the trace of the same name in
// another version of the format, else always the same trace.
func other(in input, all []input) input {
	swap := strings.NewReplacer(".v4.", ".v6.", ".v6.", ".v4.")
	for _, name := range []string{swap.Replace(in.name), fallback} {
		if i := slices.IndexFunc(all, func(o input) bool { return o.name == name }); i >= 0 && name != in.name {
			return all[i]
		}
	}
	return in
}
