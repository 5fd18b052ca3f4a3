package program_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	pprof "github.com/google/pprof/profile"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/formats"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/profiletrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tier"
	"github.com/nettrace-go/nettrace/internal/viewers"
)

// TestProfileGolden writes the small trace in every format.
func TestProfileGolden(t *testing.T) {
	for name, args := range map[string][]string{
		"pprof":            {"convert", "-", "-o", "-", "--format", "pprof"},
		"speedscope":       {"convert", "-", "-o", "-", "--format", "speedscope"},
		"speedscope-merge": {"convert", "-", "-o", "-", "--format", "speedscope", "--merge", "--raw-names", "--type", "alloc"},
		"chromium":         {"convert", "-", "-o", "-", "--format", "chromium"},
		"folded":           {"convert", "-", "-o", "-", "--format", "folded"},
		"folded-part":      {"convert", "-", "-o", "-", "--format", "folded", "--thread", "101", "--from", "5ms", "--to", "15ms", "--type", "cpu"},
	} {
		t.Run(name, func(t *testing.T) {
			r := programtest.Run(t, profiletrace.Trace(), args...)
			if r.Code != exit.Done {
				t.Errorf("exit %d, %s", r.Code, r.Stderr)
			}
			if name == "pprof" {
				p, err := pprof.ParseData([]byte(r.Out))
				if err != nil {
					t.Fatal(err)
				}
				r.Out = p.String()
			}
			testfile.Golden(t, filepath.Join("..", "formats", "testdata", "profile."+name+".txt"), r.Out+r.Stderr)
		})
	}
}

// TestProfileViewers holds that the viewers' rules are kept: on the small trace
// and on real ones.
func TestProfileViewers(t *testing.T) {
	traces := map[string][]byte{"small": profiletrace.Trace(), "net10-mix-locks.v4": testfile.Plain(t, "net10-mix-locks.v4"), "net10-http.v4": testfile.Plain(t, "net10-http.v4")}
	if tier.Check {
		traces["net10-mix-cpu.v4"], traces["aspnet-net10.v4"] = testfile.Plain(t, "net10-mix-cpu.v4"), testfile.Plain(t, "aspnet-net10.v4")
	}
	for name, data := range traces {
		t.Run(name, func(t *testing.T) {
			chromium := programtest.Run(t, data, "convert", "-", "-o", "-", "--format", "chromium")
			f, err := viewers.ParseChromium([]byte(chromium.Out))
			if err != nil {
				t.Errorf("chromium: exit %d, %v: %s", chromium.Code, err, chromium.Stderr)
				return
			}
			phases := map[string]int{}
			for _, e := range f.TraceEvents {
				phases[e.Phase]++
			}
			expect.NotZero(t, "events that chromium shows", phases["B"]+phases["b"]+phases["i"])
			if phases["B"] == 0 && strings.Contains(name, "cpu") {
				t.Errorf("chromium shows no span: %v", phases)
			}
			for _, kind := range []string{"wall", "cpu", "alloc", "lock", "wait", "exceptions", "gc"} {
				t.Run(kind, func(t *testing.T) {
					scope := programtest.Run(t, data, "convert", "-", "-o", "-", "--format", "speedscope", "--type", kind)
					if scope.Code != exit.Done {
						return
					}
					if _, err := viewers.ParseSpeedscope([]byte(scope.Out)); err != nil {
						t.Errorf("speedscope of %s: %v", kind, err)
					}
					folded := programtest.Run(t, data, "convert", "-", "-o", "-", "--format", "folded", "--type", kind)
					_, sum, err := viewers.ParseFolded(folded.Out)
					top := programtest.Run(t, data, "top", "-", "--json", "--type", kind)
					if want := numberOf(t, top.Out, "total"); err != nil || sum != want {
						t.Errorf("folded %s adds up to %d, want %d (%v)", kind, sum, want, err)
					}
				})
			}
		})
	}
}

// TestFormatOf chooses formats by the names of outputs.
func TestFormatOf(t *testing.T) {
	for name, want := range map[string]string{
		"a.nettrace": "v6", "a.nettrace.gz": "v6", "-": "v6", "/dev/null": "v6",
		"a.pb.gz": "pprof", "a.pprof": "pprof", "A.PB.GZ": "pprof", "a.pb": "pprof",
		"a.speedscope.json": "speedscope", "a.speedscope.json.gz": "speedscope", "a.speedscope": "speedscope",
		"a.chromium.json": "chromium", "a.trace.json.zst": "chromium", "a.perfetto.json": "chromium", "a.folded": "folded", "a.txt": "folded",
	} {
		t.Run(name, func(t *testing.T) {
			f, err := formats.ForName(name)
			if err != nil {
				t.Fatalf("formatOf(%q): %v", name, err)
			}
			if f.Name != want {
				t.Errorf("formatOf(%q) = %s, want %s", name, f.Name, want)
			}
		})
	}
}

// TestOutputExtension refuses names that choose no format, and those that
// contradict what is written. No file appears.
func TestOutputExtension(t *testing.T) {
	for _, c := range []struct {
		name, File string
		command    []string
		want       string // in the message
	}{
		{"unknown extension", "x.svg", []string{"convert", "-"}, ".speedscope.json"},
		{"unknown extension before gz", "x.html.gz", []string{"convert", "-"}, "--format chooses one"},
		{"no extension", "x", []string{"convert", "-"}, "--format chooses one"},
		{"several formats", "x.json", []string{"convert", "-"}, "speedscope or chromium"},
		{"trace named as a profile", "x.pb.gz", []string{"convert", "-", "--format", "v6"}, "is that of pprof, but v6 is written"},
		{"profile named as a trace", "x.nettrace", []string{"convert", "-", "--format", "pprof"}, "is that of v6 or v5 or v4, but pprof is written"},
		{"profile named as another", "x.folded", []string{"convert", "-", "--format", "speedscope"}, "is that of folded"},
		{"json of no such format", "x.json", []string{"convert", "-", "--format", "folded"}, "speedscope or chromium"},
		{"slice", "x.pb.gz", []string{"slice", "-"}, "a trace is written"},
		{"repair", "x.speedscope.json", []string{"repair", "-"}, "a trace is written"},
		{"merge", "x.folded", []string{"merge", "-"}, "a trace is written"},
		{"collect", "x.pb.gz", []string{"collect", "-p", "1"}, "a trace is written"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), c.File)
			r := programtest.Run(t, profiletrace.Trace(), append(c.command, "-o", path)...)
			if r.Code != exit.Usage {
				t.Errorf("exit %d, want %d", r.Code, exit.Usage)
			}
			if !strings.Contains(r.Stderr, c.want) {
				t.Errorf("stderr %q, want %q in it", r.Stderr, c.want)
			}
			if _, err := os.Stat(path); err == nil {
				t.Errorf("%s was written", c.File)
			}
		})
	}
}

// TestOutputExtensionGiven accepts an unknown extension when --format chooses.
func TestOutputExtensionGiven(t *testing.T) {
	for _, to := range []string{"v6", "folded", "pprof"} {
		t.Run(to, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.svg")
			if r := programtest.Run(t, profiletrace.Trace(), "convert", "-", "-o", path, "--format", to); r.Code != exit.Done {
				t.Fatalf("exit %d, stderr %q", r.Code, r.Stderr)
			}
		})
	}
}

// TestPprofOnce: a profile is compressed once, however its file is called.
func TestPprofOnce(t *testing.T) {
	for _, name := range []string{"a.pb.gz", "a.pprof", "a.pb"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			if r := programtest.Run(t, profiletrace.Trace(), "convert", "-", "-o", path); r.Code != exit.Done {
				t.Errorf("exit %d, %s", r.Code, r.Stderr)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			p, err := pprof.Parse(bytes.NewReader(data))
			expect.NoError(t, err)
			expect.NotZero(t, "len(p.Sample)", len(p.Sample))
			expect.Equal(t, "p.DefaultSampleType", p.DefaultSampleType, "wall")
		})
	}
}

// TestProfileEmpty: nothing to show is an error that says why, and leaves no
// file behind.
func TestProfileEmpty(t *testing.T) {
	for _, c := range []struct {
		trace string
		args  []string
		why   string
	}{
		{"net10-empty.v4", nil, "no events of Microsoft-DotNETCore-SampleProfiler"},
		{"", []string{"--type", "wait"}, "WaitHandleWaitStart"},
		{"", []string{"--thread", "7"}, "filtered out (threads 7)"},
		{"", []string{"--from", "1h"}, "filtered out"},
		{"", []string{"--provider", "Nobody"}, "83 left out by --provider"},
	} {
		t.Run(c.trace+testfile.CaseName(c.args...), func(t *testing.T) {
			data := profiletrace.Trace()
			if c.trace != "" {
				data = testfile.Plain(t, c.trace)
			}
			out := filepath.Join(t.TempDir(), "out.folded")
			for _, args := range [][]string{{"convert", "-", "-o", out}, {"top", "-"}} {
				t.Run(testfile.CaseName(args...), func(t *testing.T) {
					r := programtest.Run(t, data, append(args, c.args...)...)
					r.Exits(t, exit.Broken)
					expect.Contains(t, "stderr", r.Stderr, c.why)
					expect.Equal(t, "stdout", r.Out, "")
				})
			}
			if _, err := os.Stat(out); err == nil {
				t.Error("a file is there")
			}
		})
	}
}

// TestProfileBroken writes what could be read of a cut trace, and exits with 1.
func TestProfileBroken(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.speedscope.json")
	r := programtest.Run(t, testfile.Plain(t, "net10-killed-cut.v4"), "convert", "-", "-o", out)
	data, err := os.ReadFile(out)
	r.Exits(t, exit.Broken)
	expect.Contains(t, "stderr", r.Stderr, "truncated stream")
	expect.NoError(t, err)
	if f, err := viewers.ParseSpeedscope(data); err != nil || len(f.Profiles) == 0 {
		t.Errorf("%v", err)
	}
}

// TestProfileUsage refuses what does not go together.
func TestProfileUsage(t *testing.T) {
	for _, args := range [][]string{
		{"convert", "-", "-o", "-", "--type", "wall"},
		{"convert", "-", "-o", "-", "--to", "3s"},
		{"convert", "-", "-o", "-", "--to", "pprof"},
		{"convert", "-", "-o", "-", "--format", "folded", "--compact"},
		{"convert", "-", "-o", "-", "--format", "folded", "--merge"},
		{"convert", "-", "-o", "-", "--format", "folded", "--type", "nonsense"},
		{"convert", "-", "-o", "-", "--format", "folded", "--type", "event"},
		{"convert", "-", "-o", "-", "--format", "folded", "--type", "alloc", "--event", "3"},
		{"convert", "-", "-o", "-", "--format", "folded", "--event", "5-3"},
		{"convert", "-", "-o", "-", "--format", "folded", "--from", "3s", "--to", "2s"},
		{"convert", "-", "-o", "x.json"},
		{"top", "-", "--by", "colour"},
		{"top", "-", "--sort", "name"},
		{"top", "-", "--tree", "--by", "thread"},
		{"top", "-", "--type", "event"},
	} {
		t.Run(testfile.CaseName(args...), func(t *testing.T) {
			if r := programtest.Run(t, profiletrace.Trace(), args...); r.Code != exit.Usage || r.Out != "" {
				t.Errorf("exit %d, stderr %q", r.Code, r.Stderr)
			}
		})
	}
}

// numberOf is the first number of a key in JSON.
func numberOf(t *testing.T, text, key string) int64 {
	t.Helper()
	_, rest, ok := strings.Cut(text, `"`+key+`":`)
	n := int64(0)
	for i := 0; ok && i < len(rest) && rest[i] >= '0' && rest[i] <= '9'; i++ {
		n = n*10 + int64(rest[i]-'0')
	}
	return n
}
