package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/oracle/stacks"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

var update = flag.Bool("update", false, "write the table of README.md again; needs -tags check")

// The other reader stops in the first of these; of the others it reads nothing.
var stopped = map[string]string{
	"net10-types.v4":         "after 624 events",
	"onecollect-overflow.v6": "at the start",
}

// TestStacks checks that every frame that the other reader names has the same
// name here. Where all traces are read, the table of README.md has the counts.
func TestStacks(t *testing.T) {
	needTE(t)
	names := shared.Traces(t)
	if !tier.Check { // the other reader takes a second to start
		names = []string{"net10-deep.v4", "net10-mix-locks.v4", "net10-types.v4", "onecollect-small.v6"}
	}
	figures := make([]stacks.Figures, len(names))
	for i, name := range names { // one by one: all lines of a trace are held twice
		t.Run(name, func(t *testing.T) { figures[i] = compareStacks(t, name) })
	}
	if !t.Failed() && tier.Check {
		checkTable(t, stackTable(names, figures))
	}
}

// TestMadeStacks: the same for mappings and symbols (v6), of which the real
// traces have few. The method events of other profiles are random: their ranges
// have no code.
func TestMadeStacks(t *testing.T) {
	needTE(t)
	at := slices.IndexFunc(gen.Profiles(), func(p gen.Profile) bool { return p.Name == "one-collect" })
	if at < 0 {
		t.Fatal("no such profile")
	}
	var made bytes.Buffer
	if err := gen.Profiles()[at].Write(&made, gen.Order{Events: 20_000, Format: wire.V6, Seed: 7}); err != nil {
		t.Fatal(err)
	}
	f := compareStacksOf(t, made.Bytes(), false)
	t.Logf("%d frames, %d named by both, %d by us alone", f.Frames, f.Both, f.OursAlone)
	if f.Both < 100 {
		t.Error("the other reader names almost nothing")
	}
}

func compareStacks(t *testing.T, name string) stacks.Figures {
	t.Helper()
	return compareStacksOf(t, shared.Trace(t, name), stopped[name] != "")
}

// compareStacksOf compares the stacks of a trace, in which the other reader stops
// or does not.
func compareStacksOf(t *testing.T, trace []byte, stops bool) stacks.Figures {
	t.Helper()
	ours, _ := stacks.Read(codec.NewBytesReader(trace, largeLimits)) // some are truncated
	path := filepath.Join(t.TempDir(), "trace.nettrace")
	if err := os.WriteFile(path, trace, 0o600); err != nil {
		t.Fatal(err)
	}
	theirs, err := stacks.Ask(shared.OtherReader(t), path)
	if (err != nil) != stops {
		t.Fatalf("the other reader ends with: %v", err)
	}
	f := stacks.Compare(ours, theirs)
	if f.OnlyTheirs > 0 {
		t.Errorf("%d stacks are not found by codec", f.OnlyTheirs)
	}
	for i, d := range f.Differ {
		if i == 10 {
			t.Errorf("... and %d more", len(f.Differ)-i)
			break
		}
		t.Error(d)
	}
	return f
}

// stackTable writes figures as a table.
func stackTable(names []string, figures []stacks.Figures) string {
	var b strings.Builder
	b.WriteString("| trace | stacks of both | of codec only | frames | named by both | by codec only | of them by entry points | by neither |\n")
	b.WriteString("|---|--:|--:|--:|--:|--:|--:|--:|\n")
	var sum stacks.Figures
	for i, f := range figures {
		if f.Lines+f.OnlyOurs == 0 {
			continue
		}
		sum.Lines, sum.OnlyOurs, sum.Frames = sum.Lines+f.Lines, sum.OnlyOurs+f.OnlyOurs, sum.Frames+f.Frames
		sum.Both, sum.OursAlone = sum.Both+f.Both, sum.OursAlone+f.OursAlone
		sum.EntryPoints, sum.Neither = sum.EntryPoints+f.EntryPoints, sum.Neither+f.Neither
		writeFigures(&b, names[i], f)
	}
	writeFigures(&b, "all", sum)
	return b.String()
}

func writeFigures(b *strings.Builder, name string, f stacks.Figures) {
	fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %d | %d | %d |\n",
		name, f.Lines, f.OnlyOurs, f.Frames, f.Both, f.OursAlone, f.EntryPoints, f.Neither)
}

// checkTable compares the table with the one in README.md.
func checkTable(t *testing.T, table string) {
	t.Helper()
	const begin, end = "<!-- figures -->\n", "<!-- end of figures -->\n"
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := bytes.Cut(text, []byte(begin))
	old, after, foundEnd := bytes.Cut(rest, []byte(end))
	if !found || !foundEnd {
		t.Fatal("README.md has no place for the figures")
	}
	if string(old) == table {
		return
	}
	if !*update {
		t.Errorf("the figures of README.md are others (-update writes them anew):\n%s", table)
		return
	}
	text = bytes.Join([][]byte{before, []byte(begin), []byte(table), []byte(end), after}, nil)
	if err := os.WriteFile("README.md", text, 0o644); err != nil {
		t.Fatal(err)
	}
}
