package cases

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec/rule"
)

// Fault is the rule that a case breaks, and the place. Its text form is a line
//
//	NT-CMP-006 @1234
//
// and, for some invalid cases, a second line: the rule and place that a reader
// reports, which tests less than a checker, or that it need not report any.
//
//	reader NT-REF-001 @1230
//	reader reads
type Fault struct {
	// Rule is the broken rule.
	Rule   rule.ID
	Offset int64 // file offset of the first byte of the field that breaks the rule, or where a missing field should be

	Readable bool // a reader may read the trace
	// Reader is the rule that a reader reports, rule.None if Readable.
	Reader       rule.ID
	ReaderOffset int64 // file offset that a reader reports, 0 if Readable
}

// String returns the text form.
func (f Fault) String() string {
	text := fmt.Sprintf("%v @%d\n", f.Rule, f.Offset)
	switch {
	case f.Readable:
		text += "reader reads\n"
	case f.Reader != f.Rule || f.ReaderOffset != f.Offset:
		text += fmt.Sprintf("reader %v @%d\n", f.Reader, f.ReaderOffset)
	}
	return text
}

// ParseFault parses the text form of a fault.
func ParseFault(text string) (Fault, error) {
	var f Fault
	var err error
	first, second, _ := strings.Cut(strings.TrimSuffix(text, "\n"), "\n")
	if f.Rule, f.Offset, err = parsePlace(first); err != nil {
		return f, err
	}
	f.Reader, f.ReaderOffset = f.Rule, f.Offset
	switch reader, ok := strings.CutPrefix(second, "reader "); {
	case second == "":
	case !ok:
		return f, fmt.Errorf("%q: not a line about readers", second)
	case reader == "reads":
		f.Readable, f.Reader, f.ReaderOffset = true, rule.None, 0
	default:
		f.Reader, f.ReaderOffset, err = parsePlace(reader)
	}
	return f, err
}

// parsePlace reads "RULE @OFFSET".
func parsePlace(text string) (rule.ID, int64, error) {
	name, at, ok := strings.Cut(text, " @")
	id, known := rule.Parse(name)
	offset, err := strconv.ParseInt(at, 10, 64)
	if !ok || !known || err != nil {
		return rule.None, 0, fmt.Errorf("%q: not a rule and an offset", text)
	}
	return id, offset, nil
}
