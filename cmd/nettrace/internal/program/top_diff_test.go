package program_test

import (
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/profiletrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestTopDiff compares the two halves of the small trace.
func TestTopDiff(t *testing.T) {
	path := testfile.New(t, "a.nettrace", profiletrace.Trace())
	all := programtest.Run(t, nil, "top", path, "--diff", path)
	if all.Code != exit.Done || strings.Contains(all.Out, "+") {
		t.Errorf("a trace differs from itself: exit %d, %s%s", all.Code, all.Out, all.Stderr)
	}
	other := programtest.Run(t, nil, "top", path, "--diff", testfile.Archive(t, "net10-mix-cpu.v4"), "--type", "cpu", "--json")
	other.Exits(t, exit.Done)
	expect.Contains(t, "stdout", other.Out, `"before":{"file":`, `"selfChange":-`)
}
