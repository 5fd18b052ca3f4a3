package change_test

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
		{"v3", testfile.Plain(t, "net10-netperf.v3"), exit.Version, "cannot write", ""},
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
