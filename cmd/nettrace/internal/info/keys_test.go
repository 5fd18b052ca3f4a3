package info_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// named are the objects whose keys are names of the trace, not of info.
var named = []string{"properties", "blocks", "lostByThread", "defects"}

// TestInfoKeys: docs/info.md describes each key of info --json.
func TestInfoKeys(t *testing.T) {
	const root = "../../../.."
	page, err := os.ReadFile(filepath.Join(root, "docs", "info.md"))
	expect.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(root, "corpora", "*.nettrace.zst"))
	expect.NoError(t, err)
	expect.NotZero(t, "traces", len(files))
	r := programtest.Run(t, nil, append([]string{"info", "--json"}, files...)...)
	keys := map[string]bool{}
	for line := range strings.Lines(r.Out) {
		var object map[string]any
		expect.NoError(t, json.Unmarshal([]byte(line), &object))
		collectKeys(object, keys)
	}
	expect.AtLeast(t, "keys", len(keys), 30)
	for key := range keys {
		expect.Equal(t, "docs/info.md has a row for "+key, strings.Contains(string(page), "\n| `"+key+"` |"), true)
	}
}

// collectKeys adds the keys of a value and of those in it.
func collectKeys(value any, keys map[string]bool) {
	switch value := value.(type) {
	case map[string]any:
		for key, v := range value {
			keys[key] = true
			if !slices.Contains(named, key) {
				collectKeys(v, keys)
			}
		}
	case []any:
		for _, v := range value {
			collectKeys(v, keys)
		}
	}
}
