package corpora

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const module = "github.com/nettrace-go/nettrace"

// Root returns the root folder of the repository: the folder of the go.mod that
// declares our root module, at or above the working directory. It passes over
// the modules nested in the repository. The error is fs.ErrNotExist if there is
// none.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for !declaresModule(filepath.Join(dir, "go.mod")) {
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("corpora: no go.mod of %s at or above the working directory: %w", module, fs.ErrNotExist)
		}
		dir = parent
	}
	return dir, nil
}

func declaresModule(gomod string) bool {
	text, err := os.ReadFile(gomod)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		if strings.TrimSpace(line) == "module "+module {
			return true
		}
	}
	return false
}
