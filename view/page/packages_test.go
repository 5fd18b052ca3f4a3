package page_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestPackages: the files in the folder npm are those of the versions in package.json.
func TestPackages(t *testing.T) {
	var wanted struct{ DevDependencies map[string]string }
	decode(t, "package.json", &wanted)
	folders, err := filepath.Glob("npm/*/package.json")
	expect.NoError(t, err)
	expect.Len(t, "packages in the folder npm", folders, 1)
	for _, file := range folders {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			var got struct{ Name, Version string }
			decode(t, file, &got)
			expect.Equal(t, "version", got.Version, wanted.DevDependencies[got.Name])
		})
	}
}

// decode reads a file of JSON.
func decode(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	expect.NoError(t, err)
	expect.NoError(t, json.Unmarshal(data, into))
}
