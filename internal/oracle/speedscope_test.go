package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestSpeedscope: dotnet-trace makes the same profiles of a trace and of edited
// copies.
func TestSpeedscope(t *testing.T) {
	needTE(t)
	for _, name := range shared.First([]string{"azmcp-net10-startup.v4", "net10-mix-cpu.v4"}, 1) {
		t.Run(name, func(t *testing.T) {
			source := shared.Trace(t, name)
			want := speedscope(t, source)
			for _, form := range []string{"v6", "v6 uncompressed", "v6 compact", "v5 compact"} {
				var out bytes.Buffer
				if err := forms[form](&out, source); err != nil {
					t.Fatal(err)
				}
				got := speedscope(t, out.Bytes())
				if !bytes.Equal(got.Shared, want.Shared) || !bytes.Equal(got.Profiles, want.Profiles) {
					t.Errorf("%s as %s: other frames or profiles", name, form)
				}
			}
		})
	}
}

// profiles has the contents of a speedscope file except names.
type profiles struct{ Shared, Profiles json.RawMessage }

// speedscope has dotnet-trace convert a trace.
func speedscope(t *testing.T, trace []byte) profiles {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "trace.nettrace")
	if err := os.WriteFile(path, trace, 0o600); err != nil {
		t.Fatal(err)
	}
	te := shared.OtherReader(t)
	cmd := exec.Command(te, "trace", "convert", "--format", "Speedscope", "-o", filepath.Join(dir, "trace"), path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "trace.speedscope.json"))
	if err != nil {
		t.Fatal(err)
	}
	var p profiles
	if err := json.Unmarshal(text, &p); err != nil || len(p.Profiles) < 1000 {
		t.Fatalf("%v, %d bytes of profiles", err, len(p.Profiles))
	}
	return p
}
