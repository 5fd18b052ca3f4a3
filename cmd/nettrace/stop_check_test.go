package main

import (
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/eventpipe"
)

// TestStopPossible: an event that can never come is refused, with the nearest
// names.
func TestStopPossible(t *testing.T) {
	session := []eventpipe.Provider{
		{Name: runtimeName, Keywords: 0x8001, Level: 4},
		{Name: "My-Source", Keywords: 1, Level: 5},
	}
	for _, c := range []struct{ name, text, want string }{ // want "": possible
		{"event by name", runtimeName + "/ExceptionThrown", ""},
		{"provider in other letter case", strings.ToLower(runtimeName) + "/ExceptionThrown", ""},
		{"event by the name of TraceEvent", runtimeName + "/Exception/Start", ""},
		{"event by id", runtimeName + "/80", ""},
		{"field", runtimeName + "/ExceptionThrown:ExceptionType=X", ""},
		{"field of an older version", runtimeName + "/GCStart:Count=1", ""},
		{"event source", "My-Source/Anything:x=1", ""},
		{"provider that is not recorded", "My-Sourse/Anything", "provider My-Sourse is not recorded; the nearest: My-Source"},
		{"unknown event", runtimeName + "/ExceptionTrown", "has no event ExceptionTrown; the nearest: ExceptionThrown"},
		{"event in other letter case", runtimeName + "/gcstart", "the nearest: GCStart"},
		{"unknown id", runtimeName + "/9999", "has no event 9999"},
		{"unknown field", runtimeName + "/ExceptionThrown:Type=X", "ExceptionThrown has no field Type; the nearest: ExceptionType"},
		{"keyword that is not recorded", runtimeName + "/ContentionStart", "it needs Microsoft-Windows-DotNETRuntime:0x4000:4"},
		{"level that is not recorded", runtimeName + "/MethodJittingStarted", "is not recorded: it needs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := parseStop(c.text, stoppingEvent{})
			if err != nil {
				t.Fatal(err)
			}
			err = m.possible(session)
			switch {
			case c.want == "" && err != nil:
				t.Errorf("possible: %v, want nil", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("possible: %v, want an error with %q", err, c.want)
			}
		})
	}
}

// TestCollectStopOnUsage: collect refuses it before it connects.
func TestCollectStopOnUsage(t *testing.T) {
	for _, flags := range [][]string{
		{"--stop-on", "Nobody/1"},
		{"--stopping-event-provider-name", runtimeName, "--stopping-event-event-name", "GC/Begin"},
	} {
		t.Run(flags[0], func(t *testing.T) {
			r := nettrace(t, nil, append([]string{"collect", "-p", "999999999"}, flags...)...)
			if r.code != exitUsage {
				t.Errorf("exit %d, want %d", r.code, exitUsage)
			}
			if want := "the nearest: "; !strings.Contains(r.stderr, want) {
				t.Errorf("stderr %q, want %q in it", r.stderr, want)
			}
		})
	}
}
