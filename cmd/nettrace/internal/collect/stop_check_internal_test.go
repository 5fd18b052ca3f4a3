package collect

import (
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/profiletrace"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// TestStopPossible: an event that can never come is refused, with the nearest
// names.
func TestStopPossible(t *testing.T) {
	session := []eventpipe.Provider{
		{Name: profiletrace.RuntimeName, Keywords: 0x8001, Level: 4},
		{Name: "My-Source", Keywords: 1, Level: 5},
	}
	for _, c := range []struct{ name, text, want string }{ // want "": possible
		{"event by name", profiletrace.RuntimeName + "/ExceptionThrown", ""},
		{"provider in other letter case", strings.ToLower(profiletrace.RuntimeName) + "/ExceptionThrown", ""},
		{"event by the name of TraceEvent", profiletrace.RuntimeName + "/Exception/Start", ""},
		{"event by id", profiletrace.RuntimeName + "/80", ""},
		{"field", profiletrace.RuntimeName + "/ExceptionThrown:ExceptionType=X", ""},
		{"field of an older version", profiletrace.RuntimeName + "/GCStart:Count=1", ""},
		{"event source", "My-Source/Anything:x=1", ""},
		{"provider that is not recorded", "My-Sourse/Anything", "provider My-Sourse is not recorded; the nearest: My-Source"},
		{"unknown event", profiletrace.RuntimeName + "/ExceptionTrown", "has no event ExceptionTrown; the nearest: ExceptionThrown"},
		{"event in other letter case", profiletrace.RuntimeName + "/gcstart", "the nearest: GCStart"},
		{"unknown id", profiletrace.RuntimeName + "/9999", "has no event 9999"},
		{"unknown field", profiletrace.RuntimeName + "/ExceptionThrown:Type=X", "ExceptionThrown has no field Type; the nearest: ExceptionType"},
		{"keyword that is not recorded", profiletrace.RuntimeName + "/ContentionStart", "it needs Microsoft-Windows-DotNETRuntime:0x4000:4"},
		{"level that is not recorded", profiletrace.RuntimeName + "/MethodJittingStarted", "is not recorded: it needs"},
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
