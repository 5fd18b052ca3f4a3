package program_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestConvertHeapDump: convert writes what heap writes, and refuses what a heap dump does not
// have.
func TestConvertHeapDump(t *testing.T) {
	dump := testfile.Plain(t, "net10-mix-gcheap.v4")
	out := filepath.Join(t.TempDir(), "x.heapsnapshot")
	programtest.Run(t, dump, "convert", "-", "-o", out).Exits(t, exit.Done)
	converted, err := os.ReadFile(out)
	expect.NoError(t, err)
	shown := programtest.Run(t, dump, "heap", "-", "--format", "heapsnapshot")
	shown.Exits(t, exit.Done)
	expect.Equal(t, "convert writes what heap writes", bytes.Equal(converted, []byte(shown.Out)), true)
	r := programtest.Run(t, dump, "convert", "-", "-o", filepath.Join(t.TempDir(), "x.heapsnapshot"), "--type", "alloc")
	r.Exits(t, exit.Usage)
	r.Complains(t, "--type does not apply to a heap dump")
}

// TestHeapSeveral reads a file with two dumps.
func TestHeapSeveral(t *testing.T) {
	before := testfile.New(t, "before.nettrace", shared.TruthFile(t, "heap-leak-dump1.v4.nettrace.zst"))
	after := testfile.New(t, "after.nettrace", shared.TruthFile(t, "heap-leak-dump2.v4.nettrace.zst"))
	both := filepath.Join(t.TempDir(), "both.nettrace")
	programtest.Run(t, nil, "merge", before, after, "-o", both).Exits(t, exit.Done)
	for _, c := range []struct {
		args    []string
		objects string
		message string
	}{
		{nil, "29,919 objects", "dumps of the collections 2, 3; this is the last one (--gc chooses)"},
		{[]string{"--gc", "2"}, "19,639 objects", ""},
	} {
		r := programtest.Run(t, nil, slices.Concat([]string{"heap", both, "--limit", "1"}, c.args)...)
		r.Exits(t, exit.Done)
		r.Complains(t, c.message)
		expect.Contains(t, "output", r.Out, c.objects)
	}
}

// TestConvertGCDump converts a .gcdump file to the same bytes, and a dump of a trace to a
// file in which the types have as many objects and bytes.
func TestConvertGCDump(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(shared.Dir(t), "heap", "gcdump-cases", "interop.gcdump"))
	expect.NoError(t, err)
	expect.Stop(t)
	r := programtest.Run(t, data, "convert", "-", "-o", "-", "--format", "gcdump")
	r.Exits(t, exit.Done)
	if !bytes.Equal([]byte(r.Out), data) {
		t.Error("the bytes of an unchanged file differ")
	}
	trace := testfile.Plain(t, "net10-mix-gcheap.v4")
	r = programtest.Run(t, trace, "convert", "-", "-o", "-", "--format", "gcdump")
	r.Exits(t, exit.Done)
	type dump struct {
		Dump struct{ Objects, Bytes, Process int64 }
	}
	var before, after dump
	for into, input := range map[*dump][]byte{&before: trace, &after: []byte(r.Out)} {
		r := programtest.Run(t, input, "heap", "-", "--json", "--limit", "1")
		r.Exits(t, exit.Done)
		expect.NoError(t, json.Unmarshal([]byte(r.Out), into))
	}
	if before != after || before.Dump.Objects == 0 {
		t.Errorf("trace %+v, .gcdump %+v", before, after)
	}
}
