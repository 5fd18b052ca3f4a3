package program_test

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

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestOutput checks the written files, and that no other file is left.
func TestOutput(t *testing.T) {
	small := testfile.Plain(t, "onecollect-small.v6")
	cutFile := small[:len(small)-4]
	for _, c := range []struct {
		name   string
		File   []byte
		out    string
		exists bool
		flags  []string
		code   int
		stderr string
		kept   []byte // content of the output; nil: what was there before, or nothing
	}{
		{"new", small, "x.nettrace", false, nil, exit.Done, "", small},
		{"exists", small, "x.nettrace", true, nil, exit.Usage, "exists (--force replaces it)", nil},
		{"force", small, "x.nettrace", true, []string{"--force"}, exit.Done, "", small},
		{"zstd", small, "x.nettrace.zst", false, nil, exit.Done, "", small},
		{"gzip", small, "x.nettrace.gz", false, nil, exit.Done, "", small},
		{"folder-missing", small, "no/x.nettrace", false, nil, exit.Usage, "no such file", nil},
		{"truncated", cutFile, "x.nettrace", false, nil, exit.Broken, "truncated stream", small},
		{"foreign", []byte("#!/bin/sh"), "x.nettrace", false, nil, exit.Broken, "not a NetTrace stream", nil},
		{"foreign-force", []byte("#!/bin/sh"), "x.nettrace", true, []string{"--force"}, exit.Broken, "not a NetTrace stream", nil},
		{"version", testfile.Header(7), "x.nettrace", false, nil, exit.Version, "version 7", nil},
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
			r := programtest.Run(t, c.File, append([]string{"convert", "-", "--preserve", "-o", path}, c.flags...)...)
			r.Exits(t, c.code)
			r.Complains(t, c.stderr)
			expect.Equal(t, "stdout", r.Out, "")
			programtest.CheckFolder(t, c.name, dir, c.out, c.exists, c.kept)
		})
	}
}

// TestOutputElsewhere writes to what is no regular file.
func TestOutputElsewhere(t *testing.T) {
	small := testfile.Plain(t, "onecollect-small.v6")
	if r := programtest.Run(t, small, "convert", "-", "--preserve", "-o", "-"); r.Code != exit.Done || r.Out != string(small) {
		t.Errorf("standard output: exit %d, %d bytes, stderr %q", r.Code, len(r.Out), r.Stderr)
	}
	if r := programtest.Run(t, small, "convert", "-", "--preserve", "-o", os.DevNull); r.Code != exit.Done || r.Stderr != "" {
		t.Errorf("%s: exit %d, stderr %q", os.DevNull, r.Code, r.Stderr)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s is a file now", os.DevNull)
	}
	if r := programtest.Run(t, small, "convert", "-", "--preserve", "-o", t.TempDir()); r.Code != exit.Usage || !strings.Contains(r.Stderr, "is a directory") {
		t.Errorf("folder: exit %d, stderr %q", r.Code, r.Stderr)
	}
	if r := programtest.Run(t, small, "convert", "-", "--preserve"); r.Code != exit.Usage || !strings.Contains(r.Stderr, "--output is missing") {
		t.Errorf("no output: exit %d, stderr %q", r.Code, r.Stderr)
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		if r := programtest.Run(t, small, "convert", "-", "--preserve", "-o", "/dev/full"); r.Code != exit.Broken || !strings.Contains(r.Stderr, "no space") {
			t.Errorf("/dev/full: exit %d, stderr %q", r.Code, r.Stderr)
		}
	}
}

// TestOutputOverInput replaces the file that is read, through a link.
func TestOutputOverInput(t *testing.T) {
	small := testfile.Plain(t, "onecollect-small.v6")
	path := testfile.New(t, "x.nettrace", small)
	link := filepath.Join(t.TempDir(), "link.nettrace")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	if r := programtest.Run(t, nil, "convert", path, "--preserve", "--force", "-o", link); r.Code != exit.Done || r.Stderr != "" {
		t.Fatalf("exit %d, stderr %q", r.Code, r.Stderr)
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
			r := programtest.Run(t, testfile.Plain(t, "onecollect-small.v6"), "convert", "-", "-o", c.out)
			if r.Code != exit.Usage {
				t.Errorf("exit %d, want %d", r.Code, exit.Usage)
			}
			if !strings.Contains(r.Stderr, c.want) {
				t.Errorf("stderr %q, want %q in it", r.Stderr, c.want)
			}
			if strings.Contains(r.Stderr, ".tmp") {
				t.Errorf("stderr %q names the temporary file", r.Stderr)
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
	cmd := programtest.Process(t, "convert", testfile.Archive(t, "net10-mix-gc.v4"), "-o", path)
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
		t.Errorf("files left: %v", list)
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
		{"convert", []string{"convert", "-o", "-"}, exit.Broken, "closed it before the end"},
		{"profile", []string{"convert", "-o", "-", "--format", "folded", "--type", "gc"}, exit.Broken, "closed it before the end"},
		{"slice", []string{"slice", "-o", "-", "--event", "1-300"}, exit.Broken, "closed it before the end"},
		{"events", []string{"events"}, exit.Done, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
			defer w.Close()
			cmd := programtest.Process(t, append(c.args, testfile.Archive(t, "net10-mix-gc.v4"))...)
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
		args   []string // OUT is replaced by the output
		signal syscall.Signal
		code   int
	}{
		{"convert", []string{"convert", "-", "-o", "OUT"}, syscall.SIGINT, 130},
		{"convert, SIGTERM", []string{"convert", "-", "-o", "OUT"}, syscall.SIGTERM, 143},
		{"convert, SIGHUP", []string{"convert", "-", "-o", "OUT"}, syscall.SIGHUP, 129},
		{"slice", []string{"slice", "-", "-o", "OUT", "--event", "1-9"}, syscall.SIGINT, 130},
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
			r := interrupted(t, testfile.Plain(t, "net10-mix-gc.v4"), c.signal, args...)
			if r.Code != c.code {
				t.Errorf("exit %d, want %d", r.Code, c.code)
			}
			if want := "nettrace: interrupted\n"; r.Stderr != want {
				t.Errorf("stderr %q, want %q", r.Stderr, want)
			}
			if list, _ := os.ReadDir(dir); len(list) > 0 {
				t.Errorf("files left: %v", list)
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
	cmd := programtest.Process(t, "collect", "--port", filepath.Join(t.TempDir(), "port")+",listen", "-o", filepath.Join(t.TempDir(), "x.nettrace"))
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
	if code := cmd.ProcessState.ExitCode(); code != exit.Interrupted {
		t.Errorf("exit %d, want %d", code, exit.Interrupted)
	}
	if got, want := string(rest), "nettrace: interrupted before the recording began\n"; got != want {
		t.Errorf("stderr %q, want %q", got, want)
	}
}

// interrupted gives a process half of its input and sends it a signal when it
// has read that.
func interrupted(t *testing.T, input []byte, signal syscall.Signal, args ...string) programtest.Result {
	t.Helper()
	cmd := programtest.Process(t, args...)
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
	return programtest.Result{Code: cmd.ProcessState.ExitCode(), Out: out.String(), Stderr: stderr.String()}
}
