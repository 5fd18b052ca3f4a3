//go:build linux

package ps_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestPs lists a real process.
func TestPs(t *testing.T) {
	app := proctest.RunCorners(t, []string{"TMPDIR=" + t.TempDir()}, "loop", "60", "wait")
	var line struct {
		PID                                               int
		Name, Version, Architecture, User, Port, RID, Err string
		CommandLine                                       string
	}
	for end := time.Now().Add(proctest.Patience); line.Name != "Corners"; {
		r := programtest.Run(t, nil, "ps", "--json")
		if r.Code != exit.Done {
			t.Fatalf("exit %d: %s", r.Code, r.Stderr)
		}
		for text := range strings.Lines(r.Out) {
			if strings.HasPrefix(text, `{"pid":`+app.PID()+",") {
				if err := json.Unmarshal([]byte(text), &line); err != nil {
					t.Fatal(err)
				}
			}
		}
		if time.Now().After(end) {
			t.Fatalf("not listed: %s", r.Out)
		}
	}
	if !strings.HasPrefix(line.Version, "10.0.") {
		t.Errorf("line.Version: got %q, want the prefix %q", line.Version, "10.0.")
	}
	expect.Equal(t, "line.Architecture", line.Architecture, "x64")
	expect.Equal(t, "line.RID", line.RID, "linux-x64")
	if !strings.HasSuffix(line.CommandLine, "loop 60 wait") {
		t.Errorf("line.CommandLine: got %q, want the suffix %q", line.CommandLine, "loop 60 wait")
	}
	expect.NotZero(t, "line.User", line.User)
	expect.NotZero(t, "line.Port", line.Port)
}
