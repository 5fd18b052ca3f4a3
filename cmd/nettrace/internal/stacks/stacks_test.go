package stacks_test

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestStacks: a line for each event with a stack, in each form of frames.
func TestStacks(t *testing.T) {
	path := testfile.Archive(t, "azmcp-net10-startup.v4")
	raw := programtest.Run(t, nil, "stacks", "--raw-names", path)
	lines := strings.Split(strings.TrimSuffix(raw.Out, "\n"), "\n")
	raw.Exits(t, exit.Done)
	expect.Equal(t, "stderr", raw.Stderr, "")
	expect.Equal(t, "len(lines)", len(lines), 263)
	expect.Stop(t)
	line := regexp.MustCompile(`^\d+\tMicrosoft-[-\w]+\t\d+\t\d+(\t([^\t!]+![^\t]+))+$`)
	for _, text := range lines {
		if !line.MatchString(text) {
			t.Fatalf("%q", text)
		}
	}
	piped := programtest.Run(t, testfile.Plain(t, "azmcp-net10-startup.v4"), "stacks", "--raw-names", "-")
	if piped.Out != raw.Out {
		t.Error("a pipe gives other lines")
	}
	names := programtest.Run(t, nil, "stacks", path)
	addresses := programtest.Run(t, nil, "stacks", "--addresses", path)
	for _, c := range []struct{ text, want string }{
		{raw.Out, "\tazmcp!Azure.Mcp.Server.Program.<Main>(class System.String[])\n"},
		{raw.Out, "\t?!0x"},
		{raw.Out, "AsyncMethodBuilderCore.Start(!!0&)\t"},
		{names.Out, "\tAzure.Mcp.Server.Program.Main(string[])\n"},
		{names.Out, "\tSystem.Runtime.CompilerServices.AsyncMethodBuilderCore.Start(ref M0)\t"},
		{addresses.Out, "\t0x56084be00160\t0x56084be0006c\n"},
	} {
		t.Run(c.text, func(t *testing.T) {
			if !strings.Contains(c.text, c.want) {
				t.Errorf("no %q", c.want)
			}
		})
	}
	if n := strings.Count(addresses.Out, "\t0x"); n != 4521 || n != strings.Count(raw.Out, "\t")-3*len(lines) {
		t.Errorf("%d addresses", n)
	}
	cut := programtest.Run(t, nil, "stacks", "--raw-names", "--depth=2", path)
	for i, text := range strings.Split(strings.TrimSuffix(cut.Out, "\n"), "\n") {
		if !strings.HasPrefix(lines[i]+"\t", text+"\t") || strings.Count(text, "\t") > 5 {
			t.Fatalf("%q is not the beginning of %q", text, lines[i])
		}
	}
}

// TestStacksFiltered: as many lines as there are events with a stack.
func TestStacksFiltered(t *testing.T) {
	r := codec.NewBytesReader(testfile.Plain(t, "net10-mix-gc.v4"), input.ReaderOptions(false))
	want := map[string]int{}
	for e, err := range r.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if e.Provider() == "Microsoft-Windows-DotNETRuntime" && len(e.Stack()) > 0 {
			if want["all"]++; e.ID() == 10 {
				want["10"]++
			}
		}
	}
	path := testfile.Archive(t, "net10-mix-gc.v4")
	for id, flags := range map[string][]string{"all": nil, "10": {"--event", "10"}} {
		t.Run(id, func(t *testing.T) {
			r := programtest.Run(t, nil, append([]string{"stacks", path, "--provider", "*DotNETRuntime"}, flags...)...)
			n := strings.Count(r.Out, "\n")
			r.Exits(t, exit.Done)
			expect.NotZero(t, "lines of stdout", n)
			expect.Equal(t, "lines of stdout", n, want[id])
		})
	}
}

// TestStacksNone: nothing is printed, and it says why.
func TestStacksNone(t *testing.T) {
	for _, c := range []struct {
		args, why string
		code      int
	}{
		{"net10-empty.v4", "no stacks: the 1 event have none", exit.Broken},
		{"net10-http.v4", "have none", exit.Broken},
		{"net10-mix-gc.v4 --provider Nobody", "no event matches: of 4,657 events, 4,657 left out by --provider", exit.Broken},
		{"net10-mix-gc.v4 --provider *Rundown --event 152", "matching events, of 4,657, have none", exit.Broken},
		{"net10-mix-gc.v4 --depth=-1", "--depth", exit.Usage},
		{"net10-mix-gc.v4 --event=5-x", "--event", exit.Usage},
	} {
		t.Run(c.args, func(t *testing.T) {
			name, flags, _ := strings.Cut(c.args, " ")
			r := programtest.Run(t, nil, append([]string{"stacks", testfile.Archive(t, name)}, strings.Fields(flags)...)...)
			r.Exits(t, c.code)
			expect.Equal(t, "stdout", r.Out, "")
			expect.Contains(t, "stderr", r.Stderr, c.why)
		})
	}
}

// TestStacksCut: of a trace that is cut, what came before.
func TestStacksCut(t *testing.T) {
	r := programtest.Run(t, nil, "stacks", testfile.Archive(t, "net10-killed-cut.v4"))
	n := strings.Count(r.Out, "\n")
	r.Exits(t, exit.Broken)
	expect.Equal(t, "lines of stdout", n, 5387)
	expect.Contains(t, "stderr", r.Stderr, "NT-EOS-006")
}

// TestStacksJSON compares the lines of --format ndjson with those of text.
func TestStacksJSON(t *testing.T) {
	path := testfile.Archive(t, "azmcp-net10-startup.v4")
	flags := []string{path, "--event", "0,150-160,292", "--limit", "20"}
	text := programtest.Run(t, nil, append([]string{"stacks"}, flags...)...)
	lines := programtest.Run(t, nil, append([]string{"stacks", "--json"}, flags...)...)
	text.Exits(t, exit.Done)
	lines.Exits(t, exit.Done)
	var got []string
	for line := range strings.Lines(lines.Out) {
		var s struct {
			Type, Provider, Time, Thread string
			ID                           int
			Frames                       []string
		}
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		expect.Equal(t, "type", s.Type, "stack")
		columns := append([]string{s.Time, s.Provider, strconv.Itoa(s.ID), s.Thread}, s.Frames...)
		got = append(got, strings.Join(columns, "\t"))
	}
	expect.Equal(t, "number of lines", len(got), 20)
	expect.Equal(t, "stacks", strings.Join(got, "\n")+"\n", text.Out)
}

// TestWorkFlags: --state selects samples, and --runtime-helpers keeps the frames
// of the runtime. Both are about events of the sample profiler.
func TestWorkFlags(t *testing.T) {
	path := testfile.Archive(t, "net10-deep.v4")
	const poll = "PollGC"
	run := func(flags ...string) string {
		r := programtest.Run(t, nil, append([]string{"stacks", path, "--provider", "Microsoft-DotNETCore-SampleProfiler", "--depth", "1"}, flags...)...)
		r.Exits(t, exit.Done)
		return r.Out
	}
	all := run()
	for _, c := range []struct {
		state string
		lines int
	}{{"running", 3871}, {"native", 57}, {"waiting", 2892}, {"running,native,waiting", 6820}} {
		t.Run(c.state, func(t *testing.T) {
			expect.Equal(t, "lines", strings.Count(run("--state", c.state), "\n"), c.lines)
		})
	}
	expect.Equal(t, "lines of all", strings.Count(all, "\n"), 6820)
	expect.Lacks(t, "frames", all, poll)
	expect.Contains(t, "frames with --runtime-helpers", run("--runtime-helpers"), poll)
	none := programtest.Run(t, nil, "stacks", path, "--provider", "Microsoft-DotNETCore-SampleProfiler", "--state", "blocked")
	expect.Equal(t, "exit code", none.Code, exit.Broken)
	expect.Contains(t, "error", none.Stderr, "filtered out (states blocked)")
	wrong := programtest.Run(t, nil, "stacks", path, "--state", "asleep")
	expect.Equal(t, "exit code of a state that does not exist", wrong.Code, exit.Usage)
}
