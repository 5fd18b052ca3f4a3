package programtest

import (
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
)

// Golden compares what a command prints about a trace of each version with the golden files
// TRACE.NAME.txt of its package.
func Golden(t *testing.T, name string, args ...string) {
	t.Helper()
	for _, trace := range []string{"onecollect-small.v6", "net10-counters.v4", "net10-killed-cut.v4"} {
		r := Run(t, nil, append(args, testfile.Archive(t, trace))...)
		testfile.Golden(t, filepath.Join("testdata", trace+"."+name+".txt"), r.Out+r.Stderr)
	}
}
