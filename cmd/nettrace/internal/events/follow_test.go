package events_test

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestHead closes the output of a real process early.
func TestHead(t *testing.T) {
	cmd := programtest.Process(t, "events", "--stacks", testfile.Archive(t, "net10-mix-cpu.v4"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 100)); err != nil {
		t.Error(err)
	}
	out.Close()
	if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
		t.Errorf("%v, stderr %q; want exit 0 and silence", err, stderr.String())
	}
}

// TestPrompt: events that have arrived are printed while the input is silent.
func TestPrompt(t *testing.T) {
	data := testfile.Plain(t, "net10-mix-gc.v4")
	in, feed := io.Pipe()
	screen, out := io.Pipe()
	done := make(chan int, 1)
	var stderr bytes.Buffer
	go func() {
		done <- programtest.RunContext(t.Context(), []string{"events", "-"}, in, out, &stderr)
		out.Close()
	}()
	go func() { _, _ = feed.Write(data[:200_000]) }()
	lines := bufio.NewScanner(screen)
	for range 100 {
		if !lines.Scan() {
			t.Fatal("no more lines although 200,000 bytes were sent")
		}
	}
	go func() {
		_, _ = feed.Write(data[200_000:])
		feed.Close()
	}()
	n := 100
	for lines.Scan() {
		n++
	}
	if code := <-done; code != exit.Done || n != 4657 {
		t.Errorf("exit %d after %d lines, stderr %q", code, n, stderr.String())
	}
}

// grow writes the first half of a trace to a file, and returns what adds the
// rest.
func grow(t *testing.T, data []byte) (path string, rest func()) {
	t.Helper()
	path = testfile.New(t, "growing.nettrace", data[:len(data)/2])
	return path, func() {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		if _, err := f.Write(data[len(data)/2:]); err != nil {
			t.Error(err)
		}
	}
}

// TestFollowPacked: a compressed file is refused.
func TestFollowPacked(t *testing.T) {
	for i, packed := range [][]byte{testfile.Gzip(t, []byte("x")), testfile.Zstd(t, []byte("x"))} {
		t.Run([]string{"gzip", "zstd"}[i], func(t *testing.T) {
			r := programtest.Run(t, nil, "events", "--follow", testfile.New(t, "packed", packed))
			if r.Code != exit.Usage || !strings.Contains(r.Stderr, "a compressed file cannot be followed") {
				t.Errorf("a compressed file: exit %d, stderr %q", r.Code, r.Stderr)
			}
		})
	}
}

// TestInterruptOfScript: SIGINT ends a process that a script started in the background, for
// which the shell ignores it.
func TestInterruptOfScript(t *testing.T) {
	path, _ := grow(t, testfile.Plain(t, "net10-mix-gc.v4"))
	cmd := programtest.ScriptProcess(t, "events", "--follow", "--format=ndjson", path)
	out, err := cmd.StdoutPipe()
	expect.NoError(t, err)
	if err := cmd.Start(); err != nil {
		t.Skipf("no shell here: %v", err)
	}
	lines := bufio.NewReader(out)
	if _, err := lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	expect.NoError(t, cmd.Process.Signal(os.Interrupt))
	_, _ = io.Copy(io.Discard, lines)
	expect.NoError(t, cmd.Wait())
}

// TestInterrupt ends a process that follows as Ctrl-C does. A file that has its end mark by
// then is complete.
func TestInterrupt(t *testing.T) {
	for _, c := range []struct {
		name     string
		complete bool
		want     string
	}{
		{"complete", true, `{"type":"end","events":4657,"lost":"0","truncated":false}` + "\n"},
		{"truncated", false, `"truncated":true}` + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, rest := grow(t, testfile.Plain(t, "net10-mix-gc.v4"))
			cmd := programtest.Process(t, "events", "--follow", "--format=ndjson", path)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewReader(out)
			if _, err := lines.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			if c.complete {
				rest()
			}
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Skipf("no interrupts here: %v", err)
			}
			text, _ := io.ReadAll(lines)
			if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
				t.Errorf("%v, stderr %q; want exit 0 and silence", err, stderr.String())
			}
			if !strings.HasSuffix(string(text), c.want) {
				t.Errorf("the last line is %s, want the end %s", text[bytes.LastIndexByte(text, '{'):], c.want)
			}
		})
	}
}
