package stacks_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// detailedFrame is a frame of --details.
type detailedFrame struct {
	Name, RawName, Kind, Module, Address, File, NoLine, LineUncertain string
	Line, EndLine                                                     int
}

// details returns the frames of the recorded program in the output of --details.
func details(t *testing.T, trace, folder string) []detailedFrame {
	t.Helper()
	lines := filepath.Join(shared.Dir(t), "lines")
	r := programtest.Run(t, nil, "stacks", "--format", "ndjson", "--details", "--pdb", filepath.Join(lines, folder), filepath.Join(lines, trace+".v4.nettrace.zst"))
	r.Exits(t, exit.Done)
	var own []detailedFrame
	for line := range strings.Lines(r.Out) {
		var stack struct{ Frames []detailedFrame }
		if err := json.Unmarshal([]byte(line), &stack); err != nil {
			t.Fatal(err)
		}
		for _, f := range stack.Frames {
			if f.Kind == "managed" && f.Line == 0 && f.NoLine == "" {
				t.Fatalf("no line and no reason: %+v", f)
			}
			if strings.HasPrefix(f.Module, "lines") {
				own = append(own, f)
			}
		}
	}
	return own
}

// TestDetails: managed frames have a line or the reason why not, and a PDB of another
// build gives no line.
func TestDetails(t *testing.T) {
	reasons := func(frames []detailedFrame) map[string]int {
		n := map[string]int{}
		for _, f := range frames {
			n[f.NoLine]++
		}
		return n
	}
	found := details(t, "lines-r2r-cpu.net10", "bin")
	expect.AtLeast(t, "frames with a line", reasons(found)[""], 8_000)
	expect.Equal(t, "frames without a PDB", reasons(found)["no pdb"], 0)
	expect.Equal(t, "frames with the PDB of another build", reasons(found)["pdb of another build"], 0)
	uncertain, inlined := 0, 0
	for _, f := range found {
		if f.LineUncertain == "catch" {
			uncertain++
		}
	}
	expect.AtLeast(t, "frames in catch blocks", uncertain, 28)
	wrong := details(t, "lines-throw.net10", "bin/wrong")
	expect.Equal(t, "frames of another build", reasons(wrong)["pdb of another build"], len(wrong))
	expect.AtLeast(t, "frames of another build", len(wrong), 100)
	for _, f := range details(t, "lines-rich.net11", "bin") {
		if f.Kind == "inlined" {
			inlined++
			if f.Name == "" || f.Line == 0 && !strings.HasPrefix(f.Name, "Lines.InlTwice(") { // which calls the innermost one
				t.Fatalf("inlined: %+v", f)
			}
		}
	}
	expect.AtLeast(t, "inlined frames", inlined, 60)
}

// TestNativeAOTNames: the frames of a NativeAOT program have the names of the file with its symbols.
func TestNativeAOTNames(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "any.dbg"), shared.File(t, "lines/aot/aotcpu.dbg.zst"), 0o600); err != nil {
		t.Fatal(err)
	}
	trace := filepath.Join(shared.Dir(t), "lines", "aot.net10.v4.nettrace.zst")
	r := programtest.Run(t, nil, "stacks", "--format", "ndjson", "--details", "--symbols", folder, trace)
	r.Exits(t, exit.Done)
	expect.Equal(t, "frames without a name", strings.Count(r.Out, `"?!0x`), 0)
	expect.Contains(t, "frames", r.Out, `{"name":"Aot_Truth_Program.LoopC","rawName":"aotcpu_Aot_Truth_Program__LoopC","kind":"managed","module":"aotcpu"`)
}

// TestTruncatedNames: in a truncated recording, which has no rundown, methods that were compiled
// ahead of time have the names that the images give.
func TestTruncatedNames(t *testing.T) {
	root, err := exec.Command(shared.OtherReader(t), "path").Output()
	if err != nil {
		t.Skip(err)
	}
	frameworks, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "dotnet/shared/Microsoft.NETCore.App/*"))
	data := shared.File(t, "lines/lines-r2r-cpu.net10.v4.nettrace.zst")
	trace := filepath.Join(t.TempDir(), "truncated.nettrace")
	if err := os.WriteFile(trace, data[:len(data)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	unnamed := func(flags ...string) int {
		r := programtest.Run(t, nil, append([]string{"stacks", "--format", "ndjson", "--details", trace}, flags...)...)
		r.Exits(t, exit.Broken)
		return strings.Count(r.Out, `"name":"?!0x`)
	}
	before, after := unnamed(), unnamed("--pdb", filepath.Join(shared.Dir(t), "lines", "bin"), "--pdb", frameworks[0])
	t.Logf("frames without a name: %d by the trace alone, %d with the images", before, after)
	expect.AtLeast(t, "frames without a name before", before, 1000)
	expect.AtMost(t, "frames without a name", after, before/20)
}

// TestDetailsSpan: a stack in the work for a request has the innermost open span of the program, whose parent is the request.
func TestDetailsSpan(t *testing.T) {
	trace := filepath.Join(shared.Dir(t), "aspnet/aspnet11-spans.v4.nettrace.zst")
	r := programtest.Run(t, nil, "stacks", "--format", "ndjson", "--details", trace)
	r.Exits(t, exit.Done)
	inside := 0
	for line := range strings.Lines(r.Out) {
		var d struct {
			Request struct {
				Route, SpanID string
				Span          struct{ Name, SpanID, ParentSpanID string }
			}
		}
		expect.NoError(t, json.Unmarshal([]byte(line), &d))
		if q := &d.Request; q.Span.SpanID != "" {
			inside++
			if q.Route != "/db/{ms:int}" || q.Span.Name != "db.query" || q.Span.ParentSpanID != q.SpanID {
				t.Errorf("%+v", d)
			}
		}
	}
	expect.Equal(t, "stacks in spans", inside, 121)
	for id, want := range map[string]int{"23212702d2fc6f57": 7, "3c323379b108375e": 21} { // the span, and its request
		r = programtest.Run(t, nil, "stacks", "--span", id, trace)
		expect.Equal(t, "stacks of span "+id, strings.Count(r.Out, "\n"), want)
	}
}

// TestSpanName: --span with a name selects the samples in the spans of an event source; one that the trace does not have is an error.
func TestSpanName(t *testing.T) {
	trace := filepath.Join(shared.Dir(t), "apps/dotnet-build-net10-server.v4.nettrace.zst")
	args := []string{"stacks", "--provider", "Microsoft-DotNETCore-SampleProfiler", "--state", "running"}
	r := programtest.Run(t, nil, append(args, "--span", "CoreCompile", trace)...)
	r.Exits(t, exit.Done)
	expect.Equal(t, "samples", strings.Count(r.Out, "\n"), 9)
	r = programtest.Run(t, nil, append(args, "--span", "Nothing", trace)...)
	r.Exits(t, exit.Usage)
	expect.Contains(t, "error", r.Stderr, "has no span with this name or key")
}

// TestLines: --lines prints the source line of each frame and marks those of catch blocks;
// standard error has the reasons why methods have none.
func TestLines(t *testing.T) {
	lines := filepath.Join(shared.Dir(t), "lines")
	r := programtest.Run(t, nil, "stacks", "--lines", "--pdb", filepath.Join(lines, "bin"), filepath.Join(lines, "lines-cpu.net10.v4.nettrace.zst"))
	r.Exits(t, exit.Done)
	expect.Contains(t, "stacks", r.Out, "\tLines.Blocks(int)  lines.cs:290 (catch?)\tLines.Cpu()  lines.cs:351\t")
	expect.Contains(t, "stderr", r.Stderr, "no line: 1 method (dynamic method), ", " methods (no pdb)", "37 samples may be in a catch block")
}
