package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/chromium"
	"github.com/nettrace-go/nettrace/profile/folded"
	"github.com/nettrace-go/nettrace/profile/pprof"
	"github.com/nettrace-go/nettrace/profile/speedscope"
)

// format is one form that convert writes: a trace of a version, or a profile.
type format struct {
	name     string
	suffixes []string // of file names, before .gz or .zst; the first is the usual one
	about    string
	version  wire.Format
	profile  func(io.Writer, *loaded, *convertOptions) error // nil for traces
	marks    bool                                            // it shows the events of event sources
}

// traceSuffixes are the suffixes of the names of traces.
var traceSuffixes = []string{".nettrace"}

// formats are all of them. The first one with the suffix of a name is the one
// that the name chooses.
var formats = []format{
	{name: "v6", suffixes: traceSuffixes, about: "NetTrace version 6", version: wire.V6},
	{name: "v5", suffixes: traceSuffixes, about: "another name for v4", version: wire.V5},
	{name: "v4", suffixes: traceSuffixes, about: "NetTrace version 4", version: wire.V4},
	{
		name: "pprof", suffixes: []string{".pb", ".pprof"}, about: "go tool pprof and its kin",
		profile: writePprof,
	},
	{
		name: "speedscope", suffixes: []string{".speedscope.json", ".speedscope"}, about: "speedscope.app, one profile a thread",
		profile: func(w io.Writer, l *loaded, o *convertOptions) error {
			return speedscope.Write(w, l.Profile, speedscope.Options{Name: o.source, Types: l.chosen(), Merge: o.merge, RawNames: o.rawNames})
		},
	},
	{
		name: "chromium", suffixes: []string{".chromium.json", ".trace.json", ".perfetto.json"}, about: "Perfetto and chrome://tracing, with events",
		marks: true,
		profile: func(w io.Writer, l *loaded, o *convertOptions) error {
			return chromium.Write(w, l.Profile, chromium.Options{Name: o.source, Types: l.types, RawNames: o.rawNames})
		},
	},
	{
		name: "folded", suffixes: []string{".folded", ".collapsed", ".txt"}, about: "flamegraph.pl and others, a stack a line",
		profile: func(w io.Writer, l *loaded, o *convertOptions) error {
			return folded.Write(w, l.Profile, folded.Options{Type: l.one(), RawNames: o.rawNames})
		},
	},
}

// writePprof writes pprof's format, which is compressed in itself unless the
// output is compressed by its name.
func writePprof(w io.Writer, l *loaded, o *convertOptions) error {
	made := pprof.New(l.Profile, pprof.Options{
		Types: l.types, RawNames: o.rawNames, CommandLine: o.commandLine, Comments: []string{"nettrace convert " + o.source},
	})
	if _, packed := plainName(o.name); packed {
		return made.WriteUncompressed(w)
	}
	return made.Write(w)
}

// plainName is the name of an output in lower case without what it is compressed
// with, and whether it is.
func plainName(name string) (plain string, packed bool) {
	plain = strings.ToLower(name)
	for _, ext := range []string{".gz", ".zst"} {
		if cut, ok := strings.CutSuffix(plain, ext); ok {
			return cut, true
		}
	}
	return plain, false
}

// formatOf returns the format that the name of an output chooses. Standard
// output and devices, whose names choose nothing, are given a trace.
func formatOf(name string) (*format, error) {
	if name == stdoutName || isDevice(name) {
		return &formats[0], nil
	}
	found := formatsOf(name)
	switch {
	case len(found) == 0:
		return nil, fmt.Errorf("--output: the extension of %s is not that of a format; --to chooses one:\n%s", name, formatList())
	case found[0].profile != nil && len(found) > 1:
		return nil, fmt.Errorf("--output: the extension of %s is that of several formats: --to %s chooses", name, joinFormats(found))
	}
	return found[0], nil
}

// formatsOf returns the formats that have the longest suffix of a name.
func formatsOf(name string) []*format {
	plain, _ := plainName(name)
	var found []*format
	longest := 0
	for i := range formats {
		n := formats[i].match(plain)
		if n > longest {
			found, longest = nil, n
		}
		if n > 0 && n == longest {
			found = append(found, &formats[i])
		}
	}
	return found
}

// match returns the length of the longest suffix of the format that a name has,
// 0 for none. A .json file may be any of the formats whose suffix ends so.
func (f *format) match(plain string) int {
	longest := 0
	for _, suffix := range f.suffixes {
		switch {
		case strings.HasSuffix(plain, suffix):
			longest = max(longest, len(suffix))
		case strings.HasSuffix(suffix, ".json") && strings.HasSuffix(plain, ".json"):
			longest = max(longest, len(".json"))
		}
	}
	return longest
}

// fits returns an error when the name of an output has the extension of other
// formats only.
func (f *format) fits(name string) error {
	found := formatsOf(name)
	if len(found) == 0 || slices.Contains(found, f) {
		return nil
	}
	return fmt.Errorf("--output: the extension of %s is that of %s, but %s is written", name, joinFormats(found), f.name)
}

// fitsTrace returns an error when the name of an output, to which a command
// other than convert writes a trace, has the extension of a profile.
func fitsTrace(name string) error {
	if found := formatsOf(name); len(found) > 0 && found[0].profile != nil {
		return fmt.Errorf("--output: the extension of %s is that of %s, but a trace is written (nettrace convert writes profiles)",
			name, joinFormats(found))
	}
	return nil
}

// isDevice reports whether a name is that of an existing file that is not a
// regular one, such as a pipe.
func isDevice(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.Mode().IsRegular()
}

func joinFormats(list []*format) string {
	var names []string
	for _, f := range list {
		names = append(names, f.name)
	}
	return strings.Join(names, " or ")
}

// findFormat is the format of a name, or nil.
func findFormat(name string) *format {
	i := slices.IndexFunc(formats, func(f format) bool { return strings.EqualFold(f.name, name) })
	if i < 0 {
		return nil
	}
	return &formats[i]
}

// shown returns the types of samples that a format writes.
func (f *format) shown(l *loaded) []profile.Type {
	switch {
	case len(l.types) == 0:
		return nil
	case f.name == "folded":
		return []profile.Type{l.one()}
	case f.name == "speedscope":
		return l.chosen()
	}
	return l.types
}

// weightless reports whether no sample of the type that is shown has a value.
func (l *loaded) weightless() bool {
	for s := range l.Samples(l.one()) {
		if s.Value > 0 {
			return false
		}
	}
	return true
}

func formatNames() []string {
	var names []string
	for i := range formats {
		names = append(names, formats[i].name)
	}
	return names
}

// formatList lists the formats, one on each line.
func formatList() string {
	var b strings.Builder
	for _, f := range formats {
		suffixes := strings.Join(f.suffixes, " ")
		if f.name == "pprof" {
			suffixes += " .pb.gz"
		}
		fmt.Fprintf(&b, "  %-11s %-42s %s\n", f.name, f.about, suffixes)
	}
	return b.String()
}

// convertProfile writes a trace as a profile.
func (p *program) convertProfile(name string, f *format, o *convertOptions) error {
	o.source = filepath.Base(name) // folders can name users
	var l *loaded
	return p.transform(name, &o.outputOptions, func(in io.Reader, out io.Writer) error {
		var err error
		if l, err = o.load(name, in, f.marks && o.kind == "" && o.provider == ""); err != nil {
			return err
		}
		if len(l.types) == 0 && !(f.marks && l.marked()) {
			return l.empty(name)
		}
		if f.name == "folded" && l.weightless() {
			return &failure{max(exitBroken, codeOf(l.err)), fileError(name, fmt.Errorf("nothing to show: all samples of type %v have the value 0", l.one()))}
		}
		return f.profile(out, l, o)
	}, func() { p.tellProfile(name, l, f.shown(l)) })
}
