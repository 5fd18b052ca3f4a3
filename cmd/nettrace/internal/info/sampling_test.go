package info_test

import (
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
)

// TestSamplingOfTrace: the middle of all 28,587 intervals is 1.133032 ms.
func TestSamplingOfTrace(t *testing.T) {
	r := programtest.Run(t, nil, "info", testfile.Archive(t, "net10-mix-cpu.v4"))
	if !strings.Contains(r.Out, "each thread every 1.13 ms (median), expected every 1.00 ms") {
		t.Error(r.Out)
	}
}
