package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/codec/wire"
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

// formats are all of them. The one without a suffix is for all other names.
var formats = []format{
	{name: "v6", suffixes: []string{""}, about: "NetTrace version 6", version: wire.Format{Major: 6}},
	{name: "v5", about: "NetTrace version 5", version: wire.Format{Major: 5}},
	{name: "v4", about: "NetTrace version 4", version: wire.Format{Major: 4}},
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
	made := pprof.New(l.Profile, pprof.Options{Types: l.types, RawNames: o.rawNames, Comments: []string{"nettrace convert " + o.source}})
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

// formatOf is the format that the name of an output asks for.
func formatOf(name string) (*format, error) {
	plain, _ := plainName(name)
	var found *format
	longest := -1
	for i := range formats {
		for _, suffix := range formats[i].suffixes {
			if len(suffix) > longest && strings.HasSuffix(plain, suffix) {
				found, longest = &formats[i], len(suffix)
			}
		}
	}
	if longest == 0 && strings.HasSuffix(plain, ".json") {
		return nil, fmt.Errorf("%s may be several formats: --to speedscope or --to chromium chooses", name)
	}
	return found, nil
}

// findFormat is the format of a name, or nil.
func findFormat(name string) *format {
	i := slices.IndexFunc(formats, func(f format) bool { return strings.EqualFold(f.name, name) })
	if i < 0 {
		return nil
	}
	return &formats[i]
}

func formatNames() []string {
	var names []string
	for i := range formats {
		names = append(names, formats[i].name)
	}
	return names
}

// formatList tells of all formats, a line for each.
func formatList() string {
	var b strings.Builder
	for _, f := range formats {
		suffixes := strings.Join(f.suffixes, " ")
		switch {
		case f.name == "v6":
			suffixes = "any other name"
		case f.name == "pprof":
			suffixes += " .pb.gz"
		}
		fmt.Fprintf(&b, "  %-11s %-42s %s\n", f.name, f.about, suffixes)
	}
	return b.String()
}

// convertProfile writes a trace as a profile.
func (p *program) convertProfile(name string, f *format, o *convertOptions) error {
	o.source = name
	var l *loaded
	return p.transform(name, &o.outputOptions, func(in io.Reader, out io.Writer) error {
		var err error
		if l, err = o.load(name, in, f.marks && o.kind == "" && o.provider == ""); err != nil {
			return err
		}
		if len(l.types) == 0 && !(f.marks && l.marked()) {
			return l.empty(name)
		}
		return f.profile(out, l, o)
	}, func() { p.tellProfile(name, l) })
}
