package trigger

import (
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
)

// TestMatchCheck refuses an event that can never come.
func TestMatchCheck(t *testing.T) {
	session := []eventpipe.Provider{
		{Name: provider.Runtime, Keywords: 0x8001, Level: 4},
		{Name: "My-Source", Keywords: 1, Level: 5},
	}
	for _, c := range []struct{ name, text, want string }{ // want "": possible
		{"event by name", provider.Runtime + "/ExceptionThrown", ""},
		{"provider in other letter case", strings.ToLower(provider.Runtime) + "/ExceptionThrown", ""},
		{"event by the name of TraceEvent", provider.Runtime + "/Exception/Start", ""},
		{"event by id", provider.Runtime + "/80", ""},
		{"field", provider.Runtime + "/ExceptionThrown:ExceptionType=X", ""},
		{"field of an older version", provider.Runtime + "/GCStart:Count=1", ""},
		{"event source", "My-Source/Anything:x=1", ""},
		{"provider that is not recorded", "My-Sourse/Anything", "provider My-Sourse is not recorded"},
		{"unknown event", provider.Runtime + "/ExceptionTrown", "has no event ExceptionTrown"},
		{"event in other letter case", provider.Runtime + "/gcstart", "has no event gcstart"},
		{"unknown id", provider.Runtime + "/9999", "has no event 9999"},
		{"unknown field", provider.Runtime + "/ExceptionThrown:Type=X", "ExceptionThrown has no field Type"},
		{"keyword that is not recorded", provider.Runtime + "/ContentionStart", "it needs Microsoft-Windows-DotNETRuntime:0x4000:4"},
		{"level that is not recorded", provider.Runtime + "/MethodJittingStarted", "is not recorded: it needs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := ParseMatch(c.text)
			if err != nil {
				t.Fatal(err)
			}
			err = m.Check(session)
			switch {
			case c.want == "" && err != nil:
				t.Errorf("Check: %v, want nil", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("Check: %v, want an error with %q", err, c.want)
			}
		})
	}
}
