package tables

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestMixed: the error for a file that cannot get its name lists the files of this run.
func TestMixed(t *testing.T) {
	for _, c := range []struct {
		name    string
		missing int // position of the temporary file that is missing
		says    []string
		not     string
	}{
		{"first", 0, nil, "of this run"},
		{"last", 2, []string{"of this run", "a.parquet, ", "b.parquet"}, "b.parquet, "},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			w := &writer{o: &Options{Dir: dir}}
			for i, name := range []string{"a", "b", "c"} {
				f := newFile{filepath.Join(dir, name+".tmp"), filepath.Join(dir, name+".parquet")}
				if i != c.missing {
					expect.NoError(t, os.WriteFile(f.temporary, nil, 0o666))
				}
				w.files = append(w.files, f)
			}
			got := fmt.Sprint(w.finish())
			expect.Contains(t, "error", got, c.says...)
			expect.Equal(t, "error has "+c.not, strings.Contains(got, c.not), false)
		})
	}
}
