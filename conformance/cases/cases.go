// Package cases has the traces of the conformance suite, each with the expected
// result of a reader.
//
// A case has a name, GRADE/BLOCK/SITUATION.vVERSION:
// "valid/stack/leaf-first.v6". The grade is valid (a reader must read it),
// invalid (it breaks the rule in NAME.rule) or either (the specification does
// not decide: a reader may read or reject it). The block is the kind of block
// that the case tests. A case has these files:
//
//	NAME.nettrace  the trace
//	NAME.ndjson    the canonical lines of a reading; for a trace that is rejected,
//	               those before the fault
//	NAME.rule      the rule that the trace breaks and where: see Fault
//
// These files are in cases.tar.zst. For review, GRADE/BLOCK.txt has the bytes
// of the traces in a readable form. The command conformance/casegen writes the
// archive and the texts: "make cases".
package cases

import (
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

// Files returns the files of the cases by name, and versions.json, which lists
// the names of the cases by version of the format. The caller must not modify
// the map: all callers share it.
var Files = sync.OnceValue(func() map[string][]byte {
	files, err := archive.Unpack(packed)
	if err != nil {
		panic(err) // the archive is part of the program
	}
	return files
})

// Grade is the result that a reader must have.
type Grade string

// The grades, which are the first part of a case's name.
const (
	Valid   Grade = "valid"   // a reader must read the trace
	Invalid Grade = "invalid" // the trace breaks a rule
	Either  Grade = "either"  // the specification does not decide
)

// Case is a trace and the expected result of a reader.
type Case struct {
	// Name is GRADE/BLOCK/SITUATION.vVERSION.
	Name    string
	Version string // of the format: "3", "4", "5" or "6"; 5 is 4 with tags in metadata
	// Trace is the stream.
	Trace []byte
	Lines []byte // expected canonical NDJSON
	Fault Fault  // the fault of the trace, zero if it has none
}

// Grade returns the first part of the name.
func (c *Case) Grade() Grade {
	grade, _, _ := strings.Cut(c.Name, "/")
	return Grade(grade)
}

// Block returns the second part of the name.
func (c *Case) Block() string { return path.Base(path.Dir(c.Name)) }

// MustReject reports whether a reader that reads the case to its end is wrong.
// It is false for invalid cases that break a rule that only a checker tests: a
// reader may read or reject them.
func (c *Case) MustReject() bool { return c.Grade() == Invalid && !c.Fault.Readable }

// MustRead reports whether a reader that rejects the case is wrong.
func (c *Case) MustRead() bool { return c.Grade() == Valid }

// Suffixes of the files of a case in the archive.
const (
	traceSuffix = ".nettrace"
	linesSuffix = ".ndjson"
	faultSuffix = ".rule"
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

// Match returns the cases whose names match one of the patterns: a pattern of
// path.Match, a prefix, or a suffix of the name without its version. Without
// patterns it returns all cases.
func Match(patterns ...string) []Case {
	return slices.DeleteFunc(slices.Clone(All()), func(c Case) bool {
		return len(patterns) > 0 && !slices.ContainsFunc(patterns, c.matches)
	})
}

func (c *Case) matches(pattern string) bool {
	if ok, _ := path.Match(pattern, c.Name); ok || pattern == c.Name {
		return true
	}
	stem := strings.TrimSuffix(c.Name, ".v"+c.Version)
	return strings.HasPrefix(c.Name, strings.TrimSuffix(pattern, "/")+"/") || strings.HasSuffix(stem, "/"+pattern)
}

// load makes the cases from their files.
func load(files map[string][]byte) ([]Case, error) {
	versions, err := loadVersions(files["versions.json"])
	if err != nil {
		return nil, err
	}
	var list []Case
	for name, version := range versions {
		c := Case{Name: name, Version: version}
		var trace, lines bool
		c.Trace, trace = files[name+traceSuffix]
		c.Lines, lines = files[name+linesSuffix]
		if !trace || !lines {
			return nil, fmt.Errorf("%s: no trace or no lines", name)
		}
		if text, ok := files[name+faultSuffix]; ok {
			if c.Fault, err = ParseFault(string(text)); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b Case) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// loadVersions parses versions.json and returns the version of each case by name.
func loadVersions(text []byte) (map[string]string, error) {
	var byVersion map[string][]string
	if err := json.Unmarshal(text, &byVersion); err != nil {
		return nil, fmt.Errorf("versions.json: %w", err)
	}
	versions := map[string]string{}
	for version, names := range byVersion {
		for _, name := range names {
			versions[name] = version
		}
	}
	return versions, nil
}
