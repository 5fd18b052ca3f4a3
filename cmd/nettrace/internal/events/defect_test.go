package events_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestDefectLines: events --format ndjson prints a line for each defect, each bad
// block and the error that ends the reading. --strict prints nothing after the first.
func TestDefectLines(t *testing.T) {
	for _, c := range []struct {
		name          string
		code          int
		defect        string
		before, after int // events before and after the line
		strictBefore  int
		strictCode    int
	}{
		{"invalid/stack/unknown-stack.v6", exit.Done, `"rule":"NT-STK-007"`, 2, 15, 2, exit.Broken},
		{"invalid/event/event-block-short.v6", exit.Broken, `"rule":"NT-EVB-001"`, 12, 0, 12, exit.Broken},
		{"invalid/event/payload-past-block.v6", exit.Broken, `"rule":"NT-CMP-006"`, 6, 10, 6, exit.Broken},
		{"invalid/endofstream/no-end-block.v6", exit.Broken, `"rule":"NT6-EOS-001"`, 17, 0, 17, exit.Broken},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, before, after := defectLines(t, c.name, c.defect)
			expect.Equal(t, "exit code", code, c.code)
			expect.Equal(t, "events before the defect", before, c.before)
			expect.Equal(t, "events after the defect", after, c.after)
			code, before, after = defectLines(t, c.name, c.defect, "--strict")
			expect.Equal(t, "exit code of --strict", code, c.strictCode)
			expect.Equal(t, "events before the defect with --strict", before, c.strictBefore)
			expect.Equal(t, "events after the defect with --strict", after, 0)
		})
	}
}

// defectLines runs events on a case. It returns the exit code and the number of events
// before and after the line of a defect.
func defectLines(t *testing.T, name, defect string, flags ...string) (code, before, after int) {
	t.Helper()
	var out bytes.Buffer
	args := append([]string{"events", "--format", "ndjson", "--fields", "-"}, flags...)
	code = programtest.RunContext(t.Context(), args, bytes.NewReader(cases.Match(name)[0].Trace), &out, &bytes.Buffer{})
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	at := slices.IndexFunc(lines, func(l string) bool {
		return strings.HasPrefix(l, `{"type":"defect","offset":`) && strings.Contains(l, defect)
	})
	if at < 0 {
		t.Fatalf("no defect line with %s in\n%s", defect, out.String())
	}
	count := func(lines []string) (n int) {
		for _, l := range lines {
			if strings.HasPrefix(l, `{"type":"event"`) {
				n++
			}
		}
		return n
	}
	return code, count(lines[:at]), count(lines[at:])
}
