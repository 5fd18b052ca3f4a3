package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
)

// An outcome is what a run of tests shows.
type outcome string

const (
	passed     outcome = "passed"
	failed     outcome = "failed"
	timedOut   outcome = "timeout"
	notBuilt   outcome = "not built"
	notStarted outcome = "not started"
)

// tested is the result of a run of tests.
type tested struct {
	outcome outcome
	// by is the first test that failed, or its package; for notBuilt the messages
	// of the compiler.
	by string
}

// goTest runs the tests of the packages in root, with args, until one fails.
func goTest(ctx context.Context, root string, args, packages []string) (tested, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	args = append([]string{"test", "-json", "-failfast", "-vet=off"}, args...)
	cmd := exec.CommandContext(ctx, "go", append(args, packages...)...)
	cmd.Dir = root
	endGroup(cmd)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return tested{}, err
	}
	if err := cmd.Start(); err != nil {
		return tested{}, err
	}
	result, err := readTests(out)
	if result.outcome != passed || err != nil {
		stop()
	}
	waitErr := cmd.Wait()
	switch {
	case err != nil:
		return tested{}, err
	case result.outcome != passed:
		return result, nil
	case waitErr != nil:
		return tested{outcome: notStarted, by: strings.TrimSpace(stderr.String())}, nil
	}
	return result, nil
}

// action is a line of the output of go test -json.
type action struct {
	Action, Package, Test, Output string
	FailedBuild                   string
}

// readTests reads the output of go test -json up to the first test that failed.
func readTests(out io.Reader) (tested, error) {
	result := tested{outcome: passed}
	var messages strings.Builder
	for decoder := json.NewDecoder(out); ; {
		var a action
		if err := decoder.Decode(&a); errors.Is(err, io.EOF) {
			return result, nil
		} else if err != nil {
			return tested{}, err
		}
		switch {
		case a.Action == "build-output":
			messages.WriteString(a.Output)
		case a.Action == "build-fail", a.FailedBuild != "":
			result.outcome, result.by = notBuilt, strings.TrimSpace(messages.String())
			return result, nil
		case strings.HasPrefix(a.Output, "panic: test timed out after"):
			result.outcome, result.by = timedOut, a.name()
			return result, nil
		case a.Action == "fail":
			result.outcome, result.by = failed, a.name()
			return result, nil
		}
	}
}

// name is the test of the action with the folder of its package.
func (a *action) name() string {
	name := strings.TrimPrefix(strings.TrimPrefix(a.Package, module), "/")
	if a.Test != "" {
		name += " " + a.Test
	}
	return name
}
