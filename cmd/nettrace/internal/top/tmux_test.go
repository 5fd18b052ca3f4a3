//go:build linux

package top_test

import (
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// shown runs top in a terminal, for a process that sent a trace.
func shown(t *testing.T, width, height int, env ...string) (*proctest.Tmux, *eventpipetest.Runtime) {
	t.Helper()
	r := eventpipetest.Start(t, eventpipetest.Config{
		Trace: eventpipetest.Trace{Data: testfile.Plain(t, "net10-mix-cpu.v4")}, Info: eventpipe.ProcessInfo{EntryAssembly: "shop"},
	})
	cmd := programtest.Process(t, "top", "--port", r.Address()+",connect", "--ring", "1h", "--refresh-interval", "100ms")
	cmd.Env = append(cmd.Env, append([]string{"LANG=C.UTF-8", "LC_ALL="}, env...)...)
	m := proctest.StartTmux(t, cmd, width, height)
	m.WaitFor("(shop), the last 1h0m0s", "self", "Mix.Fib(int)", "? help  q quit")
	return m, r
}

// TestTerminal presses every key in terminals of two sizes.
func TestTerminal(t *testing.T) {
	tier.NeedsCheck(t) // it takes seconds
	for _, size := range [][2]int{{80, 24}, {200, 50}} {
		t.Run(strconv.Itoa(size[0])+"x"+strconv.Itoa(size[1]), func(t *testing.T) {
			m, r := shown(t, size[0], size[1])
			for _, c := range []struct {
				keys string
				want []string
			}{
				{">", []string{"--sort total"}},
				{"<", []string{"--sort self"}},
				{"y", []string{"--type cpu", "cpu~,"}},
				{"Y", []string{"--by method", "wall,"}},
				{"s", []string{"--sort self all states\n"}},
				{"S", []string{"--sort self\n"}},
				{"t 1 Enter", []string{"--thread 1\n", "no rows"}},
				{"=", []string{"--sort self\n", "Mix.Fib(int)"}},
				{"f F i b Enter", []string{"--focus Fib", "rows 1-"}},
				{"=", []string{"--sort self\n", "Mix.Matrix(int)"}},
				{"b", []string{"--by type", "Mix\n"}},
				{"B", []string{"--by method", "Mix.Fib(int)"}},
				{"H", []string{"--by thread", "rows 1-"}},
				{"H", []string{"--by method", "Mix.Fib(int)"}},
				{"v", []string{"--tree", "- "}},
				{"v", []string{"--bottom-up"}},
				{"v", []string{"--sort self\n", "Mix.Fib(int)"}},
				{"m", []string{"--just-my-code"}},
				{"m", []string{"--sort self\n"}},
				{"?", []string{"Keys of nettrace top", "closes the help"}},
				{"Escape", []string{"Mix.Fib(int)", "rows 1-"}},
				{"F1", []string{"Keys of nettrace top"}},
				{"h", []string{"Mix.Fib(int)", "rows 1-"}},
				{"/ F I B Enter", []string{"rows that match /FIB\n", "Mix.Fib(int)"}},
				{"F4 C-u Enter", []string{"Mix.Matrix(int)"}},
				{"Down j", []string{"rows 3-"}},
				{"Up k", []string{"rows 1-"}},
				{"NPage", nil},
				{"PPage", []string{"rows 1-"}},
				{"End", []string{"of "}},
				{"Home", []string{"rows 1-"}},
				{"G", nil},
				{"g", []string{"rows 1-"}},
				{"Right", []string{"Mix.Fib(int)"}},
				{"Left", []string{"nettrace top:"}},
				{"C-l", []string{"Mix.Fib(int)"}},
				{"x", []string{"x has no meaning here"}},
				{"Space", []string{"PAUSED"}},
				{"p", []string{"rows 1-"}},
			} {
				m.Press(strings.Fields(c.keys)...)
				for _, want := range c.want {
					m.WaitFor(want)
				}
			}
			m.Resize(100, 30)
			m.WaitFor("Mix.Fib(int)", "rows 1-")
			m.Resize(20, 5)
			m.WaitFor("rows 1-")
			m.Resize(120, 40)
			m.WaitFor("Mix.Fib(int)", "rows 1-")
			r.Kill()
			left := m.WaitForEnd(0)
			expect.Contains(t, "last screen", left, "nettrace top:", "Mix.Fib(int)", "the process was killed")
		})
	}
}

// TestTerminalEnds: each way to end restores the terminal and leaves the last screen.
func TestTerminalEnds(t *testing.T) {
	tier.NeedsCheck(t) // it takes seconds
	send := func(s syscall.Signal) func(t *testing.T, m *proctest.Tmux) {
		return func(t *testing.T, m *proctest.Tmux) { expect.NoError(t, syscall.Kill(m.PID(), s)) }
	}
	press := func(keys ...string) func(t *testing.T, m *proctest.Tmux) {
		return func(_ *testing.T, m *proctest.Tmux) { m.Press(keys...) }
	}
	for _, c := range []struct {
		name string
		end  func(t *testing.T, m *proctest.Tmux)
	}{
		{"q", press("q")},
		{"F10", press("F10")},
		{"Ctrl-C", press("C-c")},
		{"Ctrl-C in the prompt", press("/", "C-c")},
		{"SIGTERM", send(syscall.SIGTERM)},
		{"SIGINT", send(syscall.SIGINT)},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, _ := shown(t, 80, 24)
			c.end(t, m)
			expect.Contains(t, "last screen", m.WaitForEnd(0), "nettrace top:", "Mix.Fib(int)")
		})
	}
}

// TestTerminalPaused: a paused page stays when the process ends.
func TestTerminalPaused(t *testing.T) {
	tier.NeedsCheck(t) // it takes seconds
	m, r := shown(t, 80, 24)
	m.Press("Space")
	m.WaitFor("PAUSED")
	r.Kill()
	m.WaitFor("without an end mark", "q quits", "Mix.Fib(int)")
	m.Press(">")
	m.WaitFor("--sort total")
	m.Press("q")
	expect.Contains(t, "last screen", m.WaitForEnd(0), "--sort total")
}

// TestTerminalColors: NO_COLOR and --color.
func TestTerminalColors(t *testing.T) {
	tier.NeedsCheck(t) // it takes seconds
	for _, c := range []struct {
		env    string
		colors bool
	}{{"A=1", true}, {"NO_COLOR=1", false}} {
		t.Run(c.env, func(t *testing.T) {
			m, _ := shown(t, 80, 24, c.env)
			expect.Equal(t, "escape sequences of colours", strings.Contains(m.Painted(), "\x1b[36m"), c.colors)
		})
	}
}

// TestTerminalCharset: a terminal without UTF-8 has other characters.
func TestTerminalCharset(t *testing.T) {
	tier.NeedsCheck(t) // it takes seconds
	m, _ := shown(t, 100, 24, "LC_ALL=C")
	screen := m.WaitFor("~")
	expect.Lacks(t, "screen", screen, "…")
}

// TestTerminalDumb: a dumb terminal shows one report.
func TestTerminalDumb(t *testing.T) {
	tier.NeedsCheck(t) // it takes seconds
	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: testfile.Plain(t, "net10-mix-cpu.v4")}})
	cmd := programtest.Process(t, "top", "--port", r.Address()+",connect", "--duration", "1s", "--limit", "5")
	cmd.Env = append(cmd.Env, "TERM=dumb")
	m := proctest.StartTmux(t, cmd, 80, 24)
	expect.Contains(t, "output", m.WaitForEnd(0), "the terminal is dumb (TERM=dumb): one report after 1s", "Mix.Fib(int)", "rows more")
}

// TestLiveTerminal: top of a real process.
func TestLiveTerminal(t *testing.T) {
	tier.NeedsCheck(t) // it takes seconds
	app := proctest.RunCorners(t, nil, "loop", "600", "mix")
	cmd := programtest.Process(t, "top", "-p", app.PID())
	cmd.Env = append(cmd.Env, "LANG=C.UTF-8", "LC_ALL=")
	m := proctest.StartTmux(t, cmd, 80, 24)
	m.WaitFor("(Corners), the last 10s", "Program.Main(string", "rows 1-")
	m.Press("y", "y") // another session
	m.WaitFor("--type alloc", "alloc-size,", "Program.Main(string")
	m.Press("H")
	m.WaitFor("--by thread", "rows 1-")
	expect.NoError(t, app.Process.Kill())
	expect.Contains(t, "last screen", m.WaitForEnd(0), "--type alloc", "without an end mark")
}

// TestLiveGrowth: the memory of top does not grow with the time that it runs.
func TestLiveGrowth(t *testing.T) {
	length := proctest.GrowthTime(t)
	app := proctest.RunCorners(t, nil, "loop", "3600", "mix")
	m := proctest.StartTmux(t, programtest.LongProcess(t, "top", "-p", app.PID()), 80, 24)
	m.WaitFor("(Corners), the last 10s", "Program.Main(string", "rows 1-")
	m.CheckGrowth(length)
	m.Press("q")
	m.WaitForEnd(0)
}
