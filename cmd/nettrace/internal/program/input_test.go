package program_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
)

// TestInputs opens files in all supported forms.
func TestInputs(t *testing.T) {
	small := testfile.Plain(t, "onecollect-small.v6")
	folder := t.TempDir()
	for _, c := range []struct {
		name   string
		stdin  []byte
		path   string
		code   int
		stderr string
	}{
		{"plain", nil, testfile.New(t, "a.bin", small), exit.Done, ""},
		{"gzip-by-magic", nil, testfile.New(t, "a.nettrace", testfile.Gzip(t, small)), exit.Done, ""},
		{"zstd-by-magic", nil, testfile.New(t, "a.gz", testfile.Zstd(t, small)), exit.Done, ""},
		{"gzip-on-stdin", testfile.Gzip(t, small), "-", exit.Done, ""},
		{"stdin", small, "-", exit.Done, ""},
		{"missing", nil, filepath.Join(folder, "no.nettrace"), exit.Usage, "no such file"},
		{"missing-but-packed", nil, strings.TrimSuffix(testfile.New(t, "b.nettrace.zst", small), ".zst"), exit.Usage, "b.nettrace.zst exists"},
		{"folder", nil, folder, exit.Usage, "is a directory"},
		{"zip", nil, testfile.New(t, "a.nettrace", []byte("PK\x03\x04rest")), exit.Broken, "a zip archive"},
		{"empty", nil, "-", exit.Broken, "standard input: truncated stream: NT-HDR-002 at offset 0 (the input is empty)"},
		{"short", small[:10], "-", exit.Broken, "truncated stream: NT-HDR-002 at offset 10 (in the stream's header)"},
		{"foreign", []byte("#!/bin/sh\n"), "-", exit.Broken, "not a NetTrace stream"},
		{"gzip-of-foreign", testfile.Gzip(t, []byte("#!/bin/sh\n")), "-", exit.Broken, "not a NetTrace stream"},
		{"gzip-broken-head", []byte("\x1f\x8b\x07\x00"), "-", exit.Broken, "damaged gzip data"},
		{"gzip-cut", testfile.Gzip(t, small)[:500], "-", exit.Broken, "truncated stream"},
		{"zstd-broken", append([]byte("\x28\xb5\x2f\xfd"), small[:200]...), "-", exit.Broken, "damaged zstd data"},
		{"version-7", testfile.Header(7), "-", exit.Version, "version 7 is not supported (supported: 3 to 6)"},
		{"cut-before-the-end", small[:len(small)-4], "-", exit.Broken, "(between two blocks)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, verb := range []string{"info", "events", "blocks"} {
				t.Run(verb, func(t *testing.T) {
					r := programtest.Run(t, c.stdin, verb, c.path)
					r.Exits(t, c.code)
					r.Complains(t, c.stderr)
					if c.code == exit.Done && r.Out == "" {
						t.Error("no output")
					}
				})
			}
		})
	}
}
