// Scores runs readers on the cases of conformance/cases, with their known
// failures, and compares the results with conformance/SCORES.md. With -write it
// writes that file instead: "make scores". It takes some minutes: one of the
// readers, TraceEvent, is a .NET program that is started for each case. Where it
// is missing, its section stays and says so.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/conformance/adapter"
	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/conformance/runner"
)

func main() {
	write := flag.Bool("write", false, "write conformance/SCORES.md; the current folder is that of the repository")
	te := flag.String("te", "../shared/oracle/te", "the program te")
	flag.Parse()
	if err := run(*write, *te); err != nil {
		fmt.Fprintln(os.Stderr, "scores:", err)
		os.Exit(1)
	}
}

// scoresFile is the file with the scores.
const scoresFile = "conformance/SCORES.md"

func run(write bool, te string) error {
	dir, err := os.MkdirTemp("", "scores")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	kept, err := os.ReadFile(scoresFile)
	if err != nil {
		return err
	}
	text := append([]byte(introduction), measure(cases.All()).table()...)
	for _, c := range candidates(te) {
		section, err := c.section(".", dir)
		if errors.Is(err, fs.ErrNotExist) && len(c.command) > 0 {
			fmt.Fprintf(os.Stderr, "scores: %s is not judged: %v\n", c.name, err)
			section, err = notJudged(c.name, kept)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		text = append(text, section...)
	}
	if write {
		return os.WriteFile(scoresFile, text, 0o644)
	}
	if !bytes.Equal(kept, text) {
		return fmt.Errorf("%s is not as kept: run \"make scores\"", scoresFile)
	}
	return nil
}

// notJudged returns the kept section of a reader that this machine lacks. If the cases are not
// those that it was judged with, the section says so.
func notJudged(name string, kept []byte) ([]byte, error) {
	title := "\n## " + name + "\n"
	_, section, found := strings.Cut(string(kept), title)
	if !found {
		return nil, fmt.Errorf("%s has no section to keep", scoresFile)
	}
	if i := strings.Index(section, "\n## "); i >= 0 {
		section = section[:i]
	}
	section = strings.TrimPrefix(section, earlier)
	if !strings.Contains(section, judged()) {
		section = earlier + section
	}
	return []byte(title + section), nil
}

// earlier begins the section of a reader that was missing when the cases changed.
const earlier = "\nNot judged with the present cases: the reader was missing when they changed. These are its results for earlier ones.\n"

// judged says which cases a reader was judged with that not every machine has.
func judged() string {
	return fmt.Sprintf("\nJudged with the cases whose archive has the SHA-256 %x.\n", cases.Sum())
}

const introduction = `# Scores

The results of readers for the cases of conformance/cases: passed cases of those that the reader supports; a dash
means that it supports none. The expected result of a case rests on a sentence of the specification (text), on what
all writers and readers in use do where the specification is silent or wrong (runtime), or on a choice of this suite
(choice), which is not counted. Made by "make scores".
`

// candidate is a reader under test.
type candidate struct {
	name    string
	module  string   // folder of an adapter to build, relative to the repository's, or ""
	args    []string // of the adapter; none: it answers many requests
	command []string // without one to build
	known   string   // file of known failures, likewise, or ""
}

// ndjsonArgs make the command events a reader under test.
var ndjsonArgs = []string{"events", "--format", "ndjson", "--payload", "--fields", "--stacks", "--rows"}

// candidates lists the readers.
func candidates(te string) []candidate {
	return []candidate{
		{name: "nettrace events", module: "cmd/nettrace", args: append(slices.Clone(ndjsonArgs), "-")},
		{name: "nettrace events --strict", module: "cmd/nettrace", args: append(slices.Clone(ndjsonArgs), "--strict", "-")},
		{name: "codec.Reader with default options", module: "conformance/adapters/codec"},
		{name: "github.com/pyroscope-io/dotnetdiag v1.2.1", module: "dev/dotnetdiag",
			known: "dev/dotnetdiag/known-failures.txt"},
		{name: "TraceEvent 4.0.0 on .NET 10", command: []string{te, "ndjson"}, known: "conformance/adapters/te/known-failures.txt"},
	}
}

// run builds the adapter into dir and runs it over cases.
func (c *candidate) run(root, dir string, list []cases.Case) (*runner.Report, error) {
	opt := runner.Options{Parallel: runtime.GOMAXPROCS(0)}
	if c.known != "" {
		f, err := os.Open(filepath.Join(root, c.known))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if opt.Known, err = runner.ParseKnown(f); err != nil {
			return nil, fmt.Errorf("%s: %w", c.known, err)
		}
	}
	command := c.command
	if c.module == "" {
		if _, err := exec.LookPath(command[0]); err != nil {
			return nil, err
		}
	} else {
		path := filepath.Join(dir, filepath.Base(c.module))
		build := exec.Command("go", "build", "-o", path, ".")
		build.Dir = filepath.Join(root, c.module)
		if strings.HasPrefix(c.module, "dev/") {
			build.Env = append(os.Environ(), "GOWORK=off")
		}
		if out, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%w: %s", err, out)
		}
		command, opt.Stream = append([]string{path}, c.args...), len(c.args) == 0
		if opt.Stream {
			command = append(command, adapter.StreamFlag)
		}
	}
	return runner.Run(list, command, opt)
}

// section is the part of the file about the reader. An unexpected outcome is an
// error.
func (c *candidate) section(root, dir string) ([]byte, error) {
	report, err := c.run(root, dir, cases.All())
	if err != nil {
		return nil, err
	}
	if err := unexpected(report); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "\n## %s\n\n%s.\n", c.name, report.Summary())
	if len(c.command) > 0 {
		b.WriteString(judged())
	}
	b.WriteByte('\n')
	if err := report.Table(&b); err != nil {
		return nil, err
	}
	attribute(&b, report)
	return b.Bytes(), nil
}

// unexpected names the cases that came out otherwise than expected.
func unexpected(report *runner.Report) error {
	var list []string
	for _, r := range report.Results {
		if r.Outcome == runner.Failed || r.Outcome == runner.Unexpected {
			list = append(list, fmt.Sprintf("%s %s: %s", r.Outcome, r.Case.Name, r.Reason))
		}
	}
	if len(list) == 0 {
		return nil
	}
	return fmt.Errorf("%d cases came out otherwise than expected:\n%s", len(list), strings.Join(list, "\n"))
}
