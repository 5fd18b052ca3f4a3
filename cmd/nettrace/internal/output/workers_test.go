package output_test

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestGoroutines: a large input makes a file with two goroutines, if there are two processors.
func TestGoroutines(t *testing.T) {
	for _, c := range []struct {
		name    string
		size    int64
		workers int
		want    int
	}{
		{"large", 65 << 20, output.BySize, min(2, runtime.GOMAXPROCS(0))},
		{"small", 64 << 20, output.BySize, 1},
		{"large, one", 65 << 20, 1, 1},
		{"small, five", 10, 5, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "a.nettrace")
			expect.NoError(t, os.WriteFile(name, nil, 0o600))
			expect.NoError(t, os.Truncate(name, c.size))
			in, err := input.Open(&run.Program{Stderr: io.Discard}, name, input.Options{Silent: true})
			expect.NoError(t, err)
			expect.Stop(t)
			defer in.Close()
			expect.Equal(t, "goroutines", output.Goroutines(&output.Target{Workers: c.workers}, in), c.want)
		})
	}
}
