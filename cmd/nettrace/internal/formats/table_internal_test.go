package formats

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestPage: the page "What opens what" has each format of the table, with the usual end of its
// names and the programs that read it.
func TestPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "formats.md"))
	expect.NoError(t, err)
	for _, f := range formats {
		end := "a folder"
		if len(f.suffixes) > 0 {
			end = "`" + f.suffixes[0]
		}
		found := false
		for line := range strings.Lines(string(page)) {
			found = found || strings.HasPrefix(line, "|") && strings.Contains(line, "`"+f.Name+"`") && strings.Contains(line, end)
		}
		if !found {
			t.Errorf("no row for %s, %s", f.Name, end)
		}
	}
}
