package runner

import (
	"bytes"
	"fmt"
	"hash/crc32"
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

// Writable reports whether a case is for writers: it is valid, breaks no rule of severity
// error, and its version can be written.
func Writable(c *cases.Case) bool {
	return c.Grade() == cases.Valid && c.Version != "3" && (c.Fault.Rule == rule.None || c.Fault.Rule.Rule().Severity != rule.Error)
}

// flushLine tells a writer to write out all that it has.
const flushLine = "{\"type\":\"flush\"}\n"

// Input returns the input of a writer for a case: the lines of the trace without
// those that only a reader can produce. By the name of the case, one third has a
// flush line with other lines after it, one third also one at the end, and one
// third none.
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
	sum := crc32.ChecksumIEEE([]byte(c.Name)) % 3
	if sum == 0 {
		return out.Bytes()
	}
	lines := bytes.SplitAfter(out.Bytes(), []byte("\n"))
	middle := 1 + len(lines)/2
	input := slices.Concat(bytes.Join(lines[:middle], nil), []byte(flushLine), bytes.Join(lines[middle:], nil))
	if sum == 1 {
		input = append(input, flushLine...)
	}
	return input
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
	before, err := broken(c, c.Trace)
	if err != nil {
		return err
	}
	after, err := broken(c, trace)
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

// ruleVersions are the versions of cases as rules name them.
var ruleVersions = map[string]rule.Versions{"4": rule.V4, "5": rule.V5, "6": rule.V6}

// broken returns the errors in a trace that break a sentence of the specification.
// Warnings and other rules are no reason to fail a writer.
func broken(c *cases.Case, trace []byte) ([]check.Finding, error) {
	report, err := check.Stream(bytes.NewReader(trace), check.Options{Now: today})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(report.Findings, func(f check.Finding) bool {
		return f.Severity != rule.Error || f.Rule.Rule().BasisIn(ruleVersions[c.Version]) != rule.Text
	}), nil
}

// writerTester tests a writer.
type writerTester struct {
	command []string
	timeout time.Duration
}

func (w *writerTester) close() {}

func (w *writerTester) try(c *cases.Case) trial {
	answer, err := run(w.command, w.timeout, Input(c))
	t := trial{stderr: answer.stderr, err: err}
	switch {
	case err != nil:
	case answer.exit == adapter.Unsupported && len(answer.out) > 0:
		t.err = fmt.Errorf("not supported, and %d bytes written", len(answer.out))
	case answer.exit == adapter.Unsupported:
		t.err = ErrUnsupported
	case answer.exit != adapter.Read:
		t.err = fmt.Errorf("exit code %d", answer.exit)
	default:
		t.err = CheckWritten(c, answer.out)
	}
	return t
}

// Write runs a writer, a program with its arguments, on those of the cases that
// are Writable. The error means that the program could not be run.
func Write(list []cases.Case, command []string, opt Options) (*Report, error) {
	list = slices.DeleteFunc(slices.Clone(list), func(c cases.Case) bool { return !Writable(&c) })
	trials, err := opt.run(list, func() tester { return &writerTester{command, opt.limit()} })
	if err != nil {
		return nil, err
	}
	return opt.report(list, trials), nil
}
