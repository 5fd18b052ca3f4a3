package runner

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/conformance/adapter"
	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// mode makes this test binary a reader under test.
const mode = "NETTRACE_TEST_READER"

func TestMain(m *testing.M) {
	switch os.Getenv(mode) {
	case "":
		os.Exit(m.Run())
	case "codec":
		adapter.Main(adapter.Codec)
	case "crash":
		adapter.Main(crashing)
	case "none":
		adapter.Main(func([]byte, io.Writer) adapter.Exit { return adapter.Unsupported })
	case "some6":
		adapter.Main(func(trace []byte, out io.Writer) adapter.Exit {
			if len(trace)%2 == 0 {
				return adapter.Unsupported
			}
			return adapter.Codec(trace, out)
		})
	case "rejects":
		adapter.Main(func(trace []byte, out io.Writer) adapter.Exit {
			fmt.Fprintf(os.Stderr, "a trace of %d bytes\nis rejected\n", len(trace))
			_, _ = io.WriteString(out, `{"type":"end","events":0,"lost":"0","truncated":false}`)
			return adapter.Rejected
		})
	case "hang":
		time.Sleep(time.Minute)
	case "only4":
		adapter.Main(func(trace []byte, out io.Writer) adapter.Exit {
			if !bytes.Contains(trace[:min(40, len(trace))], []byte("FastSerialization")) {
				return adapter.Unsupported
			}
			return adapter.Codec(trace, out)
		})
	}
	os.Exit(0)
}

// crashing is package codec, but ends the process at a truncated stack block.
func crashing(trace []byte, out io.Writer) adapter.Exit {
	var lines bytes.Buffer
	exit := adapter.Codec(trace, &lines)
	if bytes.Contains(lines.Bytes(), []byte(`"rule":"NT-STK`)) {
		os.Exit(139)
	}
	_, _ = out.Write(lines.Bytes())
	return exit
}

// few are cases of every grade and version.
var few = sync.OnceValue(func() []cases.Case {
	return cases.Match("nothing-wrong", "valid/stack/l*", "invalid/stack/*.v4", "either/stack", "valid/netperf")
})

// ask runs this binary as a reader.
func ask(t *testing.T, how string, opt Options) *Report {
	t.Helper()
	t.Setenv(mode, how)
	command := []string{os.Args[0]}
	if opt.Stream {
		command = append(command, adapter.StreamFlag)
	}
	report, err := Run(few(), command, opt)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestRun(t *testing.T) {
	for _, opt := range []Options{{}, {Parallel: 3}, {Stream: true}} {
		t.Run(fmt.Sprintf("%+v", opt), func(t *testing.T) {
			if r := ask(t, "codec", opt); !r.Fine() || r.Count(Passed) != len(few()) {
				t.Errorf("%s", r.Summary())
			}
		})
	}
}

// TestOnResult checks that OnResult gets each result once.
func TestOnResult(t *testing.T) {
	seen := map[string]int{}
	r := ask(t, "only4", Options{Parallel: 3, OnResult: func(r Result) { seen[string(r.Outcome)+" "+r.Case.Name]++ }})
	expect.Equal(t, "results", len(seen), len(few()))
	for _, want := range r.Results {
		expect.Equal(t, want.Case.Name, seen[string(want.Outcome)+" "+want.Case.Name], 1)
	}
}

// TestCrash: a reader that crashes fails those cases, and runs the others.
func TestCrash(t *testing.T) {
	var failed []string
	for _, opt := range []Options{{}, {Stream: true}} {
		t.Run(fmt.Sprintf("%+v", opt), func(t *testing.T) {
			var names []string
			for _, r := range ask(t, "crash", opt).Results {
				if r.Outcome == Failed {
					names = append(names, r.Case.Name)
					if !strings.Contains(r.Reason, "crashed") || r.Case.Block() != "stack" {
						t.Errorf("%s: %s", r.Case.Name, r.Reason)
					}
				}
			}
			if failed == nil {
				failed = names
			}
			if len(names) == 0 || strings.Join(names, " ") != strings.Join(failed, " ") {
				t.Errorf("%v failed, want %v", names, failed)
			}
		})
	}
}

func TestHang(t *testing.T) {
	few := few()[:1]
	t.Setenv(mode, "hang")
	for _, opt := range []Options{{Timeout: 200 * time.Millisecond}, {Timeout: 200 * time.Millisecond, Stream: true}} {
		t.Run(fmt.Sprintf("%+v", opt), func(t *testing.T) {
			r, err := Run(few, []string{os.Args[0], adapter.StreamFlag}, opt)
			expect.NoError(t, err)
			expect.Equal(t, "Count(Failed)", r.Count(Failed), 1)
			expect.Contains(t, "Results[0].Why", r.Results[0].Reason, "no answer")
		})
	}
}

func TestNoProgram(t *testing.T) {
	for _, opt := range []Options{{Parallel: 2}, {Stream: true}} {
		t.Run(fmt.Sprintf("%+v", opt), func(t *testing.T) {
			if _, err := Run(few(), []string{"/no/such/reader"}, opt); err == nil {
				t.Error("no error")
			}
		})
	}
}

func TestUnsupported(t *testing.T) {
	r := ask(t, "only4", Options{Stream: true})
	for _, result := range r.Results {
		if (result.Outcome == Unsupported) != (result.Case.Version == "6") {
			t.Errorf("%s: %s %s", result.Case.Name, result.Outcome, result.Reason)
		}
	}
	var table strings.Builder
	err := r.Table(&table)
	expect.NoError(t, err)
	expect.Contains(t, "table", table.String(), "| stack | ", " - |")
}

// TestUnsupportedElsewhere: exit code 3 is a failure for a version of which the reader
// reads another case, and version 5 names version 4.
func TestUnsupportedElsewhere(t *testing.T) {
	list := []cases.Case{
		{Name: "valid/a/read.v4", Version: "4"}, {Name: "valid/a/b.v5", Version: "5"},
		{Name: "invalid/a/passed.v6", Version: "6"}, {Name: "valid/a/b.v6", Version: "6"},
	}
	trials := []trial{{read: true}, {err: ErrUnsupported}, {read: true}, {err: ErrUnsupported}}
	mustSupport(list, trials)
	report := (&Options{}).report(list, trials)
	for i, want := range []Outcome{Passed, Failed, Passed, Unsupported} {
		expect.Equal(t, report.Results[i].Case.Name, report.Results[i].Outcome, want)
	}
}

// TestKnownFailures: they must fail, and only they may.
func TestKnownFailures(t *testing.T) {
	var text strings.Builder
	text.WriteString("## of the test\n# it ends there\n")
	for _, r := range ask(t, "crash", Options{Stream: true}).Results {
		if r.Outcome == Failed {
			text.WriteString(r.Case.Name + "\n")
		}
	}
	known, err := ParseKnown(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	if r := ask(t, "crash", Options{Stream: true, Known: known}); !r.Fine() || r.Count(KnownFailed) != len(known) {
		t.Error(r.Summary())
	}
	if r := ask(t, "codec", Options{Stream: true, Known: known}); r.Fine() || r.Count(Unexpected) != len(known) {
		t.Error(r.Summary())
	}
}

func TestParseKnown(t *testing.T) {
	name := few()[0].Name
	for text, fine := range map[string]bool{
		"# why\n" + name + "\n":        true,
		"\n## note\n# why\n  " + name:  true,
		name + "\n":                    false,
		"## note\n" + name:             false,
		"# why\n" + name + "\n" + name: false,
		"# why\nvalid/no/such.v6\n":    false,
	} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			known, err := ParseKnown(strings.NewReader(text))
			if (err == nil) != fine {
				t.Errorf("%v, %v", known, err)
			}
			if fine && known[name] != "why" {
				t.Errorf("%v, %v", known, err)
			}
		})
	}
}
