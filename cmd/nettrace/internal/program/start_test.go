//go:build check || nightly

package program_test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestStart bounds what packages do when the program starts, whatever its command: the bytes
// that they allocate are the same in each run, their times are not. Of this project's
// packages none may compile a regular expression or make a table.
func TestStart(t *testing.T) {
	const own, limit, large = 6656, 850_000, 19 // bytes of a package, of all, and packages above 8 KiB
	cmd := exec.Command(programtest.Build(t), "--version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1,gctrace=1")
	var trace strings.Builder
	cmd.Stderr = &trace
	expect.NoError(t, cmd.Run())
	sum, above, packages := 0, 0, 0
	for line := range strings.Lines(trace.String()) {
		if strings.HasPrefix(line, "gc ") {
			t.Errorf("the garbage collector ran: %s", line)
		}
		before, allocated, ok := strings.Cut(line, " ms clock, ")
		name := strings.Fields(before)
		if !ok || name[0] != "init" {
			continue
		}
		text, _, _ := strings.Cut(allocated, " ")
		bytes, err := strconv.Atoi(text)
		expect.NoError(t, err)
		packages++
		sum += bytes
		if bytes > 8<<10 {
			above++
		}
		if strings.HasPrefix(name[1], "github.com/nettrace-go/") {
			expect.AtMost(t, "bytes of "+name[1], bytes, own)
		}
	}
	expect.AtLeast(t, "packages", packages, 100)
	expect.AtMost(t, "bytes of all packages", sum, limit)
	expect.AtMost(t, "packages with more than 8 KiB", above, large)
}
