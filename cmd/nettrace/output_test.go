package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestOutput: what is written, where, and what is left behind.
func TestOutput(t *testing.T) {
	small := plain(t, "onecollect-small.v6")
	cutFile := small[:len(small)-4]
	for _, c := range []struct {
		name   string
		input  []byte
		out    string
		exists bool
		flags  []string
		code   int
		stderr string
		kept   []byte // content of the output; nil: what was there before, or nothing
	}{
		{"new", small, "x.nettrace", false, nil, exitDone, "", small},
		{"exists", small, "x.nettrace", true, nil, exitUsage, "exists (--force replaces it)", nil},
		{"force", small, "x.nettrace", true, []string{"--force"}, exitDone, "", small},
		{"zstd", small, "x.nettrace.zst", false, nil, exitDone, "", small},
		{"gzip", small, "x.nettrace.gz", false, nil, exitDone, "", small},
		{"folder-missing", small, "no/x.nettrace", false, nil, exitUsage, "no such file", nil},
		{"cut", cutFile, "x.nettrace", false, nil, exitBroken, "truncated stream", small},
		{"foreign", []byte("#!/bin/sh"), "x.nettrace", false, nil, exitBroken, "not a NetTrace stream", nil},
		{"foreign-force", []byte("#!/bin/sh"), "x.nettrace", true, []string{"--force"}, exitBroken, "not a NetTrace stream", nil},
		{"version", header(7), "x.nettrace", false, nil, exitVersion, "version 7", nil},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, c.out)
		old := []byte("old")
		if c.exists {
			if err := os.WriteFile(path, old, 0o640); err != nil {
				t.Fatal(err)
			}
		}
		r := nettrace(t, c.input, append([]string{"convert", "-", "--preserve", "-o", path}, c.flags...)...)
		if r.code != c.code || !strings.Contains(r.stderr, c.stderr) || c.stderr == "" && r.stderr != "" || r.out != "" {
			t.Errorf("%s: exit %d, want %d; stderr %q, want %q in it", c.name, r.code, c.code, r.stderr, c.stderr)
		}
		checkFolder(t, c.name, dir, c.out, c.exists, c.kept)
	}
}

// checkFolder looks at what is in the folder of an output.
func checkFolder(t *testing.T, what, dir, out string, exists bool, kept []byte) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	if exists || kept != nil {
		want = 1
	}
	if len(files) != want {
		t.Errorf("%s: %d files are left, want %d", what, len(files), want)
		return
	}
	if want == 0 {
		return
	}
	path := filepath.Join(dir, out)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if kept == nil {
		if string(data) != "old" {
			t.Errorf("%s: the old file was changed", what)
		}
		return
	}
	if info, err := os.Stat(path); exists && (err != nil || info.Mode().Perm() != 0o640) {
		t.Errorf("%s: the rights changed", what)
	}
	if packed := filepath.Ext(out) != ".nettrace"; packed == bytes.Equal(data, kept) {
		t.Errorf("%s: compressed: %v, but the name is %s", what, !packed, out)
	}
	in, err := (&program{}).open(path, opening{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var got bytes.Buffer
	if _, err := got.ReadFrom(in); err != nil || !bytes.Equal(got.Bytes(), kept) {
		t.Errorf("%s: other bytes, %v", what, err)
	}
}

// TestOutputElsewhere writes to what is no regular file.
func TestOutputElsewhere(t *testing.T) {
	small := plain(t, "onecollect-small.v6")
	if r := nettrace(t, small, "convert", "-", "--preserve", "-o", "-"); r.code != exitDone || r.out != string(small) {
		t.Errorf("standard output: exit %d, %d bytes, stderr %q", r.code, len(r.out), r.stderr)
	}
	if r := nettrace(t, small, "convert", "-", "--preserve", "-o", os.DevNull); r.code != exitDone || r.stderr != "" {
		t.Errorf("%s: exit %d, stderr %q", os.DevNull, r.code, r.stderr)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s is a file now", os.DevNull)
	}
	if r := nettrace(t, small, "convert", "-", "--preserve", "-o", t.TempDir()); r.code != exitUsage || !strings.Contains(r.stderr, "is a directory") {
		t.Errorf("folder: exit %d, stderr %q", r.code, r.stderr)
	}
	if r := nettrace(t, small, "convert", "-", "--preserve"); r.code != exitUsage || !strings.Contains(r.stderr, `"output"`) {
		t.Errorf("no output: exit %d, stderr %q", r.code, r.stderr)
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		if r := nettrace(t, small, "convert", "-", "--preserve", "-o", "/dev/full"); r.code != exitBroken || !strings.Contains(r.stderr, "no space") {
			t.Errorf("/dev/full: exit %d, stderr %q", r.code, r.stderr)
		}
	}
}

// TestOutputOverInput replaces the file that is read, behind a link.
func TestOutputOverInput(t *testing.T) {
	small := plain(t, "onecollect-small.v6")
	path := file(t, "x.nettrace", small)
	link := filepath.Join(t.TempDir(), "link.nettrace")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	if r := nettrace(t, nil, "convert", path, "--preserve", "--force", "-o", link); r.code != exitDone || r.stderr != "" {
		t.Fatalf("exit %d, stderr %q", r.code, r.stderr)
	}
	if data, err := os.ReadFile(path); err != nil || !bytes.Equal(data, small) {
		t.Errorf("other bytes, %v", err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
}

// TestOutputInterrupted: Ctrl-C leaves no temporary file.
func TestOutputInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no interrupt to send")
	}
	data := plain(t, "net10-counters.v4")
	dir := t.TempDir()
	cmd := process(t, "convert", "-", "-o", filepath.Join(dir, "x.nettrace"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = in.Write(data[:len(data)/2])
	}
	if err != nil {
		t.Fatal(err)
	}
	for files := 0; files == 0; time.Sleep(time.Millisecond) {
		list, _ := os.ReadDir(dir)
		files = len(list)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	// The rest comes little by little, so that the interrupt is heard before the
	// end also on a machine that has much else to do.
	rest := data[len(data)/2:]
	for step := len(rest)/500 + 1; len(rest) > 0; rest = rest[min(step, len(rest)):] {
		if _, err := in.Write(rest[:min(step, len(rest))]); err != nil {
			break // it has ended
		}
		time.Sleep(10 * time.Millisecond)
	}
	in.Close()
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != exitBroken || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("%v, stderr %q", err, stderr.String())
	}
	checkFolder(t, "interrupted", dir, "x.nettrace", false, nil)
}
