package info_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestMissingFile gives info a file that does not exist before one that does: it reports
// the one and prints the other.
func TestMissingFile(t *testing.T) {
	r := programtest.Run(t, nil, "info", "missing.nettrace", testfile.Archive(t, "net10-types.v4"))
	r.Exits(t, exit.Usage)
	expect.Contains(t, "stderr", r.Stderr, "nettrace: open missing.nettrace: no such file or directory\n")
	expect.Contains(t, "stdout", r.Out, "net10-types.v4")
}
