package trigger_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/analysis/trigger"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// runtime returns the provider of the runtime with keywords and a level.
func runtime(keywords uint64, level int) eventpipe.Provider {
	return eventpipe.Provider{Name: clr.RuntimeProvider, Keywords: keywords, Level: level}
}

// TestSession checks what the rules add to a session.
func TestSession(t *testing.T) {
	source := eventpipe.Provider{Name: "System.Runtime", Level: 4, Arguments: "EventCounterIntervalSec=1"}
	faster := eventpipe.Provider{Name: "System.Runtime", Level: 4, Arguments: "EventCounterIntervalSec=0.5"}
	for _, c := range []struct {
		name, rule string
		session    []eventpipe.Provider
		all, added []eventpipe.Provider
	}{
		{"a new provider", "gc-pause > 1s", nil, []eventpipe.Provider{runtime(1, 4)}, []eventpipe.Provider{runtime(1, 4)}},
		{"nothing", "gc-pause > 1s", []eventpipe.Provider{runtime(3, 5)}, []eventpipe.Provider{runtime(3, 5)}, nil},
		{"a keyword", "ExceptionThrown", []eventpipe.Provider{runtime(1, 4)}, []eventpipe.Provider{runtime(0x8001, 4)}, []eventpipe.Provider{runtime(0x8000, 4)}},
		{"a level", "gc-pause > 1s", []eventpipe.Provider{runtime(1, 2)}, []eventpipe.Provider{runtime(1, 4)}, []eventpipe.Provider{runtime(0, 4)}},
		{"an EventCounter", "System.Runtime/cpu-usage > 1", nil, []eventpipe.Provider{source}, []eventpipe.Provider{source}},
		{"its interval is kept", "System.Runtime/cpu-usage > 1", []eventpipe.Provider{faster}, []eventpipe.Provider{faster}, nil},
		{"a Meter alone", "System.Runtime/dotnet.exceptions > 1", nil, nil, nil},
		{"an event of a source of the session", "My-Source/E", []eventpipe.Provider{{Name: "My-Source"}}, []eventpipe.Provider{{Name: "My-Source"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			rule, err := trigger.Parse(c.rule)
			expect.NoError(t, err)
			expect.Stop(t)
			all, added, err := trigger.Session([]*trigger.Rule{rule}, c.session)
			expect.NoError(t, err)
			if !reflect.DeepEqual(all, c.all) {
				t.Errorf("all: %+v, want %+v", all, c.all)
			}
			if !reflect.DeepEqual(added, c.added) {
				t.Errorf("added: %+v, want %+v", added, c.added)
			}
		})
	}
}

// TestSessionImpossible refuses rules that no event of the session can match.
func TestSessionImpossible(t *testing.T) {
	without := func(p eventpipe.Provider, ids ...uint32) []eventpipe.Provider {
		p.Filter = &eventpipe.EventFilter{IDs: ids, Deny: true}
		return []eventpipe.Provider{p}
	}
	for _, c := range []struct {
		name, rule string
		session    []eventpipe.Provider
		want       string
	}{
		{"an unknown provider", "My-Source/E > 1/s", nil, "provider My-Source is not recorded"},
		{"a filter of the event", "ExceptionThrown", without(runtime(0x8000, 4), 80), "is not recorded"},
		{"a filter of a pause", "gc-pause > 1s", without(runtime(1, 4), 3), "leaves out event 3"},
		{"a filter of requests", "request > 1s", without(eventpipe.Provider{Name: clr.KestrelProvider}, 4), "leaves out event 4"},
		{"Meters selected twice", "My/m > 1", []eventpipe.Provider{{Name: counters.MetersProvider}}, "leave this provider out"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rule, err := trigger.Parse(c.rule)
			expect.NoError(t, err)
			expect.Stop(t)
			_, _, err = trigger.Session([]*trigger.Rule{rule}, c.session)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

// TestMeters selects the instruments of rules.
func TestMeters(t *testing.T) {
	var list []*trigger.Rule
	for _, text := range []string{"System.Runtime/dotnet.exceptions > 1", "System.Runtime/cpu-usage > 1", "My/m > 1", "gc-pause > 1s"} {
		rule, err := trigger.Parse(text)
		expect.NoError(t, err)
		list = append(list, rule)
	}
	want := counters.Selection{{Provider: "System.Runtime", Counters: []string{"dotnet.exceptions"}}, {Provider: "My", Counters: []string{"m"}}}
	if got := trigger.Meters(list); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
