package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/conformance/adapter"
	"github.com/nettrace-go/nettrace/conformance/cases"
)

// accept sets the answers that an either case accepts and returns their lines.
func (m *made) accept(e *expectation, c *cases.Case) (lines [][]byte, err error) {
	for word := range strings.SplitSeq(e.result, ",") {
		word, basis, _ := strings.Cut(word, ":")
		sort, ok := answers[word]
		if !ok {
			return nil, fmt.Errorf("no answer is called %q", word)
		}
		a := cases.Answer{Reports: word == "report", Basis: cases.Choice, About: sort.about, Lines: c.Lines}
		if basis != "" {
			a.Basis = cases.Basis(basis)
		}
		a.Uncompared = slices.Concat(without(e.uncompared, sort.compared...), without(sort.free, e.uncompared...))
		if sort.lines != nil {
			a.Lines = sort.lines(m, c.Lines)
		}
		c.Accept, lines = append(c.Accept, a), append(lines, a.Lines)
	}
	return lines, nil
}

// answerSort is a sort of answers.
type answerSort struct {
	about    string
	free     []string                           // keys that are not compared, besides those of the case
	compared []string                           // keys that are compared, although the case names them
	lines    func(m *made, lines []byte) []byte // changes the lines of the case, or nil
}

// answers are the sorts of answers, by their words in expected.tsv.
var answers = map[string]answerSort{
	"read":   {about: "The reader reads the trace."},
	"report": {about: "The reader reports a fault or rejects the trace.", free: []string{"fields", "fieldsError"}},
	"fieldsError": {about: "The reader reports that payloads do not fit their fields.", free: []string{"fields"},
		compared: []string{"fieldsError"}, lines: misfit},
	"replaced": {about: "The reader replaces the unpaired surrogate by U+FFFD.", lines: replaced},
	"strict":   {about: "The reader takes a DateTime for eight Int16, as the specification says.", lines: (*made).strictly},
	"filetime": {about: "The reader takes a DateTime for a FILETIME of eight bytes.", free: []string{"payload", "fieldsError"},
		lines: (*made).otherLines},
}

// without returns the keys that are not in another list.
func without(keys []string, other ...string) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return slices.Contains(other, key) })
}

// misfit adds the key fieldsError to the events with a value.
func misfit(_ *made, lines []byte) []byte {
	var b []byte
	for line := range bytes.Lines(lines) {
		if bytes.Contains(line, []byte(`"fields":{`)) && bytes.HasPrefix(line, []byte(`{"type":"event"`)) &&
			!bytes.Contains(line, []byte(`"fieldsError"`)) && !bytes.Contains(line, []byte(`"Value":[]`)) {
			line = append(bytes.TrimSuffix(line, []byte("}\n")), `,"fieldsError":"misfit"}`+"\n"...)
		}
		b = append(b, line...)
	}
	return b
}

// replaced replaces the escape of an unpaired surrogate.
func replaced(_ *made, lines []byte) []byte {
	at := bytes.Index(lines, []byte(`\ud8`))
	const escape = 6
	return slices.Concat(lines[:at], []byte("\ufffd"), lines[at+escape:])
}

// otherLines are the lines of the other reading.
func (m *made) otherLines(lines []byte) []byte {
	if m.other == nil {
		return lines
	}
	return read(m.other).lines
}

// strictly are the lines by the specification alone.
func (m *made) strictly([]byte) []byte {
	var lines bytes.Buffer
	adapter.Rows(m.trace, &lines, codec.Options{NoLeniency: true})
	return lines.Bytes()
}
