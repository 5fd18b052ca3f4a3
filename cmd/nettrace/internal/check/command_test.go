package check_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestCheckCommand: check prints the command that shows the fields at a finding,
// and the command shows the rule that is violated there.
func TestCheckCommand(t *testing.T) {
	name := faultFile(t, "field-short")
	got := programtest.Run(t, nil, "check", name)
	_, rest, found := strings.Cut(got.Out, "to print the fields there: nettrace blocks --offset ")
	number, file, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if _, err := strconv.Atoi(number); !found || err != nil || file != name {
		t.Fatalf("%s", got.Out)
	}
	shown := programtest.Run(t, nil, "blocks", "--offset", number, name)
	expect.Contains(t, "stdout", shown.Out, "  "+number+"  NT6-TYP-002: ")
}
