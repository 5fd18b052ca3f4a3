package program_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestCheckCommand: check prints the command that shows the fields at a finding,
// and the command shows the rule that is violated there.
func TestCheckCommand(t *testing.T) {
	name := testfile.Fault(t, "field-short")
	got := programtest.Run(t, nil, "check", name)
	_, rest, found := strings.Cut(got.Out, "to print what is there: nettrace blocks --offset ")
	number, file, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if _, err := strconv.Atoi(number); !found || err != nil || file != name {
		t.Fatalf("%s", got.Out)
	}
	shown := programtest.Run(t, nil, "blocks", "--offset", number, name)
	expect.Contains(t, "stdout", shown.Out, "  "+number+"  NT6-TYP-002: ")
}

// TestCheckCommandTruncated: the command works wherever a stream is truncated, or is not
// printed.
func TestCheckCommandTruncated(t *testing.T) {
	data := testfile.Plain(t, "net10-empty.v4")
	printed := 0
	for at := len(data) - 1; at > 0; at -= len(data)/40 + 1 {
		t.Run(strconv.Itoa(at)+" bytes", func(t *testing.T) {
			name := testfile.New(t, "truncated.nettrace", data[:at])
			_, command, found := strings.Cut(programtest.Run(t, nil, "check", name).Out, "to print what is there: nettrace ")
			if !found {
				return
			}
			printed++
			shown := programtest.Run(t, nil, strings.Fields(command)...)
			if shown.Out == "" || strings.Contains(shown.Stderr, "no block contains") {
				t.Errorf("nettrace %s prints %q and %q", command, shown.Out, shown.Stderr)
			}
		})
	}
	expect.AtLeast(t, "commands", printed, 10)
}
