package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/conformance/adapter"
	"github.com/nettrace-go/nettrace/conformance/cases"
)

// made is a case before its lines are known.
type made struct {
	grade       cases.Grade
	block, name string
	version     wire.Format
	about       string // what the case shows, "" when the name is enough
	trace       []byte
	rule        rule.ID // that it breaks, or None
	offset      int64
}

func (m *made) path() string {
	return fmt.Sprintf("%s/%s/%s.v%d", m.grade, m.block, m.name, m.version.Major)
}

// makeFiles makes the files of all cases, by their names in the folder.
func makeFiles() (map[string][]byte, error) {
	list := append(situations(), faults()...)
	files := map[string][]byte{}
	versions := map[string][]string{}
	for i := range list {
		m := &list[i]
		if files[m.path()+".nettrace"] != nil {
			return nil, fmt.Errorf("%s: two cases of this name", m.path())
		}
		if err := m.files(files); err != nil {
			return nil, fmt.Errorf("%s: %w", m.path(), err)
		}
		version := fmt.Sprint(m.version.Major)
		versions[version] = append(versions[version], m.path())
	}
	text, err := json.MarshalIndent(versions, "", "  ")
	files["versions.json"] = append(text, '\n')
	return files, err
}

// files adds the files of a case.
func (m *made) files(files map[string][]byte) error {
	var lines bytes.Buffer
	var limits codec.Limits
	if m.grade == cases.Either {
		limits.Nesting = -1 // the lines are those of a reader that has none
	}
	exit, reason := adapter.CodecReason(m.trace, &lines, limits)
	fault := cases.Fault{Rule: m.rule, Offset: m.offset, Reader: reason.Rule, ReaderOffset: reason.Offset}
	switch m.grade {
	case cases.Valid, cases.Either:
		if exit != adapter.Read {
			return fmt.Errorf("%v: %v @%d", exit, reason.Rule, reason.Offset)
		}
		fault.Reader, fault.ReaderOffset = m.rule, m.offset
	case cases.Invalid:
		fault.Readable = exit == adapter.Read
	}
	files[m.path()+".nettrace"] = m.trace
	files[m.path()+".ndjson"] = lines.Bytes()
	group := path.Join(string(m.grade), m.block) + textSuffix
	files[group] = fmt.Appendf(files[group], "=== %s\n%s\n", m.path(), text(m))
	if m.rule != rule.None {
		files[m.path()+".rule"] = []byte(fault.String())
	}
	return nil
}
