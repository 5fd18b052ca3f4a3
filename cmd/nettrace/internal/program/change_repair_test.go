package program_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestRepair repairs files and shows what comes of it.
func TestRepair(t *testing.T) {
	small := testfile.Plain(t, "onecollect-small.v6")
	const metadataBlock = 118
	undefined := bytes.Clone(small)
	undefined[metadataBlock+3] = 99 // a block of unknown kind
	for _, c := range []struct {
		name   string
		data   []byte
		code   int
		stderr string
		events string
	}{
		{"killed", testfile.Plain(t, "net10-killed.v4"), exit.Done, "end marks added: 1\n", "9679"},
		{"sound", testfile.Plain(t, "net10-counters.v4"), exit.Done, "nothing to repair: out.nettrace has the same events\n", "361"},
		{"record-trace", small, exit.Done, "days of the week corrected: 1\n", "25"},
		{"remaining", undefined, exit.Done, "faults that remain, which nettrace check shows: 25\n", "25"},
		{"cut-gzip", testfile.Gzip(t, small)[:900], exit.Done, "end marks added: 1\n", ""},
		{"empty", nil, exit.Broken, "truncated stream", ""},
		{"foreign", []byte("#!/bin/sh"), exit.Broken, "not a NetTrace stream", ""},
		{"version-7", testfile.Header(7), exit.Version, "version 7", ""},
		{"v3", testfile.Plain(t, "net10-netperf.v3"), exit.Version, "supported formats are 4, 5 and 6.0; \"nettrace convert\" writes one of them\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			out := filepath.Join(dir, "out.nettrace")
			r := programtest.Run(t, c.data, "repair", "-", "-o", out)
			r.Exits(t, c.code)
			expect.Contains(t, "stderr", strings.ReplaceAll(r.Stderr, dir+string(filepath.Separator), ""), c.stderr)
			expect.Equal(t, "stdout", r.Out, "")
			if c.code != exit.Done {
				programtest.CheckFolder(t, c.name, dir, "out.nettrace", false, nil)
				return
			}
			info := programtest.Run(t, nil, "info", "--json", out)
			info.Exits(t, exit.Done)
			if c.events != "" && eventsOf(info.Out) != c.events {
				t.Errorf("events: got %s, want %s", eventsOf(info.Out), c.events)
			}
		})
	}
}

// TestRepairDamaged: of a file whose compressed data is damaged, repair keeps the rows that
// convert keeps, and exits with 1. Without any it writes no file.
func TestRepairDamaged(t *testing.T) {
	packed := testfile.Zstd(t, testfile.Plain(t, "net10-mix-gc.v4"))
	for _, c := range []struct {
		name string
		at   int // of the byte that is damaged
		kept bool
	}{{"in the middle", len(packed) / 2, true}, {"in the first block", 20, false}} {
		t.Run(c.name, func(t *testing.T) {
			data := bytes.Clone(packed)
			data[c.at] ^= 0x55
			src, dir := testfile.New(t, "x.nettrace.zst", data), t.TempDir()
			repaired, converted := filepath.Join(dir, "repaired.nettrace"), filepath.Join(t.TempDir(), "converted.nettrace")
			r := programtest.Run(t, nil, "repair", src, "-o", repaired)
			r.Exits(t, exit.Broken)
			expect.Contains(t, "stderr", r.Stderr, "nettrace: "+src+": damaged zstd data: ")
			if !c.kept {
				programtest.CheckFolder(t, c.name, dir, "repaired.nettrace", false, nil)
				return
			}
			expect.Contains(t, "stderr", r.Stderr, "end marks added: 1\n")
			programtest.Run(t, nil, "convert", "--preserve", src, "-o", converted).Exits(t, exit.Broken)
			got, want := programtest.Run(t, nil, "events", repaired), programtest.Run(t, nil, "events", converted)
			got.Exits(t, exit.Done)
			expect.AtLeast(t, "events", strings.Count(want.Out, "\n"), 1)
			expect.Equal(t, "events are those of convert", strings.Count(got.Out, "\n"), strings.Count(want.Out, "\n"))
			expect.Equal(t, "lines are those of convert", got.Out == want.Out, true)
		})
	}
}
