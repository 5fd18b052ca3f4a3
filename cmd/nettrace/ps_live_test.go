//go:build linux

package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// TestPs lists a real process.
func TestPs(t *testing.T) {
	app := runCorners(t, []string{"TMPDIR=" + t.TempDir()}, "loop", "60", "wait")
	var line struct {
		PID                                               int
		Name, Version, Architecture, User, Port, RID, Err string
		CommandLine                                       string
	}
	for end := time.Now().Add(patience); line.Name != "Corners"; {
		r := nettrace(t, nil, "ps", "--json")
		if r.code != exitDone {
			t.Fatalf("exit %d: %s", r.code, r.stderr)
		}
		for text := range strings.Lines(r.out) {
			if strings.HasPrefix(text, `{"pid":`+app.pid()+",") {
				if err := json.Unmarshal([]byte(text), &line); err != nil {
					t.Fatal(err)
				}
			}
		}
		if time.Now().After(end) {
			t.Fatalf("not listed: %s", r.out)
		}
	}
	if !strings.HasPrefix(line.Version, "10.0.") || line.Architecture != "x64" || line.RID != "linux-x64" ||
		!strings.HasSuffix(line.CommandLine, "loop 60 wait") || line.User == "" || line.Port == "" {
		t.Errorf("%+v", line)
	}
}
