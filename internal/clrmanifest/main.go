// Clrmanifest writes codec/clr/manifest.txt, the table of .NET's events of
// package clr, from the lists of facts in data and from facts.txt, which
// completes the lists.
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
	out := flag.String("o", "../../codec/clr/manifest.txt", "`file` to write")
	flag.Parse()
	table, err := generate(*data)
	if err == nil {
		err = os.WriteFile(*out, table, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "clrmanifest:", err)
		os.Exit(1)
	}
}

// generate returns the table made from the lists in a folder.
func generate(data string) ([]byte, error) {
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
	return b.Bytes(), nil
}

// load reads a file, decompressed if its name ends in .zst.
func load(path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if err != nil || !strings.HasSuffix(path, ".zst") {
		return content, err
	}
	return corpora.Decompress(content)
}
