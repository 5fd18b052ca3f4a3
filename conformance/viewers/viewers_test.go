//go:build check || nightly

package viewers

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"

	"github.com/nettrace-go/nettrace/internal/machine"
	rules "github.com/nettrace-go/nettrace/internal/viewers"
)

// program builds nettrace.
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nettrace")
	if out, err := exec.Command("go", "build", "-o", path, "../../cmd/nettrace").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// convert converts a trace of the corpora, and returns the path of the output.
func convert(t *testing.T, nettrace, trace, extension string, flags ...string) string {
	t.Helper()
	data := shared.Trace(t, trace)
	out := filepath.Join(t.TempDir(), trace+extension)
	cmd := exec.Command(nettrace, append([]string{"convert", "-", "-o", out}, flags...)...)
	cmd.Stdin = bytes.NewReader(data)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, text)
	}
	return out
}

// TestPprof: pprof shows wall time by default and names with their generic
// arguments and complete parameters, separates overloads, and reports nothing
// wrong.
func TestPprof(t *testing.T) {
	nettrace := program(t)
	for trace, names := range map[string][]string{
		"aspnet-net10.v4": {
			"System.Text.Json.Serialization.Metadata.JsonTypeInfo<__Canon>.SerializeAsync", "System.Threading.Monitor.Wait(object, int)",
		},
		"azmcp-net10-cpu.v4": {"System.Threading.Thread.StartCallback()", "AsyncMethodBuilderCore.Start(ref M0)"},
	} {
		t.Run(trace, func(t *testing.T) {
			profile := convert(t, nettrace, trace, ".pb.gz")
			cmd := exec.Command("go", "tool", "pprof", "-top", "-nodecount=100000", "-nodefraction=0", profile)
			cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Run(); err != nil || stderr.Len() > 0 {
				t.Errorf("%v, standard error: %s", err, stderr.Bytes())
			}
			text := stdout.String()
			for _, want := range append(names, "Type: wall\n", "Duration: ", "nettrace convert") {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in\n%.3000s", want, text)
				}
			}
			if n := overloads(text); n == 0 {
				t.Error("no two overloads of a method are separate")
			}
			for line := range strings.Lines(text) {
				if strings.Count(line, "<") > strings.Count(line, ">") || strings.Count(line, "(") > strings.Count(line, ")") {
					t.Errorf("a name is truncated: %s", line)
				}
			}
		})
	}
}

// overloads counts the methods that the rows of pprof -top have several of.
func overloads(text string) int {
	seen := map[string]int{}
	for line := range strings.Lines(text) {
		fields := regexp.MustCompile(`\s{2,}`).Split(strings.TrimSpace(line), -1)
		name, _, ok := strings.Cut(fields[len(fields)-1], "(")
		if ok && name != "" {
			seen[name]++
		}
	}
	several := 0
	for _, n := range seen {
		if n > 1 {
			several++
		}
	}
	return several
}

// TestSpeedscope opens files in speedscope itself, and finds every profile in
// its list.
func TestSpeedscope(t *testing.T) {
	browser := machine.Program(t, "chromium")
	page := machine.Package(t, "speedscope", "dist/release/index.html")
	nettrace := program(t)
	for _, c := range []struct {
		trace string
		flags []string
	}{
		{"aspnet-net10.v4", nil},
		{"azmcp-net10-cpu.v4", nil},
		{"aspnet-net10.v4", []string{"--type", "alloc"}},
		{"aspnet-net10.v4", []string{"--merge"}},
		{"net10-deep.v4", []string{"--fold-recursion"}},
	} {
		t.Run(fmt.Sprintf("%s %v", c.trace, c.flags), func(t *testing.T) {
			file := convert(t, nettrace, c.trace, ".speedscope.json", c.flags...)
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f, err := rules.ParseSpeedscope(data)
			if err != nil {
				t.Fatal(err)
			}
			shown, log := open(t, browser, page, data)
			expect.Contains(t, "log", log, "import: ")
			expect.Lacks(t, "log", log, "Failed", "Uncaught")
			expect.Lacks(t, "shown", shown, "Something went wrong")
			check(t, c.trace, shown, f)
		})
	}
}

// check compares the profiles in speedscope's list with those of the file. A
// file with one profile has no list: its name is in the title.
func check(t *testing.T, trace, shown string, f *rules.Speedscope) {
	t.Helper()
	if len(f.Profiles) == 1 {
		if !strings.Contains(shown, f.Profiles[0].Name) {
			t.Errorf("%s: %q is not shown", trace, f.Profiles[0].Name)
		}
		return
	}
	rows := regexp.MustCompile(`<tr title="([^"]*)"`).FindAllStringSubmatch(shown, -1)
	if len(rows) != len(f.Profiles) {
		t.Errorf("%s: speedscope lists %d profiles of %d", trace, len(rows), len(f.Profiles))
		return
	}
	for i, row := range rows {
		if row[1] != f.Profiles[i].Name {
			t.Errorf("%s: profile %d is %q, speedscope shows %q", trace, i, f.Profiles[i].Name, row[1])
		}
	}
}

// open shows a file in speedscope, without a network. It returns the drawn page
// and the log of the browser.
func open(t *testing.T, browser, page string, data []byte) (shown, log string) {
	t.Helper()
	dir := t.TempDir()
	script := filepath.Join(dir, "profile.js")
	text := fmt.Sprintf("speedscope.loadFileFromBase64('profile','%s')", base64.StdEncoding.EncodeToString(data))
	if err := os.WriteFile(script, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir="+filepath.Join(dir, "user"),
		"--window-size=1200,700", "--virtual-time-budget=10000", "--enable-logging=stderr", "--dump-dom",
		"file://"+page+"#localProfilePath="+script)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("chromium: %v\n%s", err, stderr.Bytes())
	}
	var console []string
	for line := range strings.Lines(stderr.String()) {
		if strings.Contains(line, "CONSOLE") {
			console = append(console, line)
		}
	}
	return stdout.String(), strings.Join(console, "")
}
