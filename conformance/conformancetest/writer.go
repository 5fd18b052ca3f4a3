// Package conformancetest runs the cases of the conformance suite on a reader
// or a writer, as Go tests.
//
//	func TestConformance(t *testing.T) {
//		conformancetest.Writer(t, func(w io.Writer, lines []rows.Line) error {
//			...
//		})
//	}
package conformancetest

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/conformance/adapter"
	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/conformance/rows"
	"github.com/nettrace-go/nettrace/conformance/runner"
)

// Write writes the trace that lines describe. The first one is the trace line,
// which has the version. If the writer cannot express a line, it writes nothing
// and returns an error that is rows.ErrUnsupported.
type Write func(w io.Writer, lines []rows.Line) error

// Writer runs a subtest for each valid case: it calls write with the lines of
// the case, reads the written trace, compares it with the lines, and checks it
// against the rules of the format. It skips a case that the writer does not
// support. patterns selects cases, see cases.Match.
func Writer(t *testing.T, write Write, patterns ...string) {
	t.Helper()
	list := cases.Match(patterns...)
	if len(list) == 0 {
		t.Fatalf("no case matches %q", patterns)
	}
	for _, c := range list {
		if !runner.Writable(&c) {
			continue
		}
		t.Run(strings.TrimPrefix(c.Name, "valid/"), func(t *testing.T) {
			switch err := judge(&c, write); {
			case errors.Is(err, rows.ErrUnsupported):
				t.Skip(err)
			case err != nil:
				t.Error(err)
			}
		})
	}
}

// judge returns what is wrong with a writer's trace for a case.
func judge(c *cases.Case, write Write) error {
	lines, err := rows.Parse(runner.Input(c))
	if err != nil {
		return err
	}
	var trace bytes.Buffer
	err = write(&trace, lines)
	if errors.Is(err, rows.ErrUnsupported) && trace.Len() > 0 {
		return errors.New("not supported, and something was written")
	}
	if err != nil {
		return err
	}
	return runner.CheckWritten(c, trace.Bytes())
}

// Reader runs a subtest for each case: the result of read must be the expected
// one, see package runner. It skips a case that the reader does not support.
// patterns selects cases, see cases.Match.
func Reader(t *testing.T, read adapter.Reader, patterns ...string) {
	t.Helper()
	list := cases.Match(patterns...)
	if len(list) == 0 {
		t.Fatalf("no case matches %q", patterns)
	}
	for _, c := range list {
		t.Run(c.Name, func(t *testing.T) {
			var lines bytes.Buffer
			exit := read(c.Trace, &lines)
			switch err := runner.Check(&c, exit, lines.Bytes()); {
			case errors.Is(err, runner.ErrUnsupported):
				t.Skip(err)
			case err != nil:
				t.Error(err)
			}
		})
	}
}
