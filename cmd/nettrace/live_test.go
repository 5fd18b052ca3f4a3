package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// patience is how long a live test waits for what must come.
const patience = 20 * time.Second

// process starts the program as a process of its own.
func process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), "NETTRACE_TEST_MAIN=1")
	return cmd
}

// longProcess starts the program as process does, for work that takes longer.
func longProcess(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), "NETTRACE_TEST_MAIN=1")
	return cmd
}

// TestHead closes the output of a real process early.
func TestHead(t *testing.T) {
	cmd := process(t, "events", "--stacks", archive(t, "net10-mix-cpu.v4"))
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
	data := plain(t, "net10-mix-gc.v4")
	in, feed := io.Pipe()
	screen, out := io.Pipe()
	done := make(chan int, 1)
	var stderr bytes.Buffer
	go func() {
		done <- run([]string{"events", "-"}, in, out, &stderr)
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
	if code := <-done; code != exitDone || n != 4657 {
		t.Errorf("exit %d after %d lines, stderr %q", code, n, stderr.String())
	}
}

// grow writes the first half of a trace to a file, and returns what adds the
// rest.
func grow(t *testing.T, data []byte) (path string, rest func()) {
	t.Helper()
	path = file(t, "growing.nettrace", data[:len(data)/2])
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

// TestFollow waits for the rest of a growing file.
func TestFollow(t *testing.T) {
	path, rest := grow(t, plain(t, "net10-mix-gc.v4"))
	go func() {
		time.Sleep(300 * time.Millisecond) // longer than between two looks at the file
		rest()
	}()
	r := nettrace(t, nil, "events", "--follow", "--format=ndjson", path)
	if r.code != exitDone || !strings.HasSuffix(r.out, `{"type":"end","events":4657,"lost":"0","truncated":false}`+"\n") {
		t.Errorf("exit %d, stderr %q, last line %s", r.code, r.stderr, r.out[strings.LastIndex(r.out, "{"):])
	}
	for i, packed := range [][]byte{gzipped(t, []byte("x")), zstandard(t, []byte("x"))} {
		t.Run([]string{"gzip", "zstd"}[i], func(t *testing.T) {
			r := nettrace(t, nil, "events", "--follow", file(t, "packed", packed))
			if r.code != exitUsage || !strings.Contains(r.stderr, "a compressed file cannot be followed") {
				t.Errorf("a compressed file: exit %d, stderr %q", r.code, r.stderr)
			}
		})
	}
}

// TestInterrupt ends a process that follows as Ctrl-C does.
func TestInterrupt(t *testing.T) {
	path, _ := grow(t, plain(t, "net10-mix-gc.v4"))
	cmd := process(t, "events", "--follow", "--format=ndjson", path)
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
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Skipf("no interrupts here: %v", err)
	}
	text, _ := io.ReadAll(lines)
	if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
		t.Errorf("%v, stderr %q; want exit 0 and silence", err, stderr.String())
	}
	if !strings.HasSuffix(string(text), `"truncated":true}`+"\n") {
		t.Errorf("the last line is %s", text[bytes.LastIndexByte(text, '{'):])
	}
}

// TestFollowing is the waiting reader alone.
func TestFollowing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	w, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ctx, cancel := context.WithCancel(t.Context())
	r := &following{ctx, f, time.Millisecond}
	for _, text := range []string{"one", "two"} {
		t.Run(text, func(t *testing.T) {
			go func() {
				time.Sleep(5 * time.Millisecond)
				_, _ = w.WriteString(text)
			}()
			b := make([]byte, 3)
			if _, err := io.ReadFull(r, b); err != nil || string(b) != text {
				t.Errorf("%q, %v; want %s", b, err, text)
			}
		})
	}
	cancel()
	if n, err := r.Read(make([]byte, 3)); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %d, %v", n, err)
	}
}

// TestProgress drives a bar with a clock of its own.
func TestProgress(t *testing.T) {
	if g := newProgress(&bytes.Buffer{}, 100, true); g != nil {
		t.Error("a bar although nobody looks")
	}
	var nobody *progress
	nobody.stop()
	if src := strings.NewReader("x"); nobody.watch(src) != io.Reader(src) {
		t.Error("nothing to watch, and yet it does")
	}
	var screen bytes.Buffer
	g := &progress{to: &screen, size: 1 << 20, started: time.Now()}
	src := g.watch(strings.NewReader(strings.Repeat("x", 1000)))
	_, err := io.Copy(io.Discard, src)
	expect.NoError(t, err)
	expect.Equal(t, "g.read", g.read, 1000)
	expect.Equal(t, "g.bar", g.bar, nil)
	g.reach(1000+(1<<19), g.started.Add(progressAfter))
	if g.bar == nil {
		t.Fatal("no bar after a second")
	}
	time.Sleep(400 * time.Millisecond)
	g.stop()
	g.stop()
	if text := screen.String(); !strings.Contains(text, "513.0 KiB / 1.0 MiB") {
		t.Errorf("the bar shows %q", text)
	}
}
