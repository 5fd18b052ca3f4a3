package heap_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// gcdumpCase reads a hand-made .gcdump file.
func gcdumpCase(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(shared.Dir(t), "heap", "gcdump-cases", name+".gcdump"))
	expect.NoError(t, err)
	expect.Stop(t)
	return data
}

// TestGCDump prints a .gcdump file: nodes without an address are no objects, and what the
// file does not have is left out.
func TestGCDump(t *testing.T) {
	r := programtest.Run(t, gcdumpCase(t, "basic"), "heap", "-", "--json", "--limit", "0", "--raw-names")
	r.Exits(t, exit.Done)
	r.Complains(t, "")
	var got struct {
		Dump  map[string]any
		Types []struct {
			Type                   string
			Objects, ShallowBytes  int64
			RetainedBytes, Missing int64
		}
	}
	expect.NoError(t, json.Unmarshal([]byte(r.Out), &got))
	for key, want := range map[string]any{"objects": 4.0, "bytes": 212.0, "references": 4.0, "roots": 2.0, "sampled": false, "countMultiplier": 1.0} {
		if got.Dump[key] != want {
			t.Errorf("%s: %v, want %v", key, got.Dump[key], want)
		}
	}
	for _, key := range []string{"collection", "begin", "durationNs", "complete", "process", "dependentHandles"} {
		if _, known := got.Dump[key]; known {
			t.Errorf("the file does not have %s, but the output does", key)
		}
	}
	if len(got.Types) != 2 || got.Types[0].Type != "System.Byte[]" && got.Types[1].Type != "System.Byte[]" {
		t.Errorf("types %+v", got.Types)
	}
}

// TestGCDumpRefused reads files that cannot be read whole.
func TestGCDumpRefused(t *testing.T) {
	for _, name := range []string{"cut-node-data", "version8", "min-reader-11", "old-v3"} {
		r := programtest.Run(t, gcdumpCase(t, name), "heap", "-")
		r.Exits(t, exit.Broken)
		if r.Out != "" {
			t.Errorf("%s: %s", name, r.Out)
		}
	}
}
