package program_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// broken are the traces without an intact end.
var broken = map[string]struct {
	events  int
	message string
}{
	"net10-killed.v4":        {9679, "truncated stream: NT4-EOS-004 at offset 694365"},
	"net10-killed-cut.v4":    {9665, "truncated stream: NT-EOS-006 at offset 682020"},
	"onecollect-overflow.v6": {0, "block at 1011, row 0)"},
}

// checkTrace reads a trace with each command and compares their counts.
func checkTrace(t *testing.T, name string, data []byte, events int) {
	t.Helper()
	code, message := exit.Done, ""
	if b, ok := broken[name]; ok {
		code, events, message = exit.Broken, b.events, b.message
	}
	if strings.HasPrefix(name, "gen-cut-") { // written without an end mark
		code, message = exit.Broken, fmt.Sprintf(" at offset %d", len(data))
	}
	info := programtest.Run(t, data, "info", "--json", "-")
	list := programtest.Run(t, data, "events", "--format=ndjson", "-")
	text := programtest.Run(t, data, "events", "-")
	blocks := programtest.Run(t, data, "blocks", "--rows", "-")
	for verb, r := range map[string]programtest.Result{"info": info, "events ndjson": list, "events text": text, "blocks": blocks} {
		t.Run(verb, func(t *testing.T) {
			if r.Code != code || !strings.Contains(r.Stderr, message) {
				t.Errorf("exit %d, want %d; stderr %q, want %q in it", r.Code, code, r.Stderr, message)
			}
		})
	}
	if events < 0 {
		events = strings.Count(list.Out, `{"type":"event",`)
	}
	if !strings.Contains(info.Out, fmt.Sprintf(`"events":%d,"lost"`, events)) {
		t.Errorf("info does not print %d events: %.600s", events, info.Out)
	}
	if end := fmt.Sprintf(`{"type":"end","events":%d,"lost":`, events); !strings.Contains(list.Out, end) ||
		strings.Count(list.Out, `{"type":"event",`) != events {
		t.Errorf("ndjson has not %d events: %s", events, list.Out[strings.LastIndex(list.Out[:len(list.Out)-1], "\n")+1:])
	}
	if n := strings.Count(text.Out, "\n") - strings.Count(text.Out, " lost\n"); n != events {
		t.Errorf("text has %d lines, want %d", n, events)
	}
	netperf := bytes.HasPrefix(data, []byte("\x14\x00\x00\x00!FastSerialization.1")) // its event blocks hold metadata too
	sum, rows := sumRows(t, blocks.Out)
	if !netperf && sum != events {
		t.Errorf("rows by the headers of event blocks: got %d, want %d", sum, events)
	}
	expect.Equal(t, "rows that blocks lists", rows, events)
}

// sumRows adds up the rows in the lines of event blocks, and counts the
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

// TestCorpora reads the traces of the repository with every command.
func TestCorpora(t *testing.T) {
	for _, e := range shared.SmallCorpora(t) {
		t.Run(e.Name, func(t *testing.T) { checkTrace(t, e.Name, testfile.Plain(t, e.Name), e.Events) })
	}
}

// TestSharedTraces reads the traces that are not in the repository.
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

// TestStreams reads every small stream with every command: the
// program always ends with one of its exit codes, and prints the reason when it is not 0.
func TestStreams(t *testing.T) {
	for i, name := range shared.Streams(t) {
		if !tier.Check && i%5 > 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			data := shared.Stream(t, name)
			for _, args := range [][]string{
				{"info", "--all", "-"}, {"info", "--json", "-"}, {"events", "--stacks", "--payload", "-"},
				{"events", "--format=ndjson", "--rows", "--payload", "--fields", "-"}, {"events", "--fields", "--order=time", "-"},
				{"blocks", "--rows", "--hex", "-"}, {"events", "--strict", "-"},
			} {
				t.Run(testfile.CaseName(args...), func(t *testing.T) {
					r := programtest.Run(t, data, args...)
					if !slices.Contains([]int{exit.Done, exit.Broken, exit.Version}, r.Code) {
						t.Errorf("exit code: got %d, want 0, 1 or 3", r.Code)
					}
					if r.Code != exit.Done && r.Stderr == "" {
						t.Errorf("exit code %d without an error", r.Code)
					}
				})
			}
		})
	}
}

// TestFirstSteps runs the commands that nettrace prints without arguments. A page is open
// until its server is stopped, so the help of view is printed instead.
func TestFirstSteps(t *testing.T) {
	r := programtest.Run(t, nil)
	r.Exits(t, exit.Done)
	commands := regexp.MustCompile(`(?m)^    nettrace (\w+)`).FindAllStringSubmatch(r.Out, -1)
	expect.Len(t, "commands", commands, 3)
	for _, c := range commands {
		t.Run(c[1], func(t *testing.T) {
			args := []string{c[1]}
			if c[1] == "view" {
				args = append(args, "--help")
			}
			r := programtest.Run(t, nil, args...)
			r.Exits(t, exit.Done)
			expect.NotZero(t, "bytes of output and of messages", len(r.Out+r.Stderr))
		})
	}
}
