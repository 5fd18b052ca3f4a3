package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// header is the stream header of v6 and later.
func header(major uint32) []byte {
	b := append([]byte("Nettrace"), make([]byte, 12)...)
	binary.LittleEndian.PutUint32(b[12:], major)
	return b
}

func gzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zstandard(t *testing.T, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll(data, []byte{0x50, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 'h', 'i'}) // behind a frame to be skipped
}

// TestInputs opens what people have.
func TestInputs(t *testing.T) {
	small := plain(t, "onecollect-small.v6")
	folder := t.TempDir()
	for _, c := range []struct {
		name   string
		stdin  []byte
		path   string
		code   int
		stderr string
	}{
		{"plain", nil, file(t, "a.bin", small), exitDone, ""},
		{"gzip-by-magic", nil, file(t, "a.nettrace", gzipped(t, small)), exitDone, ""},
		{"zstd-by-magic", nil, file(t, "a.gz", zstandard(t, small)), exitDone, ""},
		{"gzip-on-stdin", gzipped(t, small), "-", exitDone, ""},
		{"stdin", small, "-", exitDone, ""},
		{"missing", nil, filepath.Join(folder, "no.nettrace"), exitUsage, "no such file"},
		{"folder", nil, folder, exitUsage, "is a directory"},
		{"zip", nil, file(t, "a.nettrace", []byte("PK\x03\x04rest")), exitBroken, "a zip archive"},
		{"empty", nil, "-", exitBroken, "standard input: truncated stream: NT-HDR-002 at offset 0 (there are no bytes at all)"},
		{"short", small[:10], "-", exitBroken, "truncated stream: NT-HDR-002 at offset 10 (in the stream's header)"},
		{"foreign", []byte("#!/bin/sh\n"), "-", exitBroken, "not a NetTrace stream"},
		{"gzip-of-foreign", gzipped(t, []byte("#!/bin/sh\n")), "-", exitBroken, "not a NetTrace stream"},
		{"gzip-broken-head", []byte("\x1f\x8b\x07\x00"), "-", exitBroken, "damaged gzip data"},
		{"gzip-cut", gzipped(t, small)[:500], "-", exitBroken, "truncated stream"},
		{"zstd-broken", append([]byte("\x28\xb5\x2f\xfd"), small[:200]...), "-", exitBroken, "damaged zstd data"},
		{"version-7", header(7), "-", exitVersion, "version 7 is not supported (supported: 3 to 6)"},
		{"cut-before-the-end", small[:len(small)-4], "-", exitBroken, "(between two blocks)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, verb := range []string{"info", "events", "blocks"} {
				t.Run(verb, func(t *testing.T) {
					r := nettrace(t, c.stdin, verb, c.path)
					r.exits(t, c.code)
					r.complains(t, c.stderr)
					if c.code == exitDone && r.out == "" {
						t.Error("no output")
					}
				})
			}
		})
	}
}

// TestMistakes makes mistakes on the command line.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ args, stderr string }{
		{"bogus", `unknown command "bogus"`},
		{"evnts x", "Did you mean this?"},
		{"info", "info takes at least one file"},
		{"events", "events takes one file, or -p, not 0 files"},
		{"blocks a b", "blocks takes one file, not 2"},
		{"version x", "unknown command"},
		{"man", "man takes one folder, not 0"},
		{"events --bogus x", "unknown flag: --bogus"},
		{"events --limit=-1 x", `invalid argument "-1" for "--limit" flag` + "\n"},
		{"events --format=xml x", "--format"},
		{"events --rows x", "--rows needs --format ndjson"},
		{"events --level=high x", "--level"},
		{"events --keyword=0xg x", "--keyword"},
		{"events --id=1,b x", "--id"},
		{"events --id=5-3 x", `"5-3" is no range`},
		{"events --id=5- x", `"5-" is no range`},
		{"events --thread=-5 x", `"-5" is no range`},
		{"events --process=. x", "--process"},
		{"events --provider=[ x", "--provider"},
		{"events --name=a,[ x", "--name"},
	} {
		t.Run(c.args, func(t *testing.T) {
			r := nettrace(t, nil, strings.Fields(c.args)...)
			r.exits(t, exitUsage)
			expect.Equal(t, "stdout", r.out, "")
			expect.Contains(t, "stderr", r.stderr, c.stderr, "--help' for usage.")
		})
	}
}

// TestSeveralFiles: each file is told of, and the highest code counts.
func TestSeveralFiles(t *testing.T) {
	good, cut := archive(t, "onecollect-small.v6"), archive(t, "net10-killed-cut.v4")
	seven := file(t, "seven.nettrace", header(7))
	missing := filepath.Join(t.TempDir(), "missing")
	for _, c := range []struct {
		files []string
		code  int
	}{
		{[]string{good, good}, exitDone},
		{[]string{cut, good}, exitBroken},
		{[]string{missing, cut, good}, exitUsage},
		{[]string{seven, missing, good}, exitVersion},
	} {
		t.Run(caseName(c.files...), func(t *testing.T) {
			r := nettrace(t, nil, append([]string{"info", "--json"}, c.files...)...)
			if r.code != c.code {
				t.Errorf("exit %d, want %d", r.code, c.code)
			}
			if !strings.Contains(r.out, "onecollect-small") {
				t.Error("the whole file is missing")
			}
		})
	}
}

// TestTrouble: what a damaged stream prints, by grade.
func TestTrouble(t *testing.T) {
	small := plain(t, "onecollect-small.v6")
	const metadataBlock, threadBlock = 118, 1903
	unknown := bytes.Clone(small)
	unknown[metadataBlock+3] = 99 // the metadata becomes a block of unknown kind
	bad := bytes.Clone(small)
	bad[threadBlock+4] = 0xFF // the first thread row becomes too long
	for _, c := range []struct {
		name   string
		data   []byte
		flag   string
		code   int
		events int
		stderr []string
	}{
		{"defects", unknown, "--strict=false", exitDone, 25, []string{"warning: 25 defects, the first: NT-REF-001 at offset 2056 (Event block at 2032, row 0)"}},
		{"defects-strict", unknown, "--strict", exitBroken, 0, []string{"defect: NT-REF-001 at offset 2056 (Event block at 2032, row 0)"}},
		{"bad-block", bad, "--strict=false", exitBroken, 25, []string{"bad block: NT6-THR-001 at offset", "(Thread block at 1903, row 0)",
			"1 bad block skipped", "warning: 50 defects, the first: NT6-THR-009"}},
		{"trailing", append(bytes.Clone(small), "rest"...), "--strict", exitDone, 25, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := nettrace(t, c.data, "events", "--format=ndjson", c.flag, "-")
			info := nettrace(t, c.data, "info", c.flag, "-")
			for i, r := range []result{list, info} {
				t.Run([]string{"events", "info"}[i], func(t *testing.T) {
					if r.code != c.code || (c.stderr == nil) != (r.stderr == "") {
						t.Errorf("exit %d, want %d, stderr %q", r.code, c.code, r.stderr)
					}
					for _, want := range c.stderr {
						if !strings.Contains(r.stderr, want) {
							t.Errorf("%q is not in stderr: %s", want, r.stderr)
						}
					}
				})
			}
			if n := strings.Count(list.out, `{"type":"event",`); n != c.events {
				t.Errorf("%d events, want %d", n, c.events)
			}
		})
	}
}

// TestOthers: the verbs that read no trace.
func TestOthers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "man")
	for _, c := range []struct{ args, want string }{
		{"", "Available Commands:"},
		{"help events", "--provider"},
		{"events --help", "--follow"},
		{"version", "reads NetTrace 3 to 6\n"},
		{"--version", "reads NetTrace 3 to 6\n"},
		{"-v", "reads NetTrace 3 to 6\n"},
		{"--version --help", "Available Commands:"},
		{"--version=false", "Available Commands:"},
		{"completion bash", "__start_nettrace"},
		{"__complete events --format n", "ndjson"},
		{"man " + dir, ""},
	} {
		t.Run(c.args, func(t *testing.T) {
			r := nettrace(t, nil, strings.Fields(c.args)...)
			if r.code != exitDone || !strings.Contains(r.out, c.want) {
				t.Errorf("exit %d, stderr %q, stdout %.200q", r.code, r.stderr, r.out)
			}
		})
	}
	if page, err := os.ReadFile(filepath.Join(dir, "nettrace-events.1")); err != nil || !bytes.Contains(page, []byte("keyword")) {
		t.Errorf("the manual page of events: %v", err)
	}
}

// TestWriteFails: a closed pipe ends the program silently, another error does
// not.
func TestWriteFails(t *testing.T) {
	path := archive(t, "net10-mix-cpu.v4")
	for _, verb := range []string{"info", "events", "blocks", "version", "--version"} {
		t.Run(verb, func(t *testing.T) {
			args := []string{verb, path}
			if strings.HasSuffix(verb, "version") {
				args = args[:1]
			}
			var stderr bytes.Buffer
			reader, writer, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			reader.Close()
			if code := run(args, nil, writer, &stderr); code != exitDone || stderr.Len() > 0 {
				t.Errorf("to a closed pipe: exit %d, stderr %q", code, stderr.String())
			}
			writer.Close()
			if code := run(args, nil, writer, &stderr); code != exitBroken || stderr.Len() == 0 {
				t.Errorf("to a closed file: exit %d, stderr %q", code, stderr.String())
			}
		})
	}
}

// TestEventsSource: a file or a process, and what belongs to it.
func TestEventsSource(t *testing.T) {
	for _, args := range [][]string{
		{}, {"a", "b"}, {"a", "-p", "1"}, {"a", "--profile", "gc-collect"}, {"a", "--duration", "1s"}, {"-p", "1", "--follow"}, {"-p", "1", "--duration", "x"},
		{"-p", "1", "--provider", "A:keywords"}, {"-p", "1", "--profile", "none"}, {"-p", "999999999"},
	} {
		t.Run(caseName(args...), func(t *testing.T) {
			if r := nettrace(t, nil, append([]string{"events"}, args...)...); r.code != exitUsage || r.stderr == "" {
				t.Errorf("exit %d, %s", r.code, r.stderr)
			}
		})
	}
}
