//go:build linux

package main

import (
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestLiveEvents lists the events of a real process in the forms of a file.
func TestLiveEvents(t *testing.T) {
	pid := runCorners(t, nil, "loop", "12", "exc", "gc").pid()
	const thrown = "Microsoft-Windows-DotNETRuntime:0x8000:error"
	text := nettrace(t, nil, "events", "-p", pid, "--fields", "--provider", thrown, "--id=80", "--limit=5")
	text.exits(t, exitDone)
	expect.Equal(t, "stderr", text.stderr, "")
	expect.Equal(t, "lines of ExceptionThrown", strings.Count(text.out, "Microsoft-Windows-DotNETRuntime/ExceptionThrown(80)"), 5)
	expect.Contains(t, "stdout", text.out, `ExceptionType="`)
	lines := nettrace(t, nil, "events", "-p", pid, "--format=ndjson", "--duration=1s", "--provider", thrown, "--profile=gc-collect")
	lines.exits(t, exitDone)
	expect.Equal(t, "stderr", lines.stderr, "")
	if !strings.HasPrefix(lines.out, `{"type":"trace","format":"4"`) {
		t.Errorf("stdout: got %q, want the prefix %q", lines.out, `{"type":"trace","format":"4"`)
	}
	if !strings.HasSuffix(lines.out, `"lost":"0","truncated":false}`+"\n") {
		t.Errorf("stdout: got %q, want the suffix %q", lines.out, `"lost":"0","truncated":false}`+"\n")
	}
	expect.Contains(t, "stdout", lines.out, `"name":"ExceptionThrown"`, `"name":"ProcessInfo"`)
}
