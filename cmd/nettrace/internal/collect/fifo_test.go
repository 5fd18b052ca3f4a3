//go:build unix

package collect_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestLastLine: the last line says what ended the recording.
func TestLastLine(t *testing.T) {
	data := testfile.Plain(t, "net10-empty.v4")
	for _, c := range []struct {
		trace eventpipetest.Trace
		flags []string
		want  string
	}{
		{eventpipetest.Trace{Data: data}, []string{"--duration", "50ms"}, "--duration is over"},
		{eventpipetest.Trace{Data: append(slices.Clone(data), 0), TruncateAfter: len(data)}, nil, "the process has ended"},
		{eventpipetest.Trace{Data: data, TruncateAfter: len(data) - 1}, nil, "the stream of the process ended early"},
	} {
		r := eventpipetest.Start(t, eventpipetest.Config{Trace: c.trace})
		args := append([]string{"collect", "--port", r.Address() + ",connect", "--providers", "A", "-o", filepath.Join(t.TempDir(), "l.nettrace")}, c.flags...)
		got := programtest.Run(t, nil, args...)
		if !strings.HasSuffix(got.Stderr, "nettrace: the recording ended: "+c.want+"\n") {
			t.Errorf("standard error %q, want %q in its last line", got.Stderr, c.want)
		}
	}
}

// TestCollectFIFO: while collect waits for the reader of a FIFO, a signal ends it.
func TestCollectFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	expect.NoError(t, syscall.Mkfifo(path, 0o600))
	r := eventpipetest.Start(t, eventpipetest.Config{})
	cmd := programtest.Process(t, "collect", "--port", r.Address()+",connect", "-o", path, "--force", "--providers", "A")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	expect.NoError(t, cmd.Start())
	proctest.WaitFor(t, func() bool { return len(requestsOf(r, eventpipe.GetProcessInfo3)) > 0 })
	_ = cmd.Process.Signal(os.Interrupt)
	_ = cmd.Wait()
	expect.Equal(t, "exit code", cmd.ProcessState.ExitCode(), exit.Interrupted)
	expect.Contains(t, "stderr", stderr.String(), "interrupted before the recording began")
	expect.Len(t, "sessions", r.Sessions(), 0)
}

// TestRingIntoFIFO: a ring writes a file at each signal, which a FIFO cannot hold.
func TestRingIntoFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	expect.NoError(t, syscall.Mkfifo(path, 0o600))
	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: testfile.Plain(t, "net10-empty.v4")}})
	got := programtest.Run(t, nil, "collect", "--port", r.Address()+",connect", "--ring", "1m", "--duration", "50ms", "-o", path)
	got.Exits(t, exit.Usage)
	expect.Contains(t, "stderr", got.Stderr, "is a FIFO: --ring writes complete files")
	expect.Len(t, "sessions", r.Sessions(), 0)
}

// TestLateSources: .NET 11 turns event sources on after it has answered. Only a program that waited
// for the session has all events of its start.
func TestLateSources(t *testing.T) {
	data := testfile.Plain(t, "net10-empty.v4")
	running := eventpipe.ProcessInfo{EntryAssembly: "app"}
	for _, c := range []struct {
		name, provider string
		runtime        eventpipetest.Config
		late           bool
	}{
		{"running, 11", "A", eventpipetest.Config{Release: 11, Info: running}, true},
		{"running, 10", "A", eventpipetest.Config{Release: 10, Info: running}, false},
		{"of the runtime itself", "Microsoft-Windows-DotNETRuntime", eventpipetest.Config{Release: 11, Info: running}, false},
		{"suspended", "A", eventpipetest.Config{Release: 11, Suspended: true}, false},
	} {
		c.runtime.Trace.Data = data
		r := eventpipetest.Start(t, c.runtime)
		got := programtest.Run(t, nil, "collect", "--port", r.Address()+",connect", "--providers", c.provider, "--duration", "50ms", "-o", filepath.Join(t.TempDir(), "l.nettrace"))
		if got.Code != exit.Done || strings.Contains(got.Stderr, "can be missing, and is not counted as lost") != c.late {
			t.Errorf("%s: exit code %d, note wanted: %t: %s", c.name, got.Code, c.late, got.Stderr)
		}
	}
}
