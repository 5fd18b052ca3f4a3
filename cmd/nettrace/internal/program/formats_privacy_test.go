package program_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	pprof "github.com/google/pprof/profile"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/profiletrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
)

// TestCommandLineLeft: no profile has the command line of the process, nor the
// folder of the trace, unless it is asked for.
func TestCommandLineLeft(t *testing.T) {
	path := testfile.New(t, "secret-file.nettrace", profiletrace.Trace())
	folder := filepath.Base(filepath.Dir(path))
	for _, c := range []struct {
		name string
		args []string
	}{
		{"pprof", []string{"convert", path, "-o", "-", "--format", "pprof"}},
		{"speedscope", []string{"convert", path, "-o", "-", "--format", "speedscope"}},
		{"chromium", []string{"convert", path, "-o", "-", "--format", "chromium"}},
		{"folded", []string{"convert", path, "-o", "-", "--format", "folded"}},
		{"top", []string{"top", path}},
		{"info", []string{"info", "--json", path}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, nil, c.args...)
			if r.Code != exit.Done {
				t.Fatalf("exit %d: %s", r.Code, r.Stderr)
			}
			text := r.Out
			if c.name == "pprof" {
				text = pprofText(t, r.Out)
			}
			if strings.Contains(text, "--port") {
				t.Error("the command line is in it")
			}
			if c.name != "info" && strings.Contains(text, folder+"/") {
				t.Errorf("the folder %s is in it", folder)
			}
		})
	}
}

// TestCommandLineAsked: --command-line adds it to pprof, and is refused elsewhere.
func TestCommandLineAsked(t *testing.T) {
	r := programtest.Run(t, profiletrace.Trace(), "convert", "-", "-o", "-", "--format", "pprof", "--command-line")
	if text := pprofText(t, r.Out); !strings.Contains(text, "command line: dotnet /srv/App.dll --port 80\n") {
		t.Errorf("no command line in %.500s", text)
	}
	for _, to := range []string{"folded", "speedscope", "chromium", "v6"} {
		t.Run(to, func(t *testing.T) {
			r := programtest.Run(t, profiletrace.Trace(), "convert", "-", "-o", "-", "--format", to, "--command-line")
			if r.Code != exit.Usage || !strings.Contains(r.Stderr, "--command-line") {
				t.Errorf("exit %d, %s", r.Code, r.Stderr)
			}
		})
	}
}

// TestPeriodType: the unit of the period is one of the sample types.
func TestPeriodType(t *testing.T) {
	for _, kind := range []string{"", "wall", "cpu", "alloc", "lock", "exceptions", "gc"} {
		t.Run(kind, func(t *testing.T) {
			args := []string{"convert", "-", "-o", "-", "--format", "pprof"}
			if kind != "" {
				args = append(args, "--type", kind)
			}
			r := programtest.Run(t, profiletrace.Trace(), args...)
			p, err := pprof.ParseData([]byte(r.Out))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(p.SampleType, func(v *pprof.ValueType) bool { return *v == *p.PeriodType }) {
				t.Errorf("period type %v, sample types %v", p.PeriodType, p.SampleType)
			}
			if p.Period <= 0 {
				t.Errorf("period %d", p.Period)
			}
		})
	}
}

func pprofText(t *testing.T, data string) string {
	t.Helper()
	p, err := pprof.ParseData([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return p.String()
}
