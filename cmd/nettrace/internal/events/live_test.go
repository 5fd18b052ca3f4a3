//go:build linux

package events_test

import (
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestLiveEvents lists the events of a real process in the forms of a file.
func TestLiveEvents(t *testing.T) {
	pid := proctest.RunCorners(t, nil, "loop", "12", "exc", "gc").PID()
	const thrown = "Microsoft-Windows-DotNETRuntime:0x8000:error"
	text := programtest.Run(t, nil, "events", "-p", pid, "--fields", "--provider", thrown, "--event=80", "--limit=5")
	text.Exits(t, exit.Done)
	expect.Equal(t, "stderr", text.Stderr, "")
	expect.Equal(t, "lines of ExceptionThrown", strings.Count(text.Out, "Microsoft-Windows-DotNETRuntime/ExceptionThrown(80)"), 5)
	expect.Contains(t, "stdout", text.Out, `ExceptionType="`)
	lines := programtest.Run(t, nil, "events", "-p", pid, "--format=ndjson", "--duration=1s", "--provider", thrown, "--profile=gc-collect")
	lines.Exits(t, exit.Done)
	expect.Equal(t, "stderr", lines.Stderr, "")
	if !strings.HasPrefix(lines.Out, `{"type":"trace","format":"4"`) {
		t.Errorf("stdout: got %q, want the prefix %q", lines.Out, `{"type":"trace","format":"4"`)
	}
	if !strings.HasSuffix(lines.Out, `"lost":"0","truncated":false}`+"\n") {
		t.Errorf("stdout: got %q, want the suffix %q", lines.Out, `"lost":"0","truncated":false}`+"\n")
	}
	expect.Contains(t, "stdout", lines.Out, `"name":"ExceptionThrown"`, `"name":"ProcessInfo"`)
}
