// Clrmanifest writes codec/clr/manifest.txt, the table of .NET's events of
// package clr, from the lists of facts in data and from facts.txt, which
// completes the lists. Of the events in events.txt, which this repository
// interprets, it writes the constants, readers and encoders of package clr.
//
// It uses facts only: ids, versions, names, types, counts and enumerations. It
// leaves out the texts of messages and descriptions.
package main

//go:generate go run .

import (
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nettrace-go/nettrace/internal/corpora"
)

//go:embed facts.txt
var facts string

func main() {
	data := flag.String("data", "data", "`folder` of the lists of facts")
	out := flag.String("o", "../..", "`folder` of the repository")
	flag.Parse()
	files, err := generate(*data)
	for name, content := range files {
		if err == nil {
			err = os.WriteFile(filepath.Join(*out, name), content, 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "clrmanifest:", err)
		os.Exit(1)
	}
}

// manifestFile is the table.
const manifestFile = "codec/clr/manifest.txt"

// generate returns the files made from the lists in a folder, by path in the
// repository.
func generate(data string) (map[string][]byte, error) {
	m := &manifest{}
	steps := []struct {
		file string
		read func(*manifest, []byte) error
	}{
		{"ClrEtwAll.man.zst", readETW},
		{"native-runtime-events.tsv", readNative},
		{"native-runtime-keywords-tasks-opcodes.tsv", readNames},
		{"all-eventsource-events.tsv.zst", readManaged},
	}
	for _, step := range steps {
		content, err := load(filepath.Join(data, step.file))
		if err == nil {
			err = step.read(m, content)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", step.file, err)
		}
	}
	if err := applyFacts(m, facts); err != nil {
		return nil, fmt.Errorf("facts.txt: %w", err)
	}
	if err := m.finish(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	m.write(&b)
	files := map[string][]byte{manifestFile: b.Bytes()}
	events, err := readEvents(m, interpreted)
	if err != nil {
		return nil, err
	}
	for name, write := range map[string]func() ([]byte, error){
		"codec/clr/kinds.go": events.kinds, "codec/clr/readers.go": events.readers, "internal/codectest/clr/readers_list_test.go": events.table,
	} {
		if files[name], err = write(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return files, nil
}

// load reads a file, decompressed if its name ends in .zst.
func load(path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if err != nil || !strings.HasSuffix(path, ".zst") {
		return content, err
	}
	return corpora.Decompress(content)
}
