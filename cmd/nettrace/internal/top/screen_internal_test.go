package top

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/profiletrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// played returns the page of a process that sent a trace.
func played(t *testing.T, flags ...string) *screen {
	t.Helper()
	p := &run.Program{Stdout: io.Discard, Stderr: io.Discard}
	cmd, o := command(p)
	expect.NoError(t, cmd.ParseFlags(append([]string{"-p", "7"}, flags...)))
	expect.NoError(t, o.live.check(cmd, nil))
	expect.NoError(t, o.check())
	expect.NoError(t, o.chooseRecorded())
	a := &attach.Process{Title: "process 7 (shop)"}
	s := newScreen(cmd, p, a, o)
	data := profiletrace.Trace()
	s.ask = func(q request) { s.take(resultOf(context.Background(), a, q.o, data)) }
	s.request()
	return s
}

// press presses keys and returns the text of the screen.
func press(s *screen, keys ...string) string {
	for _, key := range keys {
		s.page.Key(key)
		s.page.Lines(terminal.Screen{Width: 120}, 40)
	}
	return strings.Join(s.page.Lines(terminal.Screen{Width: 120}, 40), "\n")
}

// TestKeys: what each key shows of a trace with samples of many threads.
func TestKeys(t *testing.T) {
	for _, c := range []struct {
		name string
		keys string
		want []string
	}{
		{"begin", "", []string{"nettrace top: process 7 (shop), the last 10s in at most 32.0 MB", "\n--by method --sort self", "self", "total", "method", "App.Program.Work"}},
		{"sort", ">", []string{"--sort total"}},
		{"sort back", "> <", []string{"--sort self"}},
		{"type", "y", []string{"--type cpu ", " cpu~, "}},
		{"type back", "y Y", []string{"\n--by method", " wall, "}},
		{"another type", "y y", []string{"--type alloc ", " alloc-size, "}},
		{"type without samples", "y y y y", []string{"--type wait ", "no samples of this type yet", "no rows"}},
		{"last type", "Y", []string{"--type gc "}},
		{"state", "s s s s", []string{"--state waiting"}},
		{"all states", "s", []string{"--sort self all states\n"}},
		{"state back", "S", []string{"--state idle"}},
		{"states in a circle", "s s s s s s s s", []string{"\n--by method --sort self\n"}},
		{"no state", "y y s", []string{"only samples of --type wall and cpu have a state"}},
		{"state and type", "s s s s y", []string{"--type cpu --by method --sort self\n"}},
		{"by type", "b", []string{"--by type "}},
		{"by class", "B", []string{"--by class ", "(none)"}},
		{"allocations by class", "y y B", []string{"--type alloc --by class ", "100.0 %  System.Int32[]"}},
		{"by thread", "H", []string{"--by thread ", "  thread"}},
		{"by method again", "H H", []string{"--by method "}},
		{"tree", "v", []string{"--tree", "total", "method"}},
		{"bottom-up", "v v", []string{"--bottom-up", "- "}},
		{"rows again", "v v v", []string{"--sort self\n"}},
		{"sort of a tree", "v >", []string{"--sort self ", "calls are sorted by their total"}},
		{"tree of threads", "H v", []string{"--by method ", "--tree"}},
		{"threads of a tree", "v H", []string{"--by thread --sort self\n"}},
		{"just my code", "m", []string{"--just-my-code"}},
		{"all code", "m m", []string{"--sort self\n"}},
		{"filter", "/ W O R K enter", []string{"rows that match /WORK", "App.Program.Work"}},
		{"filter without rows", "/ q q q q enter", []string{"no rows"}},
		{"filter of a tree", "v / Z Z Z enter", []string{"no rows"}},
		{"thread", "t 1 - 9 9 9 9 9 9 9 enter", []string{"--thread 1-9999999", "wall"}},
		{"no such thread", "t 1 enter", []string{"--thread 1", "are filtered out (threads 1"}},
		{"wrong thread", "t x enter", []string{"--thread x_", `"x" is no number`}},
		{"wrong thread canceled", "t x enter esc", []string{"--sort self\n"}},
		{"focus", "f W o r k enter", []string{"--focus Work"}},
		{"wrong focus", "f ( enter", []string{"--focus: error parsing regexp"}},
		{"filters removed", "f W o r k enter / x enter s m t 1 enter =", []string{"\n--by method --sort self\n"}},
		{"pause", "space", []string{"PAUSED"}},
		{"type while paused", "space y", []string{"PAUSED", "--type cpu"}},
		{"session while paused", "space y y", []string{"continued: --type alloc needs another session"}},
		{"help", "?", []string{"Keys of nettrace top", "(--type)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := played(t)
			text := press(s, strings.Fields(c.keys)...)
			expect.Contains(t, "screen", text, c.want...)
			expect.Equal(t, "has quit", s.page.HasQuit(), false)
		})
	}
}

// TestTreeFilter: the filter of a tree matches names, also the part that a narrow screen
// leaves out, and no times.
func TestTreeFilter(t *testing.T) {
	s := played(t)
	narrow := func() string { return strings.Join(s.page.Lines(terminal.Screen{Width: 30}, 40), "\n") }
	for _, key := range strings.Fields("v / A p p . P r o g r a m . W o r k enter") {
		s.page.Key(key)
	}
	expect.Contains(t, "screen", narrow(), "rows 1-")
	for _, key := range strings.Fields("= / % enter") {
		s.page.Key(key)
	}
	expect.Contains(t, "screen", narrow(), "no rows")
}

// TestFlags: the flags of the command line are those of the first screen.
func TestFlags(t *testing.T) {
	for _, c := range []struct {
		name  string
		flags []string
		want  []string
	}{
		{"by and sort", []string{"--by", "module", "--sort", "total"}, []string{"--by module --sort total", "self"}},
		{"callers", []string{"--callers", "Work"}, []string{"total"}},
		{"callers of nothing", []string{"--callers", "nobody"}, []string{"no frame matches nobody"}},
		{"limit", []string{"--limit", "2"}, []string{"rows 1-2 of 2"}},
		{"ring", []string{"--ring", "2m"}, []string{"the last 2m0s\n"}},
		{"size", []string{"--ring", "2MB"}, []string{"the last 2.0 MB\n"}},
		{"wall", []string{"--type", "wall"}, []string{"\n--type wall --by method"}},
		{"frames", []string{"--ignore", "a,b", "--hide", "c", "--only", "W", "--group", "module"}, []string{" --ignore a,b --hide c --only W --group module\n"}},
		{"class", []string{"--type", "alloc", "--class", "String"}, []string{" --class String\n"}},
		{"event", []string{"--provider", "Microsoft-Windows-DotNETRuntime:1:4"}, []string{"--type event ", " event, "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect.Contains(t, "screen", press(played(t, c.flags...)), c.want...)
		})
	}
}

// TestRemoveFilters: = removes the filters of the command line too.
func TestRemoveFilters(t *testing.T) {
	s := played(t, "--ignore", "a", "--hide", "c", "--only", "W", "--group", "module", "--class", "x", "--type", "alloc")
	expect.Contains(t, "screen", press(s, "="), "\n--type alloc --by method --sort self\n")
}

// TestEventKeys: a process whose events are recorded has the type event too.
func TestEventKeys(t *testing.T) {
	s := played(t, "--provider", "Microsoft-Windows-DotNETRuntime:1:4")
	expect.Contains(t, "next type", press(s, "y"), "\n--by method ")
	expect.Contains(t, "event again", press(s, "Y"), "--type event ")
}

// TestWidths: no line is wider than the screen.
func TestWidths(t *testing.T) {
	s := played(t)
	for _, width := range []int{1, 10, 40, 80, 200} {
		for _, line := range s.page.Lines(terminal.Screen{Width: width}, 24)[:2] {
			expect.AtMost(t, "columns", terminal.Columns(line), width)
		}
	}
}

// TestEnded: the end of the process ends the page and keeps the rows.
func TestEnded(t *testing.T) {
	s := played(t)
	s.take(result{ended: "the process has ended"})
	expect.Equal(t, "has quit", s.page.HasQuit(), true)
	expect.Contains(t, "screen", press(s), "App.Program.Work", "the process has ended")
}

// TestRecorded: the session of each type.
func TestRecorded(t *testing.T) {
	const runtime, sampler = "Microsoft-Windows-DotNETRuntime", "Microsoft-DotNETCore-SampleProfiler"
	for _, c := range []struct {
		flags    string
		keywords uint64 // of the runtime
		level    int
		second   string // the other provider
	}{
		{"", 0x100003801D, 4, sampler},
		{"--type cpu", 0x100003801D, 4, sampler},
		{"--type alloc", 0x100003801D, 5, ""},
		{"--type lock", 0x100003C01D, 4, ""},
		{"--type wait", 0x4100003801D, 5, ""},
		{"--type exceptions", 0x100003801D, 4, ""},
		{"--type gc", 0x100003801D, 4, ""},
		{"--async", 0x100003801D, 4, sampler},
		{"--provider Shop:ff:5:a=b", 0x100003801D, 4, "Shop"},
		{"--provider Shop --type wall", 0x100003801D, 4, sampler},
	} {
		t.Run(c.flags, func(t *testing.T) {
			cmd, o := command(&run.Program{})
			expect.NoError(t, cmd.ParseFlags(strings.Fields(c.flags)))
			expect.NoError(t, o.chooseRecorded())
			second := ""
			for _, p := range o.session().Providers {
				if p.Name == runtime {
					expect.Equal(t, "keywords", p.Keywords, c.keywords)
					expect.Equal(t, "level", p.Level, c.level)
				} else if second == "" {
					second = p.Name
				}
			}
			expect.Equal(t, "other provider", second, c.second)
		})
	}
}

// TestRecordedErrors: what no process sends.
func TestRecordedErrors(t *testing.T) {
	for flags, want := range map[string]string{
		"--type switch":  "--type: a process sends wall, cpu, alloc, lock, wait, exceptions, gc, not switch",
		"--type event":   "--type: a process sends",
		"--event 1":      "--provider selects the provider to record",
		"--provider :1":  "--provider",
		"--provider A:x": "--provider",
		"--type none":    "--type: a process sends",
	} {
		t.Run(flags, func(t *testing.T) {
			cmd, o := command(&run.Program{})
			expect.NoError(t, cmd.ParseFlags(strings.Fields(flags)))
			err := o.chooseRecorded()
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		})
	}
}

// TestHelpOfKeys: each flag that the help of the keys names exists.
func TestHelpOfKeys(t *testing.T) {
	cmd, _ := command(&run.Program{})
	for word := range strings.FieldsSeq(keysHelp()) {
		if name, ok := strings.CutPrefix(strings.Trim(word, "(),"), "--"); ok {
			var flag *pflag.Flag = cmd.Flags().Lookup(name)
			expect.Equal(t, "--"+name+" exists", flag != nil, true)
		}
	}
}
