package heap_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestGolden prints a small dump in every view and format.
func TestGolden(t *testing.T) {
	for name, args := range map[string][]string{
		"types":           {"--limit", "12"},
		"types-json":      {"--json", "--limit", "3"},
		"types-csv":       {"--format", "csv", "--limit", "3", "--raw-names"},
		"roots":           {"--roots", "--limit", "8"},
		"roots-csv":       {"--roots", "--limit", "2", "--format", "csv"},
		"dominators":      {"--dominators", "--min", "5"},
		"below":           {"--dominators", "--below", "handle > System.Object[]", "--min", "20"},
		"dominators-json": {"--dominators", "--min", "40", "--json"},
		"paths":           {"--paths", "System.Threading.*", "--limit", "5"},
		"paths-json":      {"--paths", "System.Threading.Thread", "--json"},
	} {
		t.Run(name, func(t *testing.T) {
			r := programtest.Run(t, testfile.Plain(t, "net10-mix-gcheap.v4"), append([]string{"heap", "-"}, args...)...)
			r.Exits(t, exit.Done)
			r.Complains(t, "")
			testfile.Golden(t, filepath.Join("testdata", name+".txt"), r.Out)
		})
	}
}

// leakFiles returns the paths of the two dumps of a process with leaks.
func leakFiles(t *testing.T) (before, after string) {
	return testfile.New(t, "before.nettrace", shared.TruthFile(t, "heap-leak-dump1.v4.nettrace.zst")),
		testfile.New(t, "after.nettrace", shared.TruthFile(t, "heap-leak-dump2.v4.nettrace.zst"))
}

// TestDiff compares the growth of types with what the recorded program prints.
func TestDiff(t *testing.T) {
	before, after := leakFiles(t)
	r := programtest.Run(t, nil, "heap", "--diff", before, after, "--format", "csv", "--limit", "0", "--raw-names")
	r.Exits(t, exit.Done)
	rows, err := csv.NewReader(strings.NewReader(r.Out)).ReadAll()
	expect.NoError(t, err)
	grown := map[string][]string{}
	for _, row := range rows {
		grown[row[6]] = row
	}
	for name, want := range map[string][]string{
		"Leaf":        {"4500", "2500", "144000", "80000"},
		"Subscriber":  {"700", "300", "16800", "7200"},
		"TimerTarget": {"11", "4", "264", "96"},
		"GraphNode[]": {"1", "0", "52024", "28000"},
	} {
		expect.AtLeast(t, "columns of "+name, len(grown[name]), 4)
		expect.Stop(t)
		expect.Slices(t, name, grown[name][:4], want)
	}
	expect.Len(t, "row of a type without growth", grown["HandleTarget"], 0)
	expect.Equal(t, "first row", rows[1][6], "GraphNode")
}

// TestDiffReversed: the dump after --diff is the newer one.
func TestDiffReversed(t *testing.T) {
	before, after := leakFiles(t)
	for _, c := range []struct {
		name, older, newer, stderr string
	}{
		{"older first", before, after, ""},
		{"newer first", after, before, after + ": note: this dump is newer than that of " + before},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, nil, "heap", "--diff", c.older, c.newer, "--limit", "1")
			r.Exits(t, exit.Done)
			r.Complains(t, c.stderr)
		})
	}
}

// TestLeakPaths: the path to each leak names what keeps it.
func TestLeakPaths(t *testing.T) {
	file, _ := leakFiles(t)
	for name, want := range map[string]string{
		"Leaf[]":       "handle > System.Object[] > [Leak] System.Collections.Generic.List<Leaf> > Leaf[]",
		"Leaf":         "handle > System.Object[] > [Leak] System.Collections.Generic.List<Leaf> > Leaf[] > Leaf",
		"Subscriber":   "[Instance] Publisher > System.EventHandler > System.Object[] > System.EventHandler > Subscriber",
		"TimerTarget":  "[Timers] System.Collections.Generic.List<Timer> > System.Threading.Timer[] > ",
		"Tag":          "[Keys] Key[] > Key > [dependent handle] Tag",
		"HandleTarget": "handle > HandleTarget",
		"PinnedTarget": "pinned handle > PinnedTarget",
		"PerThread":    "stack > PerThread",
		"Waiter":       "[Never] System.Threading.Tasks.TaskCompletionSource<int> > ",
		"WeakTarget":   "[Weak] WeakTarget[] > WeakTarget",
	} {
		t.Run(name, func(t *testing.T) {
			r := programtest.Run(t, nil, "heap", "--paths", name, "--format", "csv", file)
			r.Exits(t, exit.Done)
			expect.Contains(t, "paths", r.Out, want)
		})
	}
}

// TestSimilarTypes: for an incomplete name --paths names the types that contain it.
func TestSimilarTypes(t *testing.T) {
	_, file := leakFiles(t)
	for _, c := range []struct{ paths, want string }{
		{"List<Leaf>", "no object has a type List<Leaf>; did you mean System.Collections.Generic.List<Leaf>?\n"},
		{"graphnode[]", "no object has a type graphnode[]; did you mean GraphNode[]?\n"},
		{"EventHandler", "no object has a type EventHandler; did you mean System.EventHandler or System.UnhandledExceptionEventHandler? '*EventHandler*' matches all that contain it\n"},
		{"List", "no object has a type List; did you mean System.Collections.Generic.List<object>, System.Collections.Generic.List<GCHandle> or "},
		{"GraphNdoe", "no object has a type GraphNdoe; did you mean GraphNode?\n"},
		{"*List<Leef>", "no object has a type *List<Leef>\n"},
	} {
		t.Run(c.paths, func(t *testing.T) {
			r := programtest.Run(t, nil, "heap", "--paths", c.paths, file)
			r.Exits(t, exit.Broken)
			expect.Contains(t, "stderr", r.Stderr, c.want)
		})
	}
}

// TestGlobs: in a glob, [] and [,] are the brackets of an array, and the … of a shortened
// name is a *.
func TestGlobs(t *testing.T) {
	_, file := leakFiles(t)
	for glob, want := range map[string]string{
		"Graph*[]":          "[Graph] GraphNode[]",
		"System.Str*[,]":    "System.String[,]",
		"System.C…st<Leaf>": "[Leak] System.Collections.Generic.List<Leaf>",
		"[L]eaf[]":          "> Leaf[]",
	} {
		t.Run(glob, func(t *testing.T) {
			r := programtest.Run(t, nil, "heap", "--paths", glob, "--format", "csv", file)
			r.Exits(t, exit.Done)
			expect.Contains(t, "paths", r.Out, want)
		})
	}
}

// TestExports: each format for other programs has all bytes and objects.
func TestExports(t *testing.T) {
	data := testfile.Plain(t, "net10-mix-gcheap.v4")
	run := func(format string) string {
		r := programtest.Run(t, data, "heap", "-", "--format", format)
		r.Exits(t, exit.Done)
		return r.Out
	}
	var doc struct {
		Dump  struct{ Objects, Bytes int64 }
		Types []struct{ Objects, ShallowBytes int64 }
	}
	expect.NoError(t, json.Unmarshal([]byte(programtest.Run(t, data, "heap", "-", "--json", "--limit", "0").Out), &doc))
	expect.Equal(t, "objects", doc.Dump.Objects, 980)

	var bytesOfTypes, objects int64
	for _, x := range doc.Types {
		bytesOfTypes, objects = bytesOfTypes+x.ShallowBytes, objects+x.Objects
	}
	expect.Equal(t, "bytes of types", bytesOfTypes, doc.Dump.Bytes)
	expect.Equal(t, "objects of types", objects, doc.Dump.Objects)

	var folded int64
	for line := range strings.Lines(run("folded")) {
		n, err := strconv.ParseInt(strings.TrimSpace(line[strings.LastIndexByte(line, ' ')+1:]), 10, 64)
		expect.NoError(t, err)
		folded += n
	}
	expect.Equal(t, "bytes of folded", folded, doc.Dump.Bytes)

	p, err := profile.ParseData([]byte(run("pprof")))
	expect.NoError(t, err)
	expect.Stop(t)
	var values [2]int64
	for _, s := range p.Sample {
		values[0], values[1] = values[0]+s.Value[0], values[1]+s.Value[1]
	}
	expect.Equal(t, "values of pprof", values, [2]int64{doc.Dump.Objects, doc.Dump.Bytes})
}

func TestRefused(t *testing.T) {
	dump := testfile.Plain(t, "net10-mix-gcheap.v4")
	for _, c := range []struct {
		name  string
		input []byte
		args  []string
		code  int
		want  string
	}{
		{"no dump", testfile.Plain(t, "net10-types.v4"), nil, exit.Broken, "no heap dump: nettrace collect --profile gcdump records one"},
		{"no such dump", dump, []string{"--gc", "7"}, exit.Broken, "standard input: no heap dump of collection 7: the stream has dumps of the collections 11 (--gc chooses one)\n"},
		{"no dump at all", testfile.Plain(t, "net10-types.v4"), []string{"--gc", "7"}, exit.Broken, "no heap dump: nettrace collect --profile gcdump records one"},
		{"no such type", dump, []string{"--paths", "Nothing"}, exit.Broken, "no object has a type Nothing"},
		{"letter case of a type", dump, []string{"--paths", "system.string"}, exit.Broken, "no object has a type system.string; did you mean System.String?"},
		{"malformed glob", dump, []string{"--paths", "["}, exit.Usage, `--paths: "[" is neither a type of the dump nor a glob: [a-c] is one of these characters, \[ the character [`},
		{"no such row", dump, []string{"--dominators", "--below", "handle > Nothing"}, exit.Broken, "--below: no row has the path handle > Nothing"},
		{"below without a tree", dump, []string{"--below", "handle"}, exit.Usage, "--below needs --dominators"},
		{"min without a tree", dump, []string{"--min", "5"}, exit.Usage, "--min needs --dominators"},
		{"two views", dump, []string{"--roots", "--dominators"}, exit.Usage, "exclude each other"},
		{"view in a profile", dump, []string{"--roots", "--format", "pprof"}, exit.Usage, "--format pprof excludes"},
		{"part of a tree in a profile", dump, []string{"--dominators", "--below", "handle", "--format", "folded"}, exit.Usage, "--format folded excludes --below, --min and --limit"},
		{"min of a profile", dump, []string{"--dominators", "--min", "1", "--format", "pprof"}, exit.Usage, "--format pprof excludes --below, --min and --limit"},
		{"rows of a snapshot", dump, []string{"--limit", "0", "--format", "heapsnapshot"}, exit.Usage, "--format heapsnapshot excludes --below, --min and --limit"},
		{"min", dump, []string{"--dominators", "--min", "101"}, exit.Usage, "--min is a percentage"},
		{"truncated", dump[:len(dump)/2], nil, exit.Broken, "(--partial shows the rest)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, c.input, append([]string{"heap", "-"}, c.args...)...)
			r.Exits(t, c.code)
			r.Complains(t, c.want)
			expect.Equal(t, "output", r.Out, "")
		})
	}
}

// TestPartial prints what is sound of a truncated dump, with a warning.
func TestPartial(t *testing.T) {
	data := testfile.Plain(t, "net10-mix-gcheap.v4")
	end := bytes.LastIndex(data, []byte("SPBlock"))
	for _, n := range []int{end - 2000, end} {
		r := programtest.Run(t, data[:n], "heap", "-", "--partial", "--limit", "1")
		r.Exits(t, exit.Broken)
		r.Complains(t, "truncated")
		expect.Contains(t, "output", r.Out, "980 objects")
	}
}
