package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// take writes a snapshot.
func (o *options) take() error {
	start := time.Now()
	dir, err := os.MkdirTemp("", "snapshot")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, all, err := o.prepare(dir)
	if err != nil {
		return err
	}
	tasks, missing := plan(all)
	if tasks, err = matching(tasks, o.only); err != nil {
		return err
	}
	records, err := p.runAll(tasks, dir, o.jobs)
	if err != nil {
		return err
	}
	sortRecords(records)
	uncovered, err := p.uncovered()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	for name, lines := range map[string][]string{
		recordsFile: texts(records), inputsFile: describe(all), leftOutFile: append(missing, uncovered...),
	} {
		if err := writeLines(filepath.Join(o.out, name), lines); err != nil {
			return err
		}
	}
	fmt.Printf("%d records of %d inputs in %s; %d lines in %s\n",
		len(records), len(all), time.Since(start).Round(time.Second), len(missing)+len(uncovered), leftOutFile)
	for _, line := range uncovered {
		fmt.Println(line)
	}
	return nil
}

// prepare collects the inputs and chooses the spelling of commands.
func (o *options) prepare(dir string) (program, []input, error) {
	made := filepath.Join(dir, "inputs")
	if err := os.Mkdir(made, 0o777); err != nil {
		return program{}, nil, err
	}
	all, err := inputs(o.repository, o.shared, made)
	if err != nil {
		return program{}, nil, err
	}
	renames, err := readRenames(renamesTable)
	if err != nil {
		return program{}, nil, err
	}
	p := program{path: o.nettrace}
	p.spelling, err = newSpelling(renames, p.help)
	return p, all, err
}

// help returns the help text of a command, or of the program for "".
func (p program) help(command string) (string, error) {
	args := append(strings.Fields(command), "--help")
	out, err := exec.Command(p.path, args...).Output()
	return string(out), err
}

// plan returns the tasks for the inputs, and lines about those left out.
func plan(all []input) (tasks []task, missing []string) {
	for _, line := range lone {
		t := task{command: line}
		if slices.Contains(strings.Fields(line), "FILE") {
			i := slices.IndexFunc(all, func(in input) bool { return in.name == fallback })
			t.file = all[i]
		}
		tasks = append(tasks, t)
	}
	for _, c := range commands() {
		for _, in := range all {
			if !c.accepts(in) {
				missing = append(missing, fmt.Sprintf("%s\t%s\ta %s of %d bytes", c.line, in.name, in.kind, in.size))
				continue
			}
			t := task{command: c.line, file: in}
			if slices.Contains(strings.Fields(c.line), "OTHER") {
				t.other = other(in, all)
			}
			tasks = append(tasks, t)
		}
	}
	for _, l := range leftOut {
		missing = append(missing, l.name+"\t"+noInput+"\t"+l.reason)
	}
	return tasks, missing
}

// matching returns the tasks whose key matches a regular expression.
func matching(tasks []task, expression string) ([]task, error) {
	only, err := regexp.Compile(expression)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(tasks, func(t task) bool {
		return !only.MatchString(t.command + "\t" + t.inputName())
	}), nil
}

// runAll runs the tasks, a number of them at one time, those with large inputs
// first. It stops at the first error.
func (p program) runAll(tasks []task, dir string, jobs int) ([]record, error) {
	slices.SortStableFunc(tasks, func(a, b task) int { return int(b.file.size - a.file.size) })
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	queue := make(chan task)
	var records []record
	var mutex sync.Mutex
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			for t := range queue {
				r, err := p.run(t, dir, io.Discard, io.Discard)
				if err != nil {
					cancel(err)
				}
				mutex.Lock()
				records = append(records, r)
				mutex.Unlock()
			}
		})
	}
	for _, t := range tasks {
		if ctx.Err() != nil {
			break
		}
		queue <- t
	}
	close(queue)
	workers.Wait()
	return records, context.Cause(ctx)
}

// show runs one task and prints what the program wrote.
func (o *options) show(command, name string) error {
	dir, err := os.MkdirTemp("", "snapshot")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, all, err := o.prepare(dir)
	if err != nil {
		return err
	}
	tasks, _ := plan(all)
	i := slices.IndexFunc(tasks, func(t task) bool { return t.command == command && t.inputName() == name })
	if i < 0 {
		return fmt.Errorf("no record of %q with %q", command, name)
	}
	r, err := p.run(tasks[i], dir, os.Stdout, os.Stderr)
	fmt.Fprintln(os.Stderr, r)
	return err
}

// describe returns a line with name, size and hash for each input.
func describe(all []input) []string {
	var lines []string
	for _, in := range all {
		lines = append(lines, fmt.Sprintf("%s\t%d\t%s", in.name, in.size, in.hash))
	}
	return lines
}

func texts(records []record) []string {
	var lines []string
	for _, r := range records {
		lines = append(lines, r.String())
	}
	return lines
}

func writeLines(path string, lines []string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
