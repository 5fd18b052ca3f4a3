//go:build linux

package main

import (
	"strings"
	"testing"
)

// TestLiveEvents lists the events of a real process in the forms of a file.
func TestLiveEvents(t *testing.T) {
	pid := runCorners(t, nil, "loop", "12", "exc", "gc").pid()
	const thrown = "Microsoft-Windows-DotNETRuntime:0x8000:error"
	text := nettrace(t, nil, "events", "-p", pid, "--fields", "--provider", thrown, "--id=80", "--limit=5")
	if text.code != exitDone || text.stderr != "" || strings.Count(text.out, "Microsoft-Windows-DotNETRuntime/ExceptionThrown(80)") != 5 || !strings.Contains(text.out, `ExceptionType="`) {
		t.Errorf("exit %d, %s\n%s", text.code, text.stderr, text.out)
	}
	lines := nettrace(t, nil, "events", "-p", pid, "--format=ndjson", "--duration=1s", "--provider", thrown, "--profile=gc-collect")
	if lines.code != exitDone || lines.stderr != "" || !strings.HasPrefix(lines.out, `{"type":"trace","format":"4"`) || !strings.HasSuffix(lines.out, `"lost":"0","truncated":false}`+"\n") {
		t.Errorf("exit %d, %s\n%s", lines.code, lines.stderr, lines.out[:min(2000, len(lines.out))])
	}
	for _, word := range []string{`"name":"ExceptionThrown"`, `"name":"ProcessInfo"`} {
		if !strings.Contains(lines.out, word) {
			t.Errorf("no %s", word)
		}
	}
}
