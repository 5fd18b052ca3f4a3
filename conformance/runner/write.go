package runner

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/conformance/adapter"
	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/conformance/check"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
)

// Writable reports whether a case is for writers: it is valid, its version can
// be written, and each of its events has metadata.
func Writable(c *cases.Case) bool {
	return c.Grade() == cases.Valid && c.Version != "3" && c.Fault.Rule == rule.None
}

// Input returns the input of a writer for a case: the lines of the trace
// without those that only a reader can produce, and a flush line at the end.
func Input(c *cases.Case) []byte {
	var out bytes.Buffer
	w := ndjson.NewWriter(&out, ndjson.Options{Payload: true, Stacks: true, Rows: true})
	r := codec.NewBytesBlockReader(c.Trace, codec.Options{Schemas: clr.Schemas})
	if trace, err := r.Trace(); err == nil {
		_ = w.Trace(trace)
	}
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		_ = w.Rows(b)
		for e, ok := r.NextEvent(); ok; e, ok = r.NextEvent() {
			_ = w.Event(e)
		}
	}
	_ = w.Flush()
	return append(out.Bytes(), "{\"type\":\"flush\"}\n"...)
}

// CheckWritten compares the trace of a writer with the case. It returns nil,
// the difference from the case's lines, or the first rule that the trace breaks
// and the case does not.
func CheckWritten(c *cases.Case, trace []byte) error {
	var lines bytes.Buffer
	if faults := adapter.Rows(trace, &lines, codec.Options{Schemas: clr.Schemas}); len(faults) > 0 {
		return fmt.Errorf("the written trace breaks %v at offset %d", faults[0].Rule, faults[0].Offset)
	}
	want, err := parse(c.Lines)
	if err != nil {
		return fmt.Errorf("the case itself: %w", err)
	}
	got, err := parse(lines.Bytes())
	if err != nil {
		return err
	}
	if err := sameMeaning(want, got); err != nil {
		return err
	}
	return checkWritten(c, trace)
}

// today is after all cases.
var today = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)

// checkWritten finds a rule that only the written trace breaks.
func checkWritten(c *cases.Case, trace []byte) error {
	before, err := findings(c.Trace)
	if err != nil {
		return err
	}
	after, err := findings(trace)
	if err != nil {
		return err
	}
	for _, f := range after {
		if !slices.ContainsFunc(before, func(b check.Finding) bool { return b.Rule == f.Rule }) {
			return fmt.Errorf("%v at offset %d of the written trace: %s", f.Rule, f.Offset, f.Rule.Rule().Sentence)
		}
	}
	return nil
}

// findings are the errors and warnings of a trace, those about payloads raised.
func findings(trace []byte) ([]check.Finding, error) {
	report, err := check.Stream(bytes.NewReader(trace), check.Options{Profile: check.Strict, Now: today})
	if err != nil {
		return nil, err
	}
	return report.Findings, nil
}

// writerTester tests a writer.
type writerTester struct {
	command []string
	timeout time.Duration
}

func (w *writerTester) close() {}

func (w *writerTester) try(c *cases.Case) error {
	out, code, err := run(w.command, w.timeout, Input(c))
	switch {
	case err != nil:
		return err
	case adapter.Exit(code) == adapter.Unsupported && len(out) > 0:
		return fmt.Errorf("not supported, and %d bytes written", len(out))
	case adapter.Exit(code) == adapter.Unsupported:
		return ErrUnsupported
	case code != 0:
		return fmt.Errorf("exit code %d", code)
	}
	return CheckWritten(c, out)
}

// Write runs a writer, a program with its arguments, on those of the cases that
// are Writable. The error means that the program could not be run.
func Write(list []cases.Case, command []string, opt Options) (*Report, error) {
	list = slices.DeleteFunc(slices.Clone(list), func(c cases.Case) bool { return !Writable(&c) })
	return opt.run(list, func() tester { return &writerTester{command, opt.limit()} })
}
