// Package conformancetest judges writers of NetTrace in Go tests.
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

// Write writes the trace that lines describe: the first one is the trace line,
// which names the version. An error that is rows.ErrUnsupported says that the
// writer has no way to say a line; then nothing was written.
type Write func(w io.Writer, lines []rows.Line) error

// Writer runs a test for each valid case: its lines are written, what was written
// is read back and must say the same, and must break no rule of the format. A
// case that the writer does not support is skipped. The cases are those that
// match one of the patterns, as nettrace conformance list shows them; without
// patterns all.
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

// judge says what a writer does wrong with a case.
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

// Reader runs a test for each case: read must make of its trace what is expected
// of a reader. See package adapter. A case that the reader does not support is
// skipped.
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
