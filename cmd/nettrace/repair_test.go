package main

import (
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestRepair repairs files and shows what comes of it.
func TestRepair(t *testing.T) {
	small := plain(t, "onecollect-small.v6")
	for _, c := range []struct {
		name   string
		data   []byte
		code   int
		stderr string
		events string
	}{
		{"killed", plain(t, "net10-killed.v4"), exitDone, "end marks added: 1\n", "9679"},
		{"sound", plain(t, "net10-counters.v4"), exitDone, "nothing to repair\n", "361"},
		{"record-trace", small, exitDone, "days of the week corrected: 1\n", "25"},
		{"cut-gzip", gzipped(t, small)[:900], exitDone, "end marks added: 1\n", ""},
		{"empty", nil, exitBroken, "truncated stream", ""},
		{"foreign", []byte("#!/bin/sh"), exitBroken, "not a NetTrace stream", ""},
		{"version-7", header(7), exitVersion, "version 7", ""},
		{"v3", plain(t, "net10-netperf.v3"), exitVersion, "not written", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			out := filepath.Join(dir, "out.nettrace")
			r := nettrace(t, c.data, "repair", "-", "-o", out)
			r.exits(t, c.code)
			expect.Contains(t, "stderr", r.stderr, c.stderr)
			expect.Equal(t, "stdout", r.out, "")
			if c.code != exitDone {
				checkFolder(t, c.name, dir, "out.nettrace", false, nil)
				return
			}
			info := nettrace(t, nil, "info", "--json", out)
			info.exits(t, exitDone)
			if c.events != "" && eventsOf(info.out) != c.events {
				t.Errorf("events: got %s, want %s", eventsOf(info.out), c.events)
			}
		})
	}
}
