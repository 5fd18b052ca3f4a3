package program_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestSliceBeforeTickZero: a bound before the first tick selects no event: slice refuses to
// write a file, or writes one without events.
func TestSliceBeforeTickZero(t *testing.T) {
	path := testfile.New(t, "plain", testfile.Plain(t, "net10-mix-gc.v4"))
	for _, bounds := range [][]string{{"--to=-1000000h"}, {"--from=-2000000h", "--to=-1000000h"}} {
		out := filepath.Join(t.TempDir(), "part.nettrace")
		r := programtest.Run(t, nil, append([]string{"slice", path, "-o", out}, bounds...)...)
		expect.AtMost(t, "exit code", r.Code, exit.Broken)
		if _, err := os.Stat(out); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		expect.Equal(t, "events", programtest.Run(t, nil, "events", out).Out, "")
	}
}
