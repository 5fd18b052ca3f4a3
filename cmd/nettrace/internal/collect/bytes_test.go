//go:build unix

package collect_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
)

// TestCollectBytes compares the file with the log of a fake runtime: the file
// has every complete row of a stream that ends, is truncated at any place, or
// stops in the middle. If the collector is killed, the reader returns every
// complete row in the file.
func TestCollectBytes(t *testing.T) {
	data := testfile.Plain(t, "net10-mix-locks.v4")
	paced := eventpipetest.Trace{Data: data, Speed: 4}
	targetEnds := func(r *eventpipetest.Runtime, _ *os.Process) { r.Kill() }
	collectorEnds := func(_ *eventpipetest.Runtime, p *os.Process) { _ = p.Kill() }
	for _, c := range []struct {
		name  string
		trace eventpipetest.Trace
		args  string
		at    int64                                     // bytes in the file when end is called
		end   func(*eventpipetest.Runtime, *os.Process) // nil: nothing happens from outside
		code  int
		want  string // in what is said
	}{
		{"complete", eventpipetest.Trace{Data: data}, "--duration 300ms", 0, nil, exit.Done, ""},
		{"truncated in the header", eventpipetest.Trace{Data: data, TruncateAfter: 11}, "", 0, nil, exit.Broken, "was killed"},
		{"truncated in the first block", eventpipetest.Trace{Data: data, TruncateAfter: 70}, "", 0, nil, exit.Broken, "was killed"},
		{"truncated between two blocks", eventpipetest.Trace{Data: data, TruncateAfter: 103}, "", 0, nil, exit.Broken, "was killed"},
		{"truncated in metadata", eventpipetest.Trace{Data: data, TruncateAfter: 700}, "", 0, nil, exit.Broken, "was killed"},
		{"truncated in the middle", eventpipetest.Trace{Data: data, TruncateAfter: len(data) / 2}, "", 0, nil, exit.Broken, "was killed"},
		{"truncated near the end", eventpipetest.Trace{Data: data, TruncateAfter: len(data) - 2}, "", 0, nil, exit.Broken, "was killed"},
		{"stopped early", eventpipetest.Trace{Data: data, Speed: 1}, "--duration 500ms", 0, nil, exit.Done, ""},
		{"stopped by size", paced, "--max-size 50kB", 0, nil, exit.Done, ""},
		{"target killed at its start", paced, "", 1, targetEnds, exit.Broken, "was killed"},
		{"target killed", paced, "", 60_000, targetEnds, exit.Broken, "was killed"},
		{"collector killed at its start", paced, "", 1, collectorEnds, killed, ""},
		{"collector killed early", paced, "", 20_000, collectorEnds, killed, ""},
		{"collector killed", paced, "", 60_000, collectorEnds, killed, ""},
		{"collector killed with all at once", eventpipetest.Trace{Data: data}, "", 1, collectorEnds, killed, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := eventpipetest.Start(t, eventpipetest.Config{Trace: c.trace})
			path := filepath.Join(t.TempDir(), "p.nettrace")
			args := append([]string{"collect", "--port", r.Address() + ",connect", "-o", path, "--providers", "A"}, strings.Fields(c.args)...)
			cmd := programtest.LongProcess(t, args...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if c.end != nil {
				waitForSize(t, path, c.at)
				c.end(r, cmd.Process)
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(stderr.String(), c.want) {
				t.Fatalf("exit %d, stderr %q", code, stderr.String())
			}
			holdBytes(t, path, r.Sessions()[0].Sent(), c.code == killed)
		})
	}
}

// killed is the exit code of a process that a signal has ended.
const killed = -1

// holdBytes holds a file against the stream that it was made of. Without a
// collector that could end it, the file may lack what came last.
func holdBytes(t *testing.T, path string, sent []byte, alone bool) {
	t.Helper()
	file, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && len(sent) < 102 && !alone {
		return // not even a header, so that there is no file
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(file) == 0 && len(sent) < 102 {
		return // the collector was killed before it could remove the file
	}
	if alone {
		common := 0
		for common < min(len(file), len(sent)) && file[common] == sent[common] {
			common++
		}
		if common < len(file)-1 { // the end mark is not in what was sent
			t.Fatalf("the file has %d bytes, of which %d are the stream's", len(file), common)
		}
		sent = sent[:common]
	}
	want := rowsIn(t, sent, true)
	if rows := rowsIn(t, file, alone); rows != want {
		t.Errorf("%d rows in the file, %d were sent", rows, want)
	}
}

// rowsIn counts the event rows of a stream, which may be cut.
func rowsIn(t *testing.T, data []byte, mayBeCut bool) int64 {
	t.Helper()
	r := codec.NewBytesReader(data, codec.Options{})
	for range r.Events() {
	}
	if err := r.Err(); err != nil && !(mayBeCut && errors.Is(err, io.ErrUnexpectedEOF)) {
		t.Fatalf("%d bytes: %v", len(data), err)
	}
	return r.Count()
}

// waitForSize waits until a file has so many bytes.
func waitForSize(t *testing.T, path string, size int64) {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < proctest.Patience; time.Sleep(10 * time.Millisecond) {
		if info, err := os.Stat(path); err == nil && info.Size() >= size {
			return
		}
	}
	t.Fatalf("%s did not grow to %d bytes", path, size)
}
