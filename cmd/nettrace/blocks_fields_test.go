package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestBlocksFields prints the fields of each block, with nested ones indented.
func TestBlocksFields(t *testing.T) {
	got := nettrace(t, nil, "blocks", "--fields", archive(t, "onecollect-small.v6"))
	expect.Equal(t, "exit", got.code, exitDone)
	expect.Contains(t, "stdout", got.out,
		"\n            32              Hour                             0a00                                10\n",
		"\n            64  row 0     Key                                13486172647761726554687265616443... \"HardwareThreadCount\"\n",
		"\n           122            HeaderSize ", "\n           151  row 0         FieldSize ")
}

// TestBlocksOffset prints the fields that contain an offset and nothing else.
func TestBlocksOffset(t *testing.T) {
	got := nettrace(t, nil, "blocks", "--offset", "33", archive(t, "onecollect-small.v6"))
	expect.Equal(t, "exit", got.code, exitDone)
	lines := strings.Split(strings.TrimSpace(got.out), "\n")
	if len(lines) != 4 || !strings.Contains(lines[1], "  Trace ") || !strings.Contains(lines[2], " SyncTimeUTC ") || !strings.Contains(lines[3], " Hour ") {
		t.Errorf("%s", got.out)
	}
}

// TestBlocksOffsetHeader says that an offset is in the header of a block.
func TestBlocksOffsetHeader(t *testing.T) {
	got := nettrace(t, nil, "blocks", "--offset", "119", archive(t, "onecollect-small.v6"))
	expect.Equal(t, "exit", got.code, exitDone)
	expect.Contains(t, "stdout", got.out, "  Metadata ", "           118  header of the block, 4 bytes\n")
}

// TestBlocksOffsetOutside ends with the code for a wrong command line.
func TestBlocksOffsetOutside(t *testing.T) {
	got := nettrace(t, nil, "blocks", "--offset", "99999999", archive(t, "onecollect-small.v6"))
	expect.Equal(t, "exit", got.code, exitUsage)
	expect.Contains(t, "stderr", got.stderr, "no block contains offset 99999999")
}

// TestCheckCommand: check prints the command that shows the fields at a finding,
// and the command shows the rule that is broken there.
func TestCheckCommand(t *testing.T) {
	name := faultFile(t, "field-short")
	got := nettrace(t, nil, "check", name)
	_, rest, found := strings.Cut(got.out, "to see the fields there: nettrace blocks --offset ")
	number, file, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if _, err := strconv.Atoi(number); !found || err != nil || file != name {
		t.Fatalf("%s", got.out)
	}
	shown := nettrace(t, nil, "blocks", "--offset", number, name)
	expect.Contains(t, "stdout", shown.out, "  "+number+"  NT6-TYP-002: ")
}
