// Package cases holds traces that readers of NetTrace are judged by, each with
// what a reader is to make of it.
//
// A case has a name, GRADE/BLOCK/SITUATION.vVERSION: "valid/stack/leaf-first.v6".
// The grade is valid (it is to be read), invalid (it breaks the rule that its
// name tells of) or either (the text is silent: it may be read or refused). The
// block is the kind that it is about. Beside NAME.nettrace lie
//
//	NAME.ndjson  the canonical lines of a reading; of one that is to be refused,
//	             those before the fault
//	NAME.rule    the rule that it breaks and where: see Fault
//	NAME.txt     the bytes in a form that can be read, not embedded
//
// They are made by conformance/casegen: "make cases".
package cases

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

// Files are the cases as they lie in this folder, and versions.json, which says
// which case is for which version of the format.
//
//go:embed valid/*/*.nettrace valid/*/*.ndjson valid/*/*.rule
//go:embed invalid/*/*.nettrace invalid/*/*.ndjson invalid/*/*.rule
//go:embed either/*/*.nettrace either/*/*.ndjson either/*/*.rule
//go:embed versions.json
var Files embed.FS

// Grade says what is expected of a reader.
type Grade string

// The grades, which are the first part of a case's name.
const (
	Valid   Grade = "valid"
	Invalid Grade = "invalid"
	Either  Grade = "either"
)

// Case is a trace and what a reader is to make of it.
type Case struct {
	Name    string
	Version string // of the format: "3", "4", "5" or "6"; 5 is 4 with tags in metadata
	Trace   []byte
	Lines   []byte // expected
	Fault   Fault  // zero when nothing is wrong with it
}

// Grade is the first part of the name.
func (c *Case) Grade() Grade {
	grade, _, _ := strings.Cut(c.Name, "/")
	return Grade(grade)
}

// Block is the second part of the name.
func (c *Case) Block() string { return path.Base(path.Dir(c.Name)) }

// MustReject says that a reader that reads the case to its end is wrong. The
// other invalid cases break a rule that only a checker looks after: a reader may
// refuse them.
func (c *Case) MustReject() bool { return c.Grade() == Invalid && !c.Fault.Readable }

// MustRead says that a reader that refuses the case is wrong.
func (c *Case) MustRead() bool { return c.Grade() == Valid }

// suffixes of the files of a case that are embedded.
const (
	traceSuffix = ".nettrace"
	linesSuffix = ".ndjson"
	faultSuffix = ".rule"
)

// All lists the cases by name. They are shared and must not be changed.
var All = sync.OnceValue(func() []Case {
	list, err := load(Files)
	if err != nil {
		panic(err) // the files are part of the program
	}
	return list
})

// Match lists the cases whose names match a pattern of path.Match, or have it as
// a beginning or, before the version, as an end. No pattern matches all.
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

// load reads the cases of a folder.
func load(files fs.FS) ([]Case, error) {
	versions, err := loadVersions(files)
	if err != nil {
		return nil, err
	}
	var list []Case
	for name, version := range versions {
		c := Case{Name: name, Version: version}
		if c.Trace, err = fs.ReadFile(files, name+traceSuffix); err != nil {
			return nil, err
		}
		if c.Lines, err = fs.ReadFile(files, name+linesSuffix); err != nil {
			return nil, err
		}
		if text, err := fs.ReadFile(files, name+faultSuffix); err == nil {
			if c.Fault, err = ParseFault(string(text)); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b Case) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// loadVersions reads versions.json: the names of the cases by version.
func loadVersions(files fs.FS) (map[string]string, error) {
	text, err := fs.ReadFile(files, "versions.json")
	if err != nil {
		return nil, err
	}
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
