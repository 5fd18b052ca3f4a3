package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestMain lets a test start the program as a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv("NETTRACE_TEST_MAIN") != "" {
		main()
	}
	if signal.Ignored(syscall.SIGHUP) { // by nohup; the processes that tests start would ignore it too
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	os.Exit(m.Run())
}

// result is how a run ended.
type result struct {
	code        int
	out, stderr string
}

// nettrace runs the program in this process.
func nettrace(t *testing.T, stdin []byte, args ...string) result {
	t.Helper()
	var out, stderr bytes.Buffer
	code := run(args, bytes.NewReader(stdin), &out, &stderr)
	return result{code, out.String(), stderr.String()}
}

// exits reports an error if the run ended with another exit code.
func (r result) exits(t *testing.T, code int) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code: got %d, want %d; stderr %q", r.code, code, r.stderr)
	}
}

// complains reports an error if standard error has not this text; where it is
// empty, if standard error has any.
func (r result) complains(t *testing.T, stderr string) {
	t.Helper()
	wantText(t, "stderr", r.stderr, stderr)
}

// wantText reports an error if got has not the text want; where it is empty, if
// got has any.
func wantText(t *testing.T, what, got, want string) {
	t.Helper()
	if want == "" {
		expect.Equal(t, what, got, "")
	}
	expect.Contains(t, what, got, want)
}

// archive is the path of a corpora trace.
func archive(t *testing.T, name string) string {
	t.Helper()
	for _, e := range shared.Corpora(t) {
		if e.Name == name {
			return filepath.Join("..", "..", "corpora", e.File())
		}
	}
	t.Fatalf("no trace %s", name)
	return ""
}

// plain is the plain bytes of a corpora trace.
func plain(t *testing.T, name string) []byte {
	t.Helper()
	data := shared.Trace(t, name)
	return data
}

// file writes bytes to a file of the test.
func file(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// broken are the traces that do not end whole.
var broken = map[string]struct {
	events  int
	message string
}{
	"net10-killed.v4":        {9679, "truncated stream: NT4-EOS-004 at offset 694365"},
	"net10-killed-cut.v4":    {9665, "truncated stream: NT-EOS-006 at offset 682020"},
	"onecollect-overflow.v6": {0, "block at 1011, row 0)"},
}

// caseName names a case by its arguments, and a path by its last element.
func caseName(args ...string) string {
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = a
		if filepath.IsAbs(a) {
			names[i] = filepath.Base(a)
		}
	}
	return fmt.Sprint(names)
}

// checkTrace reads a trace with each verb and compares their counts.
func checkTrace(t *testing.T, name string, data []byte, events int) {
	t.Helper()
	code, message := exitDone, ""
	if b, ok := broken[name]; ok {
		code, events, message = exitBroken, b.events, b.message
	}
	if strings.HasPrefix(name, "gen-cut-") { // made without an end mark
		code, message = exitBroken, fmt.Sprintf(" at offset %d", len(data))
	}
	info := nettrace(t, data, "info", "--json", "-")
	list := nettrace(t, data, "events", "--format=ndjson", "-")
	text := nettrace(t, data, "events", "-")
	blocks := nettrace(t, data, "blocks", "--rows", "-")
	for verb, r := range map[string]result{"info": info, "events ndjson": list, "events text": text, "blocks": blocks} {
		t.Run(verb, func(t *testing.T) {
			if r.code != code || !strings.Contains(r.stderr, message) {
				t.Errorf("exit %d, want %d; stderr %q, want %q in it", r.code, code, r.stderr, message)
			}
		})
	}
	if events < 0 {
		events = strings.Count(list.out, `{"type":"event",`)
	}
	if !strings.Contains(info.out, fmt.Sprintf(`"events":%d,"lost"`, events)) {
		t.Errorf("info does not say %d events: %.600s", events, info.out)
	}
	if end := fmt.Sprintf(`{"type":"end","events":%d,"lost":`, events); !strings.Contains(list.out, end) ||
		strings.Count(list.out, `{"type":"event",`) != events {
		t.Errorf("ndjson has not %d events: %s", events, list.out[strings.LastIndex(list.out[:len(list.out)-1], "\n")+1:])
	}
	if n := strings.Count(text.out, "\n") - strings.Count(text.out, " lost\n"); n != events {
		t.Errorf("text has %d lines, want %d", n, events)
	}
	netperf := bytes.HasPrefix(data, []byte("\x14\x00\x00\x00!FastSerialization.1")) // its event blocks hold metadata too
	sum, rows := sumRows(t, blocks.out)
	if !netperf && sum != events {
		t.Errorf("rows by the headers of event blocks: got %d, want %d", sum, events)
	}
	expect.Equal(t, "rows that blocks lists", rows, events)
}

// sumRows adds up the rows of event blocks by their own lines, and counts the
// lines of event rows.
func sumRows(t *testing.T, text string) (sum, rows int) {
	t.Helper()
	for line := range strings.Lines(text) {
		switch words := strings.Fields(line); {
		case line[13] == ' ' && len(words) > 3 && words[1] == "Event":
			n, err := strconv.Atoi(words[3])
			if err != nil {
				t.Fatal(err)
			}
			sum += n
		case strings.Contains(line, " sequence=") && strings.Contains(line, " stack="):
			rows++
		}
	}
	return sum, rows
}

// TestCorpora reads the traces of the repository with every verb.
func TestCorpora(t *testing.T) {
	for _, e := range shared.SmallCorpora(t) {
		t.Run(e.Name, func(t *testing.T) { checkTrace(t, e.Name, plain(t, e.Name), e.Events) })
	}
}

// TestSharedTraces reads those that are not in the repository.
func TestSharedTraces(t *testing.T) {
	known := map[string]bool{}
	for _, e := range shared.Corpora(t) {
		known[e.Name] = true
	}
	for _, name := range shared.Small(t) {
		if !known[name] {
			t.Run(name, func(t *testing.T) { checkTrace(t, name, shared.Trace(t, name), -1) })
		}
	}
}

// TestStreams reads every small stream with every verb: whatever is in it, the
// program ends by one of its exit codes, and says why when it is not 0.
func TestStreams(t *testing.T) {
	for _, name := range shared.Streams(t) {
		t.Run(name, func(t *testing.T) {
			data := shared.Stream(t, name)
			for _, args := range [][]string{
				{"info", "--all", "-"}, {"info", "--json", "-"}, {"events", "--stacks", "--payload", "-"},
				{"events", "--format=ndjson", "--rows", "--payload", "--fields", "-"}, {"events", "--fields", "--order=time", "-"},
				{"blocks", "--rows", "--hex", "-"}, {"events", "--strict", "-"},
			} {
				t.Run(caseName(args...), func(t *testing.T) {
					r := nettrace(t, data, args...)
					if !slices.Contains([]int{exitDone, exitBroken, exitVersion}, r.code) {
						t.Errorf("exit code: got %d, want 0, 1 or 3", r.code)
					}
					if r.code != exitDone && r.stderr == "" {
						t.Errorf("exit code %d without an error", r.code)
					}
				})
			}
		})
	}
}

func TestGolden(t *testing.T) {
	for _, name := range []string{"onecollect-small.v6", "net10-counters.v4", "net10-killed-cut.v4"} {
		t.Run(name, func(t *testing.T) {
			for verb, args := range map[string][]string{
				"info": {"info"}, "info-json": {"info", "--json"}, "events": {"events", "--limit=5", "--stacks", "--fields"}, "blocks": {"blocks"},
			} {
				t.Run(verb, func(t *testing.T) {
					r := nettrace(t, nil, append(args, archive(t, name))...)
					golden(t, filepath.Join("testdata", name+"."+verb+".txt"), r.out+r.stderr)
				})
			}
		})
	}
	r := nettrace(t, nil, "blocks", "--rows", "--hex", archive(t, "onecollect-small.v6"))
	golden(t, filepath.Join("testdata", "onecollect-small.v6.blocks-rows-hex.txt"), r.out+r.stderr)
}

// golden compares text with a file, which -update writes.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update writes it anew):\n%s", path, got)
	}
}
