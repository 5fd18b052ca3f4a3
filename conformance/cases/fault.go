package cases

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec/rule"
)

// Fault is the rule that a case breaks, and where. Its text is a line
//
//	NT-CMP-006 @1234
//
// and, of an invalid case, a second one: what a reader tells that knows less than
// the rule does, or that none can be expected to tell.
//
//	reader NT-REF-001 @1230
//	reader reads
type Fault struct {
	Rule   rule.ID
	Offset int64 // of the first byte of the field that breaks the rule, or of what is missing

	Readable     bool // a reader need not notice
	Reader       rule.ID
	ReaderOffset int64 // what a reader tells, and where
}

// String is the text of a fault.
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

// ParseFault reads the text of a fault.
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
