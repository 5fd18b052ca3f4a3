package program_test

import (
	"archive/zip"
	"bytes"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestZip: the only trace in a zip archive is read as the trace itself; what else an archive has is
// said.
func TestZip(t *testing.T) {
	trace := testfile.Plain(t, "net10-empty.v4")
	want := programtest.Run(t, nil, "events", testfile.New(t, "a.nettrace", trace))
	want.Exits(t, exit.Done)
	for _, c := range []struct {
		name, path, stderr string
		code               int
		files              files
	}{
		{"zipped", "a.nettrace.zip", "", exit.Done, files{{"a.nettrace", trace}}},
		{"session of Visual Studio", "s.diagsession", "", exit.Done, files{{"[Content_Types].xml", []byte("<Types/>")}, {"metadata.xml", nil}, {"70ef/CF12", trace}}},
		{"compressed in it", "a.trace.zip", "", exit.Done, files{{"readme.txt", nil}, {"x/A.NetTrace", testfile.Gzip(t, trace)}}},
		{"several", "a.zip", "several traces (a.nettrace, b.nettrace): unpack it", exit.Broken, files{{"a.nettrace", trace}, {"b.nettrace", trace}}},
		{"none", "s.diagsession", "a zip archive without a NetTrace stream in it: it has metadata.xml, 70ef/sc.user_aux.m.etl", exit.Broken,
			files{{"metadata.xml", []byte("<Package/>")}, {"70ef/sc.user_aux.m.etl", nil}}},
		{"not a trace", "a.zip", "not a NetTrace stream", exit.Broken, files{{"a.nettrace", []byte("#!/bin/sh\n")}}},
	} {
		got := programtest.Run(t, nil, "events", testfile.New(t, c.path, c.files.zip(t)))
		if got.Code != c.code || c.code == exit.Done && got.Out != want.Out {
			t.Errorf("%s: exit code %d, %d bytes of output; want %d, those of the trace: %s", c.name, got.Code, len(got.Out), c.code, got.Stderr)
		}
		expect.Contains(t, c.name, got.Stderr, c.stderr)
	}

	programtest.Run(t, nil, "summarize", "-o", filepath.Join(t.TempDir(), "a.nts"), testfile.New(t, "a.diagsession", files{{"a.nettrace", trace}}.zip(t))).Exits(t, exit.Done)

	damaged := files{{"a.nettrace", trace}}.zip(t)
	damaged[len(damaged)/2] ^= 0xFF
	programtest.Run(t, nil, "events", testfile.New(t, "a.zip", damaged)).Exits(t, exit.Broken)
}

type files []struct {
	name string
	data []byte
}

func (list files) zip(t *testing.T) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range list {
		part, err := w.Create(f.name)
		expect.NoError(t, err)
		_, err = part.Write(f.data)
		expect.NoError(t, err)
	}
	expect.NoError(t, w.Close())
	return b.Bytes()
}
