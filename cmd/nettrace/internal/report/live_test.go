//go:build linux

package report_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// TestLive reports on a real process that collects garbage.
func TestLive(t *testing.T) {
	tier.NeedsCheck(t) // on a busy machine the process may make no collection in 2 s
	pid := proctest.RunCorners(t, nil, "loop", "30", "gc").PID()
	r := programtest.Run(t, nil, "report", "-p", pid, "--duration", "2s")
	r.Exits(t, exit.Done)
	expect.Contains(t, "stdout", r.Out, "gc, process "+pid, "collections, paused")
	r = programtest.Run(t, nil, "report", "gc", "-p", pid, "--duration", "2s", "--json")
	r.Exits(t, exit.Done)
	expect.Contains(t, "stdout", r.Out, `"part":"gc","processId":`+pid, `"pauseNs":`)
	r = programtest.Run(t, nil, "report", "counters", "-p", pid, "--duration", "3s")
	r.Exits(t, exit.Done)
	expect.Contains(t, "stdout", r.Out, "counters, process "+pid, "System.Runtime (EventCounters, every 1 s)", "Time paused by GC")
}

// TestLiveMisuse: files and a process exclude each other.
func TestLiveMisuse(t *testing.T) {
	for _, args := range [][]string{
		{"report"}, {"report", "gc"}, {"report", "x.nettrace", "-p", "1"}, {"report", "x.nettrace", "--duration", "1s"}, {"report", "-p", "1", "--duration", "soon"},
	} {
		t.Run(args[len(args)-1], func(t *testing.T) { programtest.Run(t, nil, args...).Exits(t, exit.Usage) })
	}
}
