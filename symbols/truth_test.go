package symbols_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	clr "github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/symbols"
)

// truthRow is a line of a truth file of the folder lines; see its README.
type truthRow struct {
	Mode                      string
	Stack                     string
	Frames                    []truthFrame
	Window, Kind, File, Throw string
	Thread, Begin, End        uint64
	Line                      int
	At                        [][2]any
}

// truthFrame is a frame of System.Diagnostics.StackTrace.
type truthFrame struct {
	Module, Method, File string
	Token                uint32
	Line                 int
}

// readTruth reads a truth file.
func readTruth(t *testing.T, name string) []truthRow {
	t.Helper()
	var rows []truthRow
	lines := bufio.NewScanner(bytes.NewReader(shared.File(t, "lines/"+name+".truth.ndjson")))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row truthRow
		if bytes.Equal(lines.Bytes(), []byte(`{"end":true}`)) {
			return rows
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(name, err)
		}
		rows = append(rows, row)
	}
	t.Fatal(name, "has no end")
	return nil
}

// stackEvent is an event with a stack.
type stackEvent struct {
	provider       string
	id             uint32
	ticks, process uint64
	thread         uint64
	stack          []uint64
}

// linesTrace is a trace with its symbols and their source lines.
type linesTrace struct {
	table  *clr.Table
	events []stackEvent
	lines  *symbols.Resolver
}

func openLines(t testing.TB, name string, opt symbols.Options) *linesTrace {
	t.Helper()
	out := &linesTrace{table: clr.NewTable(clr.Options{Lines: true}), lines: symbols.NewResolver(opt)}
	for e, err := range codec.NewBytesReader(shared.File(t, "lines/"+name+".v4.nettrace.zst"), codec.Options{}).Events() {
		if err != nil {
			t.Fatal(name, err)
		}
		out.table.Add(e)
		if len(e.Stack()) == 0 {
			continue
		}
		thread, _ := e.ThreadID()
		one := stackEvent{e.Provider(), e.ID(), e.Timestamp, clr.Process(e), uint64(thread), slices.Clone(e.Stack())}
		out.events = append(out.events, one)
		for _, a := range one.stack {
			out.table.AddWanted(one.process, a)
		}
	}
	for i := range out.events {
		for _, f := range out.frames(&out.events[i]) {
			out.lines.Learn(f.Code)
		}
	}
	return out
}

func (l *linesTrace) frames(e *stackEvent) []clr.Frame {
	var frames []clr.Frame
	for _, a := range e.stack {
		frames = append(frames, l.table.Lookup(clr.Query{Process: e.process, Address: a, Ticks: e.ticks}))
	}
	return frames
}

// uncertain returns why the line of a frame is not certain.
func (l *linesTrace) uncertain(frames []clr.Frame, at int) string {
	var callee *clr.Frame
	if at > 0 {
		callee = &frames[at-1]
	}
	return l.lines.Uncertain(frames[at].Code, frames[at].Address, callee)
}

// isOwn reports whether a frame is a method of the recorded program.
func isOwn(f *clr.Frame) bool {
	return f.Code != nil && strings.HasPrefix(f.Code.Module.Name(), "lines")
}

// counts has numbers of frames by tier and by result.
type counts map[string]int

// binFolder has the programs' modules and PDBs.
func binFolder(t testing.TB) symbols.Options {
	return symbols.Options{Folders: []string{filepath.Join(shared.Dir(t), "lines", "bin")}}
}

func sameFile(a, b string) bool { return base(a) == base(b) }

func base(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

// tierOf names the kind of a body.
func tierOf(c *clr.Code) string {
	if c.Precompiled {
		return "R2R"
	}
	return [...]string{"?", "MinOpt", "Optimized", "Tier0", "Tier1", "OSR", "Tier0i", "Tier1i"}[c.Tier]
}

// TestLeafLines: the line of the innermost frame of samples and allocations is the one that
// the recorded program was in.
func TestLeafLines(t *testing.T) {
	for _, name := range []string{
		"lines-cpu.net10", "lines-cpu.net11", "lines-cpu-attach.net10", "lines-cpu-attach.net11", "lines-alloc.net10", "lines-alloc.net11",
		"lines-r2r-cpu.net10", "lines-rich.net10", "lines-rich.net11", "lines-async-cpu.net11",
	} {
		t.Run(name, func(t *testing.T) {
			trace, rows := openLines(t, name, binFolder(t)), readTruth(t, name)
			stacks := map[string]truthRow{}
			var windows []truthRow
			for _, r := range rows {
				if r.Stack != "" {
					stacks[r.Stack] = r
				}
				if r.Window != "" {
					windows = append(windows, r)
				}
			}
			got := counts{}
			for i := range trace.events {
				e := &trace.events[i]
				if !isSample(e, rows[0].Mode) {
					continue
				}
				w := slices.IndexFunc(windows, func(r truthRow) bool { return r.Thread == e.thread && r.Begin <= e.ticks && e.ticks <= r.End })
				if w < 0 || windows[w].Kind != "cpu" && windows[w].Kind != "alloc" {
					continue
				}
				window, marked := windows[w], stacks[windows[w].Window].Frames[0]
				frames := trace.frames(e)
				at := slices.IndexFunc(frames, func(f clr.Frame) bool { return isOwn(&f) && f.Code.Token == marked.Token })
				if at < 0 {
					got["no frame of the method"]++
					continue
				}
				where := trace.lines.Locate(frames[at].Code, frames[at].Address)
				result, uncertain := "exact", trace.uncertain(frames, at)
				switch {
				case strings.HasPrefix(window.Window, "block.catch."):
					result = "in a catch block"
					if uncertain == "" {
						t.Errorf("%s at %s:%d is not marked", window.Window, base(where.File), where.Line)
					}
				case uncertain != "":
					t.Errorf("%s at %s:%d is marked as uncertain", window.Window, base(where.File), where.Line)
				case where.Line == window.Line && sameFile(where.File, window.File):
					if where.EndLine != where.Line {
						result = "exact, with a range"
					}
				case where.Line <= window.Line && window.Line <= where.EndLine:
					result = "in the range"
				default:
					result = "wrong"
					t.Errorf("%s at %s:%d-%d, true %s:%d, %s %v", window.Window, base(where.File), where.Line, where.EndLine, window.File, window.Line, tierOf(frames[at].Code), where.Missing)
				}
				kind := " leaf "
				if at > 0 {
					kind = " caller "
				}
				got[tierOf(frames[at].Code)+kind+result]++
			}
			t.Log(got)
		})
	}
}

func isSample(e *stackEvent, mode string) bool {
	if mode == "alloc" {
		return e.provider == "Microsoft-Windows-DotNETRuntime" && (e.id == 10 || e.id == 303)
	}
	return e.provider == "Microsoft-DotNETCore-SampleProfiler"
}

// TestCallerLines: the lines of the frames above the innermost one are those of
// System.Diagnostics.StackTrace, but for the frames of methods that are called
// from several lines.
func TestCallerLines(t *testing.T) {
	bin, compared := binFolder(t), 0 // without ../shared the test is skipped, not only its parts
	for _, name := range []string{
		"lines-cpu.net10", "lines-cpu.net11", "lines-cpu-attach.net10", "lines-cpu-attach.net11",
		"lines-r2r-cpu.net10", "lines-rich.net10", "lines-rich.net11", "lines-async-cpu.net11",
	} {
		t.Run(name, func(t *testing.T) {
			trace, rows := openLines(t, name, bin), readTruth(t, name)
			stacks := map[string]truthRow{}
			var windows []truthRow
			for _, r := range rows {
				if r.Stack != "" {
					stacks[r.Stack] = r
				}
				if r.Window != "" {
					windows = append(windows, r)
				}
			}
			for i := range trace.events {
				e := &trace.events[i]
				w := slices.IndexFunc(windows, func(r truthRow) bool { return r.Thread == e.thread && r.Begin <= e.ticks && e.ticks <= r.End })
				if w < 0 || !isSample(e, rows[0].Mode) {
					continue
				}
				marked := stacks[windows[w].Window].Frames
				frames := trace.frames(e)
				at := slices.IndexFunc(frames, func(f clr.Frame) bool { return isOwn(&f) && f.Code.Token == marked[0].Token })
				var own []int
				for k := at + 1; at >= 0 && k < len(frames); k++ {
					if isOwn(&frames[k]) {
						own = append(own, k)
					}
				}
				want := marked[1:]
				want = slices.DeleteFunc(slices.Clone(want), func(f truthFrame) bool { return !strings.HasPrefix(f.Module, "lines") })
				if len(own) != len(want) {
					continue
				}
				for k, one := range own {
					if frames[one].Code.Token != want[k].Token || want[k].Line == 0 {
						continue
					}
					compared++
					where, uncertain := trace.lines.Locate(frames[one].Code, frames[one].Address), trace.uncertain(frames, one)
					if where.Line != want[k].Line || !sameFile(where.File, want[k].File) || uncertain != "" {
						t.Errorf("%s: %s at %s:%d-%d %s, StackTrace %s:%d", windows[w].Window, want[k].Method, base(where.File), where.Line, where.EndLine, uncertain, base(want[k].File), want[k].Line)
					}
				}
			}
		})
	}
	t.Log(compared, "frames compared")
	expect.AtLeast(t, "frames", compared, 20_000)
}

// TestMergedLines: the range of a statement that the compiler merged with others contains the
// line that the recorded program was in.
func TestMergedLines(t *testing.T) {
	callees := map[string]int{"CallA": 1, "CallB": 2, "CallC": 3}
	compared := 0
	for _, name := range []string{"lines-cpu.net10", "lines-cpu.net11", "lines-cpu-attach.net10", "lines-cpu-attach.net11", "lines-r2r-cpu.net10", "lines-rich.net10", "lines-rich.net11"} {
		trace := openLines(t, name, binFolder(t))
		for i := range trace.events {
			frames := trace.frames(&trace.events[i])
			for k := 1; k < len(frames); k++ {
				if !isOwn(&frames[k]) || !isOwn(&frames[k-1]) {
					continue
				}
				callee := callees[frames[k-1].Symbol.Method]
				if callee == 0 {
					continue
				}
				start := map[string]int{"Calls": 127, "CallsOptimised": 135}[frames[k].Symbol.Method]
				where := trace.lines.Locate(frames[k].Code, frames[k].Address)
				if start == 0 || where.Line > start+callee || where.EndLine < start+callee || where.EndLine-where.Line > 8 {
					t.Errorf("%s: the call of %s in %s is in the lines %d-%d", name, frames[k-1].Symbol.Method, frames[k].Symbol.Method, where.Line, where.EndLine)
				}
				if frames[k].Code.Tier == clr.Tier0 {
					expect.Equal(t, "range of unoptimized code", where.EndLine-where.Line, 0)
				}
				compared++
			}
		}
	}
	t.Log(compared, "frames compared")
	expect.AtLeast(t, "frames", compared, 300)
}

// TestThrowLines: the line of the throwing method is the true one, unknown where a helper throws
// for several lines, and marked in a catch block.
func TestThrowLines(t *testing.T) {
	for _, name := range []string{
		"lines-throw.net10", "lines-throw.net11", "lines-emb-throw.net10", "lines-abs-throw.net10", "lines-r2r-throw.net10", "lines-async-throw.net11",
	} {
		t.Run(name, func(t *testing.T) {
			trace := openLines(t, name, binFolder(t))
			got := counts{}
			for _, r := range readTruth(t, name) {
				if r.Throw == "" {
					continue
				}
				next := 0
				for i := range trace.events {
					e := &trace.events[i]
					if e.id != 80 || e.provider != "Microsoft-Windows-DotNETRuntime" || e.ticks < r.Begin || e.ticks > r.End || r.Thread != 0 && e.thread != r.Thread {
						continue
					}
					if next == len(r.At) {
						break
					}
					at := r.At[next]
					next++
					frames := trace.frames(e)
					own := slices.IndexFunc(frames, func(f clr.Frame) bool { return isOwn(&f) })
					if own < 0 {
						got["no frame"]++
						continue
					}
					where := trace.lines.Locate(frames[own].Code, frames[own].Address)
					switch {
					case trace.uncertain(frames, own) == symbols.Catch:
						got["in a catch block"]++
						expect.Equal(t, "throw in a catch block", r.Throw, "wrapped")
					case where.Missing != symbols.Found:
						got[where.Missing.String()]++
					case where.Line == int(at[1].(float64)) && sameFile(where.File, at[0].(string)):
						got["exact"]++
					default:
						t.Errorf("%s at %s:%d, true %v", r.Throw, base(where.File), where.Line, at)
					}
				}
			}
			t.Log(got)
			expect.AtLeast(t, "exact", got["exact"], 20)
			expect.Equal(t, "in a catch block", got["in a catch block"], 1)
		})
	}
}

// TestPDBOfAnotherBuild: a PDB whose id is not that of the module is not used, and
// the reason is known.
func TestPDBOfAnotherBuild(t *testing.T) {
	wrong := symbols.Options{Folders: []string{filepath.Join(shared.Dir(t), "lines", "bin", "wrong")}}
	for _, c := range []struct {
		trace string
		opt   symbols.Options
		want  symbols.Missing
	}{
		{"lines-throw.net10", wrong, symbols.OtherBuild},
		{"lines-throw.net10", symbols.Options{RecordedPaths: true}, symbols.NoPDB},
		{"lines-nopdb-throw.net10", binFolder(t), symbols.NoPDB},
	} {
		t.Run(c.trace, func(t *testing.T) {
			trace := openLines(t, c.trace, c.opt)
			frames := 0
			for i := range trace.events {
				for _, f := range trace.frames(&trace.events[i]) {
					if isOwn(&f) {
						frames++
						where := trace.lines.Locate(f.Code, f.Address)
						expect.Equal(t, "reason", where.Missing, c.want)
						expect.Equal(t, "line", where.Line, 0)
						expect.Stop(t)
					}
				}
			}
			expect.AtLeast(t, "frames", frames, 100)
		})
	}
}
