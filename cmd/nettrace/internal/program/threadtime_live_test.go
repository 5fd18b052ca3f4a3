//go:build linux

package program_test

import (
	"os"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tier"
	"github.com/nettrace-go/nettrace/perf"
)

// TestThreadTimeByPerf: threadtime of a running process has the times in which its threads had no
// processor, which only records of switches show.
func TestThreadTimeByPerf(t *testing.T) {
	tier.NeedsCheck(t)
	r, err := perf.Start(perf.Options{PID: os.Getpid()})
	if err != nil {
		t.Skip(err)
	}
	r.Close()
	process := proctest.RunTruth(t, nil, "wait-truth", "6", "1", "60")
	got := programtest.Run(t, nil, "threadtime", "--json", "-p", process.PID(), "--duration", "2s")
	got.Exits(t, exit.Done)
	expect.Contains(t, "states", got.Out, `"runnableNs":`)
	expect.Contains(t, "causes", got.Out, `"cause":"off the processor"`)
}
