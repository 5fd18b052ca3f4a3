package program_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestTopPolls: the head has the share of GC polls, if it is more than 5 %.
func TestTopPolls(t *testing.T) {
	const text = " of CPU samples were taken at GC polls: the callers are where threads could be stopped; " +
		"time spent just before may be counted there\n"
	for _, c := range []struct{ trace, share string }{
		{"roslyn-net10-cpu.v4", "78 %"},
		{"net10-deep.v4", "71 %"},
		{"aspnet-net10.v4", "51 %"},
		{"azmcp-net10-cpu.v4", "6 %"},
		{"sarif-net8.v4", ""},
	} {
		t.Run(c.trace, func(t *testing.T) {
			r := programtest.Run(t, testfile.Plain(t, c.trace), "top", "-", "--wide")
			r.Exits(t, exit.Done)
			if c.share == "" {
				expect.Equal(t, "has a line about GC polls", strings.Contains(r.Out, "GC polls"), false)
				return
			}
			expect.Contains(t, "the head", r.Out, "\n"+c.share+text)
		})
	}
}

// TestTopWorks: without options no row of aspnet-net10 waits, idles or spins, and
// the method that uses the processor is first.
func TestTopWorks(t *testing.T) {
	r := programtest.Run(t, testfile.Plain(t, "aspnet-net10.v4"), "top", "-", "--limit", "0", "--json")
	r.Exits(t, exit.Done)
	var top struct {
		Rows []struct {
			Name string
			Self int64
		}
	}
	if err := json.Unmarshal([]byte(r.Out), &top); err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, "first row", top.Rows[0].Name, "Program.Main.Spin(int)")
	waits := regexp.MustCompile(`LowLevelLifoSemaphore\.Wait|LowLevelSpinWaiter|SpinWait\.|Thread\.(Sleep|Join|Yield|SpinWait)|` +
		`WaitHandle\.Wait|Monitor\.Wait|EventLoop|WatchForFileSystemEvents|RunFinalizers|PollGC`)
	for _, row := range top.Rows {
		if row.Self > 0 && waits.MatchString(row.Name) {
			t.Errorf("row %s: self %d ns, want none", row.Name, row.Self)
		}
	}
}

// TestTopStates: --state and --type wall show the samples that top leaves out.
func TestTopStates(t *testing.T) {
	data := testfile.Plain(t, "aspnet-net10.v4")
	for _, c := range []struct {
		name string
		args []string
		want []string
	}{
		{"default", nil, []string{
			"W: 2.66 s wall, ",
			"\nstates: running 2.45 s, native 206.55 ms (runs or waits, unknown), waiting 16.03 s, blocked 304.51 ms\n",
			"\nspinning 1.10 s: ", "\nidle 64.44 s: ",
		}},
		{"wall", []string{"--type", "wall"}, []string{"W: 84.54 s wall, ", "LowLevelLifoSemaphore.WaitNative(", "\nidle 64.44 s: "}},
		{"blocked", []string{"--state", "blocked"}, []string{"W: 304.51 ms wall, ", "Monitor.Enter_Slowpath(object)"}},
		{"two states", []string{"--state", "idle,spinning"}, []string{"W: 65.54 s wall, "}},
		{"processor time", []string{"--state", "spinning", "--type", "cpu"}, []string{"LowLevelSpinWaiter.Wait("}},
		{"helpers", []string{"--type", "cpu", "--runtime-helpers"}, []string{"System.Threading.Thread.PollGC.PollGCWorker()"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, data, append([]string{"top", "-", "--wide"}, c.args...)...)
			r.Exits(t, exit.Done)
			for _, want := range c.want {
				expect.Contains(t, "the output", r.Out, want)
			}
		})
	}
}

// TestStateErrors: a state that does not exist, and types that have no states.
func TestStateErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"no state", []string{"--state", "asleep"}, `--state: "asleep" is none of running, native, waiting, blocked, spinning, idle`},
		{"no states", []string{"--state", "running", "--type", "alloc"}, "--state: only samples of --type wall and cpu have a state"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, testfile.Plain(t, "net10-mix-cpu.v4"), append([]string{"top", "-"}, c.args...)...)
			r.Exits(t, exit.Usage)
			expect.Contains(t, "the error", r.Stderr, c.want)
		})
	}
}

// TestTopFilters: the views and filters of frames.
func TestTopFilters(t *testing.T) {
	data := testfile.Plain(t, "aspnet-net10.v4")
	for _, c := range []struct {
		name  string
		args  []string
		want  []string
		lacks []string
	}{
		{"callers", []string{"--callers", `Program\.Main\.Spin`}, []string{" 100.0 %  Program.Main.Spin(int)\n", "ThreadPoolWorkQueue.Dispatch()", " of 6 threads,", "\nabout all samples, also those without the method:\nstates: "}, nil},
		{"callees", []string{"--callees", `Program\.Main\.Spin`}, []string{" 100.0 % ", "Program.Main.Spin(int)\n"}, []string{"ThreadPoolWorkQueue.Dispatch()"}},
		{"bottom-up", []string{"--bottom-up"}, []string{" 1.45 s   54.4 %  - Program.Main.Spin(int)\n"}, nil},
		{"focus", []string{"--focus", "Spin"}, []string{"W: 1.45 s wall"}, []string{"BulkMoveWithWriteBarrier"}},
		{"ignore", []string{"--ignore", "Spin"}, []string{"BulkMoveWithWriteBarrier"}, []string{"Program.Main.Spin"}},
		{"hide", []string{"--hide", `Program\.Main\.Spin`}, []string{"W: 2.66 s wall"}, []string{"Program.Main.Spin"}},
		{"just my code", []string{"--just-my-code"}, []string{"W: 2.66 s wall", "Program.Main.Spin(int)", "[hidden frames]"}, []string{"System."}},
		{"group", []string{"--group", "module"}, []string{"W: 2.66 s wall", "  System.Private.CoreLib\n", "  W\n"}, []string{"Program."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, data, append([]string{"top", "-", "--wide", "--limit", "0"}, c.args...)...)
			r.Exits(t, exit.Done)
			expect.Contains(t, "the output", r.Out, c.want...)
			_, rows, _ := strings.Cut(r.Out, "other types:")
			expect.Lacks(t, "the rows", rows, c.lacks...)
		})
	}
}

// TestFilterErrors: values of filters that are wrong, and a method that no stack
// has.
func TestFilterErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"regular expression", []string{"--focus", "("}, exit.Usage, "--focus: error parsing regexp"},
		{"group", []string{"--group", "file"}, exit.Usage, `--group: "file" is none of module, namespace, assembly`},
		{"two views", []string{"--tree", "--bottom-up"}, exit.Usage, "exclude each other"},
		{"no method", []string{"--callers", "NoSuchMethod"}, exit.Broken, "nothing to show: no frame matches"},
		{"no sample", []string{"--focus", "NoSuchMethod", "--type", "wall"}, exit.Broken, "are filtered out (focus (?:NoSuchMethod))"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, testfile.Plain(t, "net10-mix-cpu.v4"), append([]string{"top", "-"}, c.args...)...)
			r.Exits(t, c.code)
			expect.Contains(t, "the error", r.Stderr, c.want)
		})
	}
}

// TestTopSource: the samples of a merged trace by the files that it is made of.
func TestTopSource(t *testing.T) {
	dst := filepath.Join(t.TempDir(), "both.nettrace")
	programtest.Run(t, nil, "merge", testfile.Archive(t, "sarif-net8.v4"), testfile.Archive(t, "net10-deep.v4"), "-o", dst).Exits(t, exit.Done)
	r := programtest.Run(t, nil, "top", dst, "--by", "source", "--wide", "--type", "wall")
	r.Exits(t, exit.Done)
	expect.Contains(t, "the output", r.Out, "  sarif-net8.v4.nettrace.zst\n", "  net10-deep.v4.nettrace.zst\n")
	one := programtest.Run(t, nil, "top", testfile.Archive(t, "sarif-net8.v4"), "--by", "source", "--wide")
	one.Exits(t, exit.Done)
	expect.Contains(t, "the output", one.Out, " 100.0 %  sarif-net8.v4.nettrace.zst\n")
}

// TestTopOneCode: a line says that the writer does not divide samples into
// managed and external code.
func TestTopOneCode(t *testing.T) {
	const text = ": the writer of the trace does not tell running and waiting apart\n"
	for _, c := range []struct{ trace, want string }{
		{"dotnetdiag-net5-single.v4", "\nprocess 55960: 99.9 % of the samples are in managed code" + text},
		{"perfview-netcore3.0-win-x64.v4", "\nprocess 10064: 100.0 % of the samples are in external code" + text},
		{"azmcp-net10-live.v4", ""},
	} {
		t.Run(c.trace, func(t *testing.T) {
			r := programtest.Run(t, testfile.Plain(t, c.trace), "top", "-", "--wide")
			r.Exits(t, exit.Done)
			if c.want == "" {
				expect.Lacks(t, "the head", r.Out, text)
				return
			}
			expect.Contains(t, "the head", r.Out, c.want)
		})
	}
}

// TestNoType: the error for a trace without samples names the command that helps.
func TestNoType(t *testing.T) {
	r := programtest.Run(t, nil, "top", testfile.Archive(t, "net10-empty.v4"))
	r.Exits(t, exit.Broken)
	expect.Contains(t, "the error", r.Stderr, "; other types have no samples either (nettrace report prints what the trace has)\n")
}
