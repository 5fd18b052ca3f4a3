package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/conformance/cases"
)

// made is a case before its lines are known.
type made struct {
	block, name string
	version     wire.Format
	about       string // the sentence of a case that is not in expected.tsv
	trace       []byte
	sound       []byte  // the trace without the fault, nil if the trace has none
	other       []byte  // the trace whose lines are those of another reading, or nil
	rule        rule.ID // that it breaks, or None
	offset      int64
}

// file is the name of the case's files without suffix.
func (m *made) file(grade cases.Grade) string {
	return fmt.Sprintf("%s/%s/%s.v%d", grade, m.block, m.name, m.version.Major)
}

// makeFiles makes the files of all cases, by their names in the folder.
func makeFiles() (map[string][]byte, error) {
	expected, err := readExpectations(expectedText)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	list := append(situations(), faults()...)
	for i := range list {
		m := &list[i]
		if err := m.files(expected.of(m), files); err != nil {
			return nil, fmt.Errorf("%s/%s.v%d: %w", m.block, m.name, m.version.Major, err)
		}
	}
	if name := expected.unused(); name != "" {
		return nil, fmt.Errorf("expected.tsv: no case is called %s", name)
	}
	return files, nil
}

// files adds the files of a case.
func (m *made) files(e *expectation, files map[string][]byte) error {
	name := m.file(e.grade())
	if files[name+".nettrace"] != nil {
		return errors.New("two cases of this name")
	}
	c := cases.Case{
		Version: fmt.Sprint(m.version.Major), About: e.about, Basis: e.basis, Heading: m.heading(e),
		Fault: cases.Fault{Rule: m.rule, Offset: m.offset},
	}
	if c.About == "" || c.Heading == "" {
		return fmt.Errorf("about %q, heading %q", c.About, c.Heading)
	}
	answers, err := m.expect(e, &c)
	if err != nil {
		return err
	}
	text, err := encode(&c)
	if err != nil {
		return err
	}
	files[name+".json"], files[name+".nettrace"], files[name+".ndjson"] = text, m.trace, c.Lines
	for i, lines := range answers {
		if !bytes.Equal(lines, c.Lines) {
			files[cases.AnswerFile(name, i)] = lines
		}
	}
	group := path.Join(string(e.grade()), m.block) + textSuffix
	files[group] = fmt.Appendf(files[group], "=== %s\n%s\n", name, m.text(&c))
	return nil
}

// encode returns the contents of the file that describes a case.
func encode(c *cases.Case) ([]byte, error) {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	err := out.Encode(c)
	return b.Bytes(), err
}
