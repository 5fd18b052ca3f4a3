//go:build linux

package counters_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// TestTerminal presses every key in terminals of two sizes.
func TestTerminal(t *testing.T) {
	tier.NeedsCheck(t) // it takes seconds
	for _, size := range [][2]int{{80, 24}, {200, 50}} {
		t.Run(strconv.Itoa(size[0])+"x"+strconv.Itoa(size[1]), func(t *testing.T) {
			r := eventpipetest.Start(t, eventpipetest.Config{
				Trace: eventpipetest.Trace{Data: testfile.Plain(t, "net10-counters.v4")}, Info: eventpipe.ProcessInfo{EntryAssembly: "shop"},
			})
			cmd := programtest.Process(t, "counters", "--port", r.Address()+",connect", "--any-session", "--counters", "Corners.Meter,Corners-Counters")
			cmd.Env = append(cmd.Env, "LANG=C.UTF-8", "LC_ALL=")
			m := proctest.StartTmux(t, cmd, size[0], size[1])
			m.WaitFor("nettrace counters: ", "(shop)", "sort source", "LAST VALUES", "▁", "rows 1-")
			for _, c := range []struct{ keys, want string }{
				{">", "sort name"},
				{">", "sort value"},
				{">", "sort a second"},
				{"<", "sort value"},
				{"/ L A T E N C Y Enter", "rows that match /LATENCY"},
				{"=", "sort value\n"},
				{"?", "Keys of nettrace counters"},
				{"q", "sort value"},
				{"G", "of "},
				{"g", "rows 1-"},
				{"NPage", "of "},
				{"PPage", "rows 1-"},
				{"Space", "PAUSED"},
				{"Z", "? help  q quit"},
				{"<", "sort name"},
				{"<", "corners.latency (s)"},
			} {
				m.Press(strings.Fields(c.keys)...)
				m.WaitFor(c.want)
			}
			m.Resize(60, 10)
			m.WaitFor("sort source", "rows 1-")
			m.Resize(150, 40)
			m.WaitFor("MIN", "MAX", "rows 1-")
			r.Kill()
			expect.Contains(t, "last screen", m.WaitForEnd(0), "nettrace counters: ", "corners.latency", "the process has ended")
		})
	}
}

// TestLiveTerminal: counters of a real process, up to its end.
func TestLiveTerminal(t *testing.T) {
	tier.NeedsCheck(t) // it takes seconds
	app := proctest.RunCorners(t, nil, "loop", "600", "wait")
	cmd := programtest.Process(t, "counters", "-p", app.PID(), "--counters", "System.Runtime")
	cmd.Env = append(cmd.Env, "LANG=C.UTF-8", "LC_ALL=")
	m := proctest.StartTmux(t, cmd, 80, 24)
	m.WaitFor("(Corners)", "System.Runtime (Meter, every 1 s)", "dotnet.gc.collections", "rows 1-")
	expect.NoError(t, app.Process.Kill())
	expect.Contains(t, "last screen", m.WaitForEnd(0), "dotnet.gc.collections", "the process has ended")
}

// TestReport: without a terminal, counters prints one table and says when.
func TestReport(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: testfile.Plain(t, "net10-counters.v4")}})
	got := programtest.Run(t, nil, "counters", "--port", r.Address()+",connect", "--any-session", "--counters", "Corners.Meter", "--duration", "1s")
	expect.Contains(t, "standard error", got.Stderr, "standard output is no terminal: one report after 1s")
	expect.Contains(t, "output", got.Out, "corners.latency", "VALUE")
}

// TestLiveGrowth: the memory of counters does not grow with the time that it runs.
func TestLiveGrowth(t *testing.T) {
	length := proctest.GrowthTime(t)
	app := proctest.RunCorners(t, nil, "loop", "3600", "mix")
	m := proctest.StartTmux(t, programtest.LongProcess(t, "counters", "-p", app.PID(), "--counters", "System.Runtime"), 80, 24)
	m.WaitFor("(Corners)", "System.Runtime (Meter, every 1 s)", "dotnet.gc.collections", "rows 1-")
	m.CheckGrowth(length)
	m.Press("q")
	m.WaitForEnd(0)
}
