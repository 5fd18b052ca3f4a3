package blocks_test

import (
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestBlocksFields prints the fields of each block, with nested ones indented.
func TestBlocksFields(t *testing.T) {
	got := programtest.Run(t, nil, "blocks", "--fields", testfile.Archive(t, "onecollect-small.v6"))
	expect.Equal(t, "exit", got.Code, exit.Done)
	expect.Contains(t, "stdout", got.Out,
		"\n            32              Hour                             0a00                                10\n",
		"\n            64  row 0     Key                                13486172647761726554687265616443... \"HardwareThreadCount\"\n",
		"\n           122            HeaderSize ", "\n           151  row 0         FieldSize ")
}

// TestBlocksOffset prints the fields that contain an offset and nothing else.
func TestBlocksOffset(t *testing.T) {
	got := programtest.Run(t, nil, "blocks", "--offset", "33", testfile.Archive(t, "onecollect-small.v6"))
	expect.Equal(t, "exit", got.Code, exit.Done)
	lines := strings.Split(strings.TrimSpace(got.Out), "\n")
	if len(lines) != 4 || !strings.Contains(lines[1], "  Trace ") || !strings.Contains(lines[2], " SyncTimeUTC ") || !strings.Contains(lines[3], " Hour ") {
		t.Errorf("%s", got.Out)
	}
}

// TestBlocksOffsetHeader says that an offset is in the header of a block.
func TestBlocksOffsetHeader(t *testing.T) {
	got := programtest.Run(t, nil, "blocks", "--offset", "119", testfile.Archive(t, "onecollect-small.v6"))
	expect.Equal(t, "exit", got.Code, exit.Done)
	expect.Contains(t, "stdout", got.Out, "  Metadata ", "           118  header of the block, 4 bytes\n")
}

// TestBlocksOffsetOutside ends with the code for a wrong command line.
func TestBlocksOffsetOutside(t *testing.T) {
	got := programtest.Run(t, nil, "blocks", "--offset", "99999999", testfile.Archive(t, "onecollect-small.v6"))
	expect.Equal(t, "exit", got.Code, exit.Usage)
	expect.Contains(t, "stderr", got.Stderr, "no block contains offset 99999999")
}
