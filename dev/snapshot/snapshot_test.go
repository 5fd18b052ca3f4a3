package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestTables: each command line is in the tables once, and each one that runs
// with all inputs names its input.
func TestTables(t *testing.T) {
	seen := map[string]bool{}
	for _, line := range lone {
		seen[line] = true
	}
	for _, c := range commands() {
		t.Run(c.line, func(t *testing.T) {
			if seen[c.line] {
				t.Error("the line is in the tables twice")
			}
			seen[c.line] = true
			words := strings.Fields(c.line)
			if !slices.Contains(words, "FILE") && !slices.Contains(words, "<FILE") {
				t.Error("the line has no input")
			}
		})
	}
}

// TestChoose: a new file replaces at most one of the chosen ones.
func TestChoose(t *testing.T) {
	var files []string
	for i := range 50 {
		files = append(files, fmt.Sprintf("folder/%d.nettrace", i))
	}
	chosen := choose(files, 20)
	if again := choose(files, 20); len(chosen) != 20 || !slices.Equal(chosen, again) {
		t.Fatalf("chosen %v, then %v", chosen, again)
	}
	kept := 0
	for _, file := range choose(append(files, "elsewhere/new.nettrace"), 20) {
		if slices.Contains(chosen, file) {
			kept++
		}
	}
	if kept < 19 {
		t.Errorf("%d of 20 files were kept", kept)
	}
}

func TestMeasure(t *testing.T) {
	write := func(t *testing.T, folder, name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Run("same file twice", func(t *testing.T) {
		a, b := write(t, t.TempDir(), "x.nettrace", "1"), write(t, t.TempDir(), "x.nettrace", "1")
		all, err := measure(map[kind][]string{trace: {a, b}})
		expect.NoError(t, err)
		expect.Len(t, "all", all, 1)
		expect.Equal(t, "all[0].path", all[0].path, a)
		expect.Equal(t, "all[0].size", all[0].size, 1)
	})
	t.Run("same name, other content", func(t *testing.T) {
		a, b := write(t, t.TempDir(), "x.nettrace", "1"), write(t, t.TempDir(), "x.nettrace", "2")
		if _, err := measure(map[kind][]string{trace: {a, b}}); err == nil {
			t.Error("no error")
		}
	})
}

func TestSuits(t *testing.T) {
	for _, c := range []struct {
		name    string
		command command
		in      input
		want    bool
	}{
		{"trace below the limit", command{"info FILE", small}, input{kind: trace, size: small}, true},
		{"trace above the limit", command{"info FILE", small}, input{kind: trace, size: small + 1}, false},
		{"stream", command{"info FILE", small}, input{kind: stream, size: 10}, true},
		{"stream, samples of small traces", command{"stacks --addresses FILE", small}, input{kind: stream, size: 10}, false},
		{"stream, samples of larger traces", command{"stacks FILE", medium}, input{kind: stream, size: 10}, true},
		{"packed, all inputs", command{"info FILE", large}, input{kind: packedFile, size: 10}, true},
		{"packed, small inputs", command{"info --json FILE", small}, input{kind: packedFile, size: 10}, false},
		{"packed, standard input", command{"info - <FILE", tiny}, input{kind: packedFile, size: 10}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.command.accepts(c.in); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestOther(t *testing.T) {
	all := []input{{name: "a.v4.nettrace.zst"}, {name: "a.v6.nettrace.zst"}, {name: "b.nettrace"}, {name: fallback}}
	for _, c := range []struct{ name, want string }{
		{"a.v4.nettrace.zst", "a.v6.nettrace.zst"},
		{"a.v6.nettrace.zst", "a.v4.nettrace.zst"},
		{"b.nettrace", fallback},
		{fallback, fallback},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := other(input{name: c.name}, all).name; got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// script makes a program of a shell script.
func script(t *testing.T, text string) program {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the program of the test is a shell script")
	}
	path := filepath.Join(t.TempDir(), "nettrace")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o777); err != nil {
		t.Fatal(err)
	}
	return program{path: path}
}

func TestRun(t *testing.T) {
	p := script(t, `echo "$@"; cat >&2; test -L x.nettrace && echo text > out.nettrace; echo >> suppressions.txt; exit 3`)
	path := filepath.Join(t.TempDir(), "x.nettrace")
	if err := os.WriteFile(path, []byte("input"), 0o666); err != nil {
		t.Fatal(err)
	}
	file := input{name: "x.nettrace", path: path}
	var stdout, stderr bytes.Buffer
	r, err := p.run(task{command: "events FILE -o - <FILE", file: file}, t.TempDir(), &stdout, &stderr)
	if err != nil {
		t.Fatal(err)
	}
	want := record{
		command: "events FILE -o - <FILE", input: "x.nettrace", exit: 3,
		stdout: hash([]byte("events x.nettrace -o -\n")), stderr: hash([]byte("input")),
		files: []string{"out.nettrace=" + hash([]byte("text\n")), "suppressions.txt=" + hash([]byte(fixtures["suppressions.txt"]+"\n"))},
	}
	if r.String() != want.String() {
		t.Errorf("got  %s\nwant %s\n%s%s", r, want, &stdout, &stderr)
	}
}

// TestKilled: a program that a signal ended gives no record.
func TestKilled(t *testing.T) {
	p := script(t, "kill -9 $$\n")
	if r, err := p.run(task{command: "info"}, t.TempDir(), io.Discard, io.Discard); err == nil {
		t.Errorf("got %s, want an error", r)
	}
}

// TestRunAll checks that all tasks are run, by several workers too.
func TestRunAll(t *testing.T) {
	p := script(t, "echo $1\n")
	var tasks []task
	for i := range 10 {
		tasks = append(tasks, task{command: fmt.Sprintf("command%d", i)})
	}
	records, err := p.runAll(tasks, t.TempDir(), 3)
	if err != nil || len(records) != len(tasks) {
		t.Fatalf("%d records, %v", len(records), err)
	}
	sortRecords(records)
	for i, r := range records {
		if want := fmt.Sprintf("command%d", i); r.command != want || r.stdout != hash([]byte(want+"\n")) {
			t.Errorf("record %d: %s", i, r)
		}
	}
}

func TestMatching(t *testing.T) {
	all := []task{{command: "info FILE", file: input{name: "a"}}, {command: "info FILE", file: input{name: "b"}}, {command: "check --list"}}
	for _, c := range []struct {
		expression string
		want       int
	}{{"", 3}, {"^info", 2}, {"\ta$", 1}, {"\t-$", 1}, {"nothing", 0}} {
		t.Run(c.expression, func(t *testing.T) {
			got, err := matching(slices.Clone(all), c.expression)
			if err != nil || len(got) != c.want {
				t.Errorf("%d tasks, %v, want %d", len(got), err, c.want)
			}
		})
	}
	if _, err := matching(all, "("); err == nil {
		t.Error("a malformed expression is no error")
	}
}

func TestUncovered(t *testing.T) {
	p := script(t, `case "$1" in
--help) printf 'Available Commands:\n  bench   Measure\n  info    Summarize\n  play    Play\n\nFlags:\n' ;;
*) printf 'Flags:\n      --all      list\n  -h, --help   help\n      --new X   new\n' ;;
esac
`)
	lines, err := p.uncovered()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, line := range lines {
		name, _, _ := strings.Cut(line, "\t")
		names = append(names, name)
	}
	if want := []string{"info --new", "play", "play --all", "play --new"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}
