//go:build unix

package collect_test

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

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
