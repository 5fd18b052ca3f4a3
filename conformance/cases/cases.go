// Package cases has the traces of the conformance suite, each with the expected
// result of a reader.
//
// A case has a name, GRADE/BLOCK/SITUATION.vVERSION:
// "valid/stack/leaf-first.v6". The grade is valid (the trace breaks no sentence
// of the specification, and a reader must read it), invalid (it breaks one) or
// either (the specification does not decide). The block is the kind of block that
// the case tests. A case has these files:
//
//	NAME.nettrace  the trace
//	NAME.json      what the case tests and which results are right: see Case
//	NAME.ndjson    expected lines; of an invalid case of kind stops or tells those
//	               of the same trace without the fault
//	NAME.N.ndjson  expected lines of answer N of an either case, if they differ
//
// These files are in cases.tar.zst. For review, docs/cases/GRADE/BLOCK.txt of
// the repository has the bytes of the traces in a readable form. The command conformance/casegen writes the
// archive and the texts: "make cases".
package cases

import (
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/nettrace-go/nettrace/internal/archive"
)

//go:embed cases.tar.zst
var packed []byte

// Files returns the files of the cases by name. The caller must not modify the
// map: all callers share it.
var Files = sync.OnceValue(func() map[string][]byte {
	files, err := archive.Unpack(packed)
	if err != nil {
		panic(err) // the archive is part of the program
	}
	return files
})

// Grade returns the first part of the name.
func (c *Case) Grade() Grade {
	grade, _, _ := strings.Cut(c.Name, "/")
	return Grade(grade)
}

// Block returns the second part of the name.
func (c *Case) Block() string { return path.Base(path.Dir(c.Name)) }

// Suffixes of the files of a case in the archive.
const (
	traceSuffix = ".nettrace"
	linesSuffix = ".ndjson"
	caseSuffix  = ".json"
)

// All returns the cases, ordered by name. The caller must not modify them: all
// callers share them.
var All = sync.OnceValue(func() []Case {
	list, err := load(Files())
	if err != nil {
		panic(err) // the archive is part of the program
	}
	return list
})

// Match returns the cases whose names match one of the patterns. A pattern is a
// name with * and ?, which also match "/"; the start of a name up to a "/"
// ("invalid/event"); or a SITUATION. Without patterns Match returns all cases.
func Match(patterns ...string) []Case {
	return slices.DeleteFunc(slices.Clone(All()), func(c Case) bool {
		return len(patterns) > 0 && !slices.ContainsFunc(patterns, c.matches)
	})
}

func (c *Case) matches(pattern string) bool {
	stem := strings.TrimSuffix(c.Name, ".v"+c.Version)
	return matchGlob(pattern, c.Name) || strings.HasPrefix(c.Name, strings.TrimSuffix(pattern, "/")+"/") ||
		strings.HasSuffix(stem, "/"+pattern)
}

// matchGlob reports whether a pattern matches a complete name: * is any text, ? any
// one byte.
func matchGlob(pattern, name string) bool {
	star, back := -1, 0
	p, n := 0, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, back = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n]):
			p++
			n++
		case star >= 0: // the last * takes one byte more
			back++
			p, n = star+1, back
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// load makes the cases from their files.
func load(files map[string][]byte) ([]Case, error) {
	var list []Case
	for file, text := range files {
		name, ok := strings.CutSuffix(file, caseSuffix)
		if !ok {
			continue
		}
		c := Case{Name: name}
		if err := json.Unmarshal(text, &c); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		var trace, lines bool
		c.Trace, trace = files[name+traceSuffix]
		c.Lines, lines = files[name+linesSuffix]
		if !trace || !lines {
			return nil, fmt.Errorf("%s: no trace or no lines", name)
		}
		for i := range c.Accept {
			c.Accept[i].Lines = c.Lines
			if own, ok := files[AnswerFile(name, i)]; ok {
				c.Accept[i].Lines = own
			}
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b Case) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// AnswerFile is the name of the file with the lines of the answer i, counted from
// 0, of the case with a name, if they are not those of the case.
func AnswerFile(name string, i int) string { return fmt.Sprintf("%s.%d%s", name, i+1, linesSuffix) }

// Size is the number of bytes that all cases take in a program.
var Size = len(packed)

// Sum tells sets of cases apart: the SHA-256 of the archive.
func Sum() [sha256.Size]byte { return sha256.Sum256(packed) }
