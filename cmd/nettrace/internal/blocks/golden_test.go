package blocks_test

import (
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
)

func TestGolden(t *testing.T) {
	programtest.Golden(t, "blocks", "blocks")
	r := programtest.Run(t, nil, "blocks", "--rows", "--hex", testfile.Archive(t, "onecollect-small.v6"))
	testfile.Golden(t, filepath.Join("testdata", "onecollect-small.v6.blocks-rows-hex.txt"), r.Out+r.Stderr)
}
