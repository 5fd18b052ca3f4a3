package program_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
)

// line is what the filter tests read of an event line.
type line struct {
	Type, Provider, Name     string
	ID                       uint32
	Level                    int
	Keywords                 string
	Thread, Process, Payload string
}

// eventLines lists the events of a trace that match.
func eventLines(t *testing.T, trace string, flags ...string) []line {
	t.Helper()
	r := programtest.Run(t, nil, append([]string{"events", "--format=ndjson", trace}, flags...)...)
	if r.Code != exit.Done {
		t.Fatalf("%s: exit %d: %s", flags, r.Code, r.Stderr)
	}
	var list []line
	for text := range strings.Lines(r.Out) {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		if l.Type == "event" {
			list = append(list, l)
		}
	}
	return list
}

// TestFilters compares what the program keeps with what a plain look at all
// lines keeps.
func TestFilters(t *testing.T) {
	startup, small := testfile.Archive(t, "azmcp-net10-startup.v4"), testfile.Archive(t, "onecollect-small.v6")
	const runtime, rundown = "Microsoft-Windows-DotNETRuntime", "Microsoft-Windows-DotNETRuntimeRundown"
	for _, c := range []struct {
		trace string
		flags []string
		keep  func(line) bool
	}{
		{startup, []string{"--provider", "microsoft-windows-dotnetRUNTIME"}, func(l line) bool { return l.Provider == runtime }},
		{startup, []string{"--provider", runtime + "?*"}, func(l line) bool { return l.Provider == rundown }},
		{startup, []string{"--provider", runtime + "," + rundown}, func(l line) bool { return l.Provider == runtime || l.Provider == rundown }},
		{startup, []string{"--provider", "*Sample*", "--provider", rundown}, func(l line) bool {
			return l.Provider == rundown || strings.Contains(l.Provider, "Sample")
		}},
		{startup, []string{"--event", "3,7-9", "--event", "0x97"}, func(l line) bool { return l.ID == 3 || l.ID >= 7 && l.ID <= 9 || l.ID == 0x97 }},
		{startup, []string{"--event", "3, 7-9 ", "--event", " MethodUnload*, 0x97"}, func(l line) bool {
			return l.ID == 3 || l.ID >= 7 && l.ID <= 9 || l.ID == 0x97 || strings.HasPrefix(l.Name, "MethodUnload")
		}},
		{startup, []string{"--provider", " *Sample*, " + rundown + " "}, func(l line) bool {
			return l.Provider == rundown || strings.Contains(l.Provider, "Sample")
		}},
		{startup, []string{"--thread", "3371, 99999999"}, func(l line) bool { return l.Thread == "3371" }},
		{startup, []string{"--level", "4"}, func(l line) bool { return l.Level <= 4 }},
		{startup, []string{"--level", "Warning"}, func(l line) bool { return l.Level <= 3 }},
		{startup, []string{"--level", "0"}, func(l line) bool { return l.Level == 0 }},
		{startup, []string{"--keyword", "0x1"}, func(l line) bool { return l.Keywords == "0x1" }},
		{startup, []string{"--thread", "3371"}, func(l line) bool { return l.Thread == "3371" }},
		{startup, []string{"--process", "3371"}, func(line) bool { return true }},
		{startup, []string{"--event", "151", "--provider", runtime}, func(l line) bool { return l.ID == 151 && l.Provider == runtime }},
		{startup, []string{"--payload", "--event", "187"}, func(l line) bool { return l.ID == 187 }},
		{startup, []string{"--event", "MethodUnload*"}, func(l line) bool { return strings.HasPrefix(l.Name, "MethodUnload") }},
		{startup, []string{"--event", "threadsample"}, func(l line) bool { return l.Name == "ThreadSample" }},
		{small, []string{"--event", "cpu"}, func(l line) bool { return l.Name == "cpu" }},
		{small, []string{"--event", "process*,EXC*"}, func(l line) bool {
			return strings.HasPrefix(l.Name, "Process") || strings.HasPrefix(l.Name, "Exc")
		}},
		{small, []string{"--process", "42", "--thread", "100-101"}, func(l line) bool {
			return l.Process == "42" && (l.Thread == "100" || l.Thread == "101")
		}},
	} {
		t.Run(testfile.CaseName(c.flags...), func(t *testing.T) {
			got := eventLines(t, c.trace, c.flags...)
			want, kept := 0, true
			for _, l := range eventLines(t, c.trace) {
				if c.keep(l) {
					want++
				}
			}
			for _, l := range got {
				kept = kept && c.keep(l)
			}
			if len(got) != want || !kept {
				t.Errorf("%d events, want %d; all wanted: %v", len(got), want, kept)
			}
			if c.flags[0] == "--payload" && got[0].Payload == "" {
				t.Error("--payload prints none")
			}
		})
	}
}

// TestLimit: the limit counts events that match, ends the reading and leaves
// exit 0 even if errors follow.
func TestLimit(t *testing.T) {
	cut := testfile.Archive(t, "net10-killed-cut.v4")
	for _, c := range []struct {
		flags []string
		code  int
		lines int
	}{
		{[]string{"--limit=5"}, exit.Done, 5},
		{[]string{"--limit=9665"}, exit.Done, 9665},
		{[]string{"--limit=9666"}, exit.Broken, 9665},
		{[]string{"--limit=0"}, exit.Broken, 9665},
		{[]string{"--limit=3", "--provider=*Sampl*"}, exit.Done, 3},
	} {
		t.Run(testfile.CaseName(c.flags...), func(t *testing.T) {
			r := programtest.Run(t, nil, append([]string{"events", cut}, c.flags...)...)
			if n := strings.Count(r.Out, "\n"); r.Code != c.code || n != c.lines {
				t.Errorf("exit %d and %d lines, want %d and %d", r.Code, n, c.code, c.lines)
			}
		})
	}
	r := programtest.Run(t, nil, "events", "--format=ndjson", "--limit=2", cut)
	if !strings.HasSuffix(r.Out, `{"type":"end","events":2,"lost":"0","truncated":false}`+"\n") {
		t.Errorf("the end line is missing after the limit: %s", r.Out)
	}
}
