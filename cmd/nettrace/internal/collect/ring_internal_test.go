//go:build unix

package collect

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/eventpipe/record"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestRingWrite: names that are malformed are a warning; a file that is removed while it is
// written is a failure, with such names too.
func TestRingWrite(t *testing.T) {
	const nameWarning, removedError = "the names of methods are incomplete: ", " was removed, renamed or replaced while it was written"
	malformed := []byte("these are no names")
	for _, c := range []struct {
		name    string
		names   []byte
		removed bool
		want    bool
		printed []string
	}{
		{"complete", nil, false, true, nil},
		{"malformed names", malformed, false, true, []string{nameWarning}},
		{"removed", nil, true, false, []string{removedError}},
		{"removed, malformed names", malformed, true, false, []string{nameWarning, removedError}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ring := record.NewRing(record.RingOptions{})
			_, err := record.New(record.Options{}).Run(t.Context(), bytes.NewReader(testfile.Plain(t, "net10-empty.v4")), ring)
			expect.NoError(t, err)
			snapshot, err := ring.Snapshot()
			expect.NoError(t, err)
			path := filepath.Join(t.TempDir(), "r.nettrace")
			if c.removed {
				snapshot.Append(func(func(record.Addition) bool) { expect.NoError(t, os.Remove(path)) })
			}
			var stderr bytes.Buffer
			p := &run.Program{Stderr: &stderr}
			r := &recording{collecting: &collecting{p: p, o: &options{}}, a: &attach.Process{}}
			expect.Equal(t, "all is written", r.write(snapshot, path, c.names), c.want)
			expect.Contains(t, "stderr", stderr.String(), c.printed...)
		})
	}
}
