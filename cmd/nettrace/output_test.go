package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
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
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, c.out)
			old := []byte("old")
			if c.exists {
				if err := os.WriteFile(path, old, 0o640); err != nil {
					t.Fatal(err)
				}
			}
			r := nettrace(t, c.input, append([]string{"convert", "-", "--preserve", "-o", path}, c.flags...)...)
			r.exits(t, c.code)
			r.complains(t, c.stderr)
			expect.Equal(t, "stdout", r.out, "")
			checkFolder(t, c.name, dir, c.out, c.exists, c.kept)
		})
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
	if exists {
		info, err := os.Stat(path)
		expect.NoError(t, err)
		expect.Equal(t, "permissions", info.Mode().Perm(), 0o640)
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

// TestOutputNames: messages name the file that the user asked for, not the
// temporary one.
func TestOutputNames(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ name, out, want string }{
		{"folder that does not exist", filepath.Join(dir, "none", "x.nettrace"), "write " + filepath.Join(dir, "none", "x.nettrace") + ": no such file"},
		{"name that is too long", filepath.Join(dir, strings.Repeat("x", 250)+".nettrace"), ".nettrace: file name too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := nettrace(t, plain(t, "onecollect-small.v6"), "convert", "-", "-o", c.out)
			if r.code != exitUsage {
				t.Errorf("exit %d, want %d", r.code, exitUsage)
			}
			if !strings.Contains(r.stderr, c.want) {
				t.Errorf("stderr %q, want %q in it", r.stderr, c.want)
			}
			if strings.Contains(r.stderr, ".tmp") {
				t.Errorf("stderr %q names the temporary file", r.stderr)
			}
		})
	}
}

// TestOutputFull: a full disk is reported under the name of the output.
func TestOutputFull(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no limit of file sizes to set on Windows")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "x.nettrace")
	cmd := process(t, "convert", archive(t, "net10-mix-gc.v4"), "-o", path)
	limited := exec.Command("sh", append([]string{"-c", `ulimit -f 64; exec "$@"`, "sh"}, cmd.Args...)...)
	limited.Env = cmd.Env
	text, err := limited.CombinedOutput()
	if err == nil || !strings.Contains(string(text), path+": file too large") {
		t.Errorf("%v, output %q, want a failure that names %s", err, text, path)
	}
	if strings.Contains(string(text), ".tmp") {
		t.Errorf("%q names the temporary file", text)
	}
	if list, _ := os.ReadDir(dir); len(list) > 0 {
		t.Errorf("left behind: %v", list)
	}
}

// TestOutputReaderLeft: a trace or profile whose reader leaves is incomplete; a
// listing whose reader leaves is not.
func TestOutputReaderLeft(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"convert", []string{"convert", "-o", "-"}, exitBroken, "closed it before the end"},
		{"profile", []string{"convert", "-o", "-", "--to", "folded", "--type", "gc"}, exitBroken, "closed it before the end"},
		{"slice", []string{"slice", "-o", "-", "--id", "1-300"}, exitBroken, "closed it before the end"},
		{"events", []string{"events"}, exitDone, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
			defer w.Close()
			cmd := process(t, append(c.args, archive(t, "net10-mix-gc.v4"))...)
			var stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = w, &stderr
			_ = cmd.Run()
			if code := cmd.ProcessState.ExitCode(); code != c.code {
				t.Errorf("exit %d, want %d", code, c.code)
			}
			if !strings.Contains(stderr.String(), c.want) {
				t.Errorf("stderr %q, want %q in it", stderr.String(), c.want)
			}
		})
	}
}

// TestInterrupted sends a signal to commands that wait for input: each exits with
// the code of the signal and one message, and leaves no file.
func TestInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no interrupt to send on Windows")
	}
	for _, c := range []struct {
		name   string
		args   []string // OUT stands for the output
		signal syscall.Signal
		code   int
	}{
		{"convert", []string{"convert", "-", "-o", "OUT"}, syscall.SIGINT, 130},
		{"convert, SIGTERM", []string{"convert", "-", "-o", "OUT"}, syscall.SIGTERM, 143},
		{"convert, SIGHUP", []string{"convert", "-", "-o", "OUT"}, syscall.SIGHUP, 129},
		{"slice", []string{"slice", "-", "-o", "OUT", "--id", "1-9"}, syscall.SIGINT, 130},
		{"merge", []string{"merge", "-", "-o", "OUT"}, syscall.SIGINT, 130},
		{"info", []string{"info", "-"}, syscall.SIGINT, 130},
		{"events", []string{"events", "-"}, syscall.SIGINT, 130},
		{"check", []string{"check", "-"}, syscall.SIGINT, 130},
		{"top", []string{"top", "-"}, syscall.SIGINT, 130},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			args := slices.Clone(c.args)
			if i := slices.Index(args, "OUT"); i >= 0 {
				args[i] = filepath.Join(dir, "x.nettrace")
			}
			r := interrupted(t, plain(t, "net10-mix-gc.v4"), c.signal, args...)
			if r.code != c.code {
				t.Errorf("exit %d, want %d", r.code, c.code)
			}
			if want := "nettrace: interrupted\n"; r.stderr != want {
				t.Errorf("stderr %q, want %q", r.stderr, want)
			}
			if list, _ := os.ReadDir(dir); len(list) > 0 {
				t.Errorf("left behind: %v", list)
			}
		})
	}
}

// TestInterruptedBefore interrupts collect before there is a process to record,
// which is not its normal end.
func TestInterruptedBefore(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no interrupt to send on Windows")
	}
	cmd := process(t, "collect", "--port", filepath.Join(t.TempDir(), "port")+",listen", "-o", filepath.Join(t.TempDir(), "x.nettrace"))
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stderr)
	if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, "waiting for a process") {
		t.Fatalf("first line %q, %v", line, err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(lines)
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("exit %d, want %d", code, exitInterrupted)
	}
	if got, want := string(rest), "nettrace: interrupted before the recording began\n"; got != want {
		t.Errorf("stderr %q, want %q", got, want)
	}
}

// interrupted gives a process half of its input and sends it a signal when it
// has read that.
func interrupted(t *testing.T, input []byte, signal syscall.Signal, args ...string) result {
	t.Helper()
	cmd := process(t, args...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	// More than a pipe holds: when this returns, the process has begun to read.
	if _, err := in.Write(input[:len(input)/2]); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	return result{cmd.ProcessState.ExitCode(), out.String(), stderr.String()}
}
