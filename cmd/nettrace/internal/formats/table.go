package formats

import (
	"fmt"
	"io"
	"slices"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/heapdump"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/callgrind"
	"github.com/nettrace-go/nettrace/profile/chromium"
	"github.com/nettrace-go/nettrace/profile/firefox"
	"github.com/nettrace-go/nettrace/profile/folded"
	"github.com/nettrace-go/nettrace/profile/perfetto"
	"github.com/nettrace-go/nettrace/profile/perfscript"
	"github.com/nettrace-go/nettrace/profile/pprof"
	"github.com/nettrace-go/nettrace/profile/speedscope"
	"github.com/nettrace-go/nettrace/profile/v8"
)

// Format is a format that convert writes: a version of NetTrace, or a profile.
type Format struct {
	Name     string   // a value of --format
	suffixes []string // of file names, before .gz or .zst; the first is the usual one
	prefix   string   // of file names, beside the suffixes; "" for none
	packed   []string // suffixes with .gz that the help lists too
	about    string   // for the help: its description, or the programs that read it

	Version wire.Format // of a trace
	Tags    bool        // of a trace: metadata has tags, which --no-tags leaves out

	Write       func(io.Writer, *samples.Loaded, *ProfileOptions) error // writes a profile; nil for traces
	Shown       func(*samples.Loaded) []profile.Type                    // the types of samples in the profile
	Marks       bool                                                    // the profile shows the events of event sources
	Merge       bool                                                    // --merge applies
	CommandLine bool                                                    // --command-line applies

	WriteHeap func(io.Writer, *heapdump.Dump) error // writes a heap dump; nil for traces and profiles

	Tables bool // the tables of the trace, in a folder
}

// IsTrace reports whether the format is a version of NetTrace.
func (f *Format) IsTrace() bool { return f.Write == nil && f.WriteHeap == nil && !f.Tables }

// ProfileOptions are the options for writing a profile.
type ProfileOptions struct {
	Source      string // name of the file that is converted, without folders
	Name        string // of the output
	RawNames    bool   // names of methods as the runtime writes them
	Merge       bool   // one profile of all threads
	CommandLine bool   // the command lines of processes are in the profile
}

// traceSuffixes are the suffixes of the names of traces.
var traceSuffixes = []string{".nettrace"}

// formats has all formats. The name of an output chooses the first one with its
// suffix.
var formats = []Format{
	{Name: "v6", suffixes: traceSuffixes, about: "NetTrace version 6", Version: wire.V6},
	{Name: "v5", suffixes: traceSuffixes, about: "another name for v4", Version: wire.V5},
	{Name: "v4", suffixes: traceSuffixes, about: "NetTrace version 4", Version: wire.V4, Tags: true},
	{
		Name: "pprof", suffixes: []string{".pb", ".pprof"}, packed: []string{".pb.gz"}, about: "go tool pprof and others",
		Write: writePprof, Shown: (*samples.Loaded).All, CommandLine: true,
	},
	{
		Name: "speedscope", suffixes: []string{".speedscope.json", ".speedscope"}, about: "speedscope.app, one profile per thread",
		Write: writeSpeedscope, Shown: (*samples.Loaded).Chosen, Merge: true,
	},
	{
		Name: "chromium", suffixes: []string{".chromium.json", ".trace.json", ".perfetto.json"}, about: "Perfetto and chrome://tracing, with events",
		Write: writeChromium, Shown: (*samples.Loaded).All, Marks: true,
	},
	{
		Name: "perfetto", suffixes: []string{".pftrace", ".perfetto-trace"}, about: "Perfetto (v58 for samples), with events, smaller",
		Write: writePerfetto, Shown: (*samples.Loaded).All, Marks: true, CommandLine: true,
	},
	{
		Name: "firefox", suffixes: []string{".firefox.json"}, packed: []string{".firefox.json.gz"}, about: "Firefox Profiler, with events",
		Write: writeFirefox, Shown: (*samples.Loaded).All, Marks: true, CommandLine: true,
	},
	{
		Name: "folded", suffixes: []string{".folded", ".collapsed", ".txt"}, about: "flamegraph.pl, one stack per line",
		Write: writeFolded, Shown: (*samples.Loaded).JustOne,
	},
	{
		Name: "cpuprofile", suffixes: []string{".cpuprofile"}, about: "Chrome, Edge and VS Code, times",
		Write: writeCPUProfile, Shown: (*samples.Loaded).JustOne,
	},
	{
		Name: "heapprofile", suffixes: []string{".heapprofile"}, about: "Chrome, Edge and VS Code, allocations",
		Write: writeHeapProfile, Shown: allocations,
	},
	{
		Name: "callgrind", suffixes: []string{".callgrind"}, prefix: "callgrind.out", about: "KCachegrind, sums of all types",
		Write: writeCallgrind, Shown: (*samples.Loaded).All, CommandLine: true,
	},
	{
		Name: "perfscript", suffixes: []string{".perf.txt", ".linux-perf.txt"}, about: "FlameGraph and others, as perf script",
		Write: writePerfScript, Shown: (*samples.Loaded).Chosen,
	},
	{
		Name: "heapsnapshot", suffixes: []string{".heapsnapshot"}, about: "Chrome DevTools, the heap dump of a trace",
		WriteHeap: heapdump.WriteSnapshot,
	},
	{
		Name: "gcdump", suffixes: []string{".gcdump"}, about: "dotnet-gcdump, PerfView, the same",
		WriteHeap: heapdump.WriteGCDump,
	},
	{Name: "parquet", about: "DuckDB and others: the tables of query", Tables: true},
}

// writePprof writes the format of pprof. It compresses the content, unless the
// name of the output has the extension of a compression.
func writePprof(w io.Writer, l *samples.Loaded, o *ProfileOptions) error {
	made := pprof.New(l.Profile, pprof.Options{
		Types: l.Kinds, RawNames: o.RawNames, CommandLine: o.CommandLine, Comments: []string{"nettrace convert " + o.Source},
	})
	if _, packed := plainName(o.Name); packed {
		return made.WriteUncompressed(w)
	}
	return made.Write(w)
}

// writeSpeedscope writes the requested types, or the first one.
func writeSpeedscope(w io.Writer, l *samples.Loaded, o *ProfileOptions) error {
	return speedscope.Write(w, l.Profile, speedscope.Options{Name: o.Source, Types: l.Chosen(), Merge: o.Merge, RawNames: o.RawNames})
}

// writeChromium writes the samples of all types, and the events of event sources.
func writeChromium(w io.Writer, l *samples.Loaded, o *ProfileOptions) error {
	return chromium.Write(w, l.Profile, chromium.Options{Name: o.Source, Types: l.Kinds, RawNames: o.RawNames})
}

// writePerfetto writes the samples of all types, and the events of event sources.
func writePerfetto(w io.Writer, l *samples.Loaded, o *ProfileOptions) error {
	return perfetto.Write(w, l.Profile, perfetto.Options{Types: l.Kinds, RawNames: o.RawNames, CommandLine: o.CommandLine})
}

// writeCPUProfile writes one type, which has to measure time.
func writeCPUProfile(w io.Writer, l *samples.Loaded, o *ProfileOptions) error {
	switch {
	case l.One().Value().Unit != "nanoseconds":
		return l.Nothing(fmt.Sprintf("a .cpuprofile has times, and samples of type %v measure none", l.One()))
	case l.Weightless():
		return l.Nothing(fmt.Sprintf("all samples of type %v have the value 0", l.One()))
	}
	return v8.WriteCPU(w, l.Profile, v8.Options{Type: l.One(), RawNames: o.RawNames})
}

// allocations returns the type of allocations, or none where there is none.
func allocations(l *samples.Loaded) []profile.Type {
	if slices.Contains(l.Kinds, profile.Alloc) {
		return []profile.Type{profile.Alloc}
	}
	return nil
}

// writeHeapProfile writes the allocations.
func writeHeapProfile(w io.Writer, l *samples.Loaded, o *ProfileOptions) error {
	if allocations(l) == nil {
		return l.Nothing(l.ReasonText(profile.Alloc))
	}
	return v8.WriteHeap(w, l.Profile, v8.Options{Type: profile.Alloc, RawNames: o.RawNames})
}

func writeCallgrind(w io.Writer, l *samples.Loaded, o *ProfileOptions) error {
	return callgrind.Write(w, l.Profile, callgrind.Options{Types: l.Kinds, RawNames: o.RawNames, CommandLine: o.CommandLine})
}

func writePerfScript(w io.Writer, l *samples.Loaded, o *ProfileOptions) error {
	return perfscript.Write(w, l.Profile, perfscript.Options{Types: l.Chosen(), RawNames: o.RawNames})
}

// writeFirefox writes the samples of all types, and the events of event sources.
func writeFirefox(w io.Writer, l *samples.Loaded, o *ProfileOptions) error {
	return firefox.Write(w, l.Profile, firefox.Options{Name: o.Source, Types: l.Kinds, RawNames: o.RawNames, CommandLine: o.CommandLine})
}

// writeFolded writes one type. A line has a value above 0.
func writeFolded(w io.Writer, l *samples.Loaded, o *ProfileOptions) error {
	if l.Weightless() {
		return l.Nothing(fmt.Sprintf("all samples of type %v have the value 0", l.One()))
	}
	return folded.Write(w, l.Profile, folded.Options{Type: l.One(), RawNames: o.RawNames})
}
