package main

import (
	"fmt"
	"io"

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
	packed   []string // suffixes with .gz that the help lists too
	about    string

	version wire.Format // of a trace

	// Of a profile, nil for traces: write writes it, shown returns the types of
	// samples that it has.
	write func(io.Writer, *loaded, *profileOutput) error
	shown func(*loaded) []profile.Type
	marks bool // it shows the events of event sources
}

// profileOutput says how a profile is written.
type profileOutput struct {
	source      string // name of the file that is converted, without folders
	name        string // of the output
	rawNames    bool
	merge       bool
	commandLine bool
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
		name: "pprof", suffixes: []string{".pb", ".pprof"}, packed: []string{".pb.gz"}, about: "go tool pprof and its kin",
		write: writePprof, shown: (*loaded).all,
	},
	{
		name: "speedscope", suffixes: []string{".speedscope.json", ".speedscope"}, about: "speedscope.app, one profile a thread",
		write: writeSpeedscope, shown: (*loaded).chosen,
	},
	{
		name: "chromium", suffixes: []string{".chromium.json", ".trace.json", ".perfetto.json"}, about: "Perfetto and chrome://tracing, with events",
		write: writeChromium, shown: (*loaded).all, marks: true,
	},
	{
		name: "folded", suffixes: []string{".folded", ".collapsed", ".txt"}, about: "flamegraph.pl and others, a stack a line",
		write: writeFolded, shown: (*loaded).justOne,
	},
}

// writePprof writes pprof's format, which is compressed in itself unless the
// output is compressed by its name.
func writePprof(w io.Writer, l *loaded, o *profileOutput) error {
	made := pprof.New(l.Profile, pprof.Options{
		Types: l.types, RawNames: o.rawNames, CommandLine: o.commandLine, Comments: []string{"nettrace convert " + o.source},
	})
	if _, packed := plainName(o.name); packed {
		return made.WriteUncompressed(w)
	}
	return made.Write(w)
}

// writeSpeedscope writes the types that were asked for, or the first one.
func writeSpeedscope(w io.Writer, l *loaded, o *profileOutput) error {
	return speedscope.Write(w, l.Profile, speedscope.Options{Name: o.source, Types: l.chosen(), Merge: o.merge, RawNames: o.rawNames})
}

// writeChromium writes the samples of all types, and the events of event sources.
func writeChromium(w io.Writer, l *loaded, o *profileOutput) error {
	return chromium.Write(w, l.Profile, chromium.Options{Name: o.source, Types: l.types, RawNames: o.rawNames})
}

// writeFolded writes one type. A line has a value above 0.
func writeFolded(w io.Writer, l *loaded, o *profileOutput) error {
	if l.weightless() {
		return l.nothing(fmt.Sprintf("all samples of type %v have the value 0", l.one()))
	}
	return folded.Write(w, l.Profile, folded.Options{Type: l.one(), RawNames: o.rawNames})
}
