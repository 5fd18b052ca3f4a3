package counters_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

func TestParseSelection(t *testing.T) {
	for text, want := range map[string]counters.Selection{
		"System.Runtime":       {{Provider: "System.Runtime"}},
		"A,B[c1,c2],C":         {{Provider: "A"}, {Provider: "B", Counters: []string{"c1", "c2"}}, {Provider: "C"}},
		" A [ c1 , c2 ] , B ":  {{Provider: "A", Counters: []string{"c1", "c2"}}, {Provider: "B"}},
		`EventCounters\A[c],A`: {{Provider: "A", Counters: []string{"c"}, EventCountersOnly: true}, {Provider: "A"}},
		"Shop.*":               {{Provider: "Shop.*"}},
	} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			if got, err := counters.ParseSelection(text); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	for _, text := range []string{"", " ", "A[", "A]", "A[]", "A[c", "A[c]B", ",A", "A,,B", "[c]", "A[c,]", `EventCounters\`} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			if got, err := counters.ParseSelection(text); err == nil {
				t.Errorf("%+v and no error", got)
			}
		})
	}
}

func TestWants(t *testing.T) {
	s, err := counters.ParseSelection(`System.Runtime,Shop[sold],EventCounters\Old,Web.*`)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"EventCounters System.Runtime cpu-usage": true, "Meter System.Runtime dotnet.exceptions": true,
		"Meter Shop sold": true, "Meter Shop bought": false, "EventCounters Old a": true, "Meter Old a": false,
		"Meter Web.Api a": true, "Meter Web a": false,
	} {
		t.Run(text, func(t *testing.T) {
			words := strings.Fields(text)
			v := counters.Value{Provider: words[1], Name: words[2]}
			if words[0] == "Meter" {
				v.Source = counters.Meters
			}
			if s.Contains(&v) != want {
				t.Error(!want)
			}
		})
	}
}

// TestEventSources: System.Runtime is requested once, as a Meter if it is one.
func TestEventSources(t *testing.T) {
	for _, c := range []struct {
		name, text string
		major      int
		want       []string
	}{
		{".NET 8", `System.Runtime,Shop[sold],EventCounters\Old,Web.*`, 8, []string{"System.Runtime", "Shop", "Old"}},
		{".NET 9", `System.Runtime,Shop[sold],EventCounters\Old,Web.*`, 9, []string{"Shop", "Old"}},
		{"unknown version", "System.Runtime", 0, []string{"System.Runtime"}},
		{"EventCounters by name", "System.Runtime[cpu-usage]", 10, []string{"System.Runtime"}},
		{"EventCounters alone", `EventCounters\System.Runtime`, 10, []string{"System.Runtime"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := counters.ParseSelection(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.EventSources(c.major); !reflect.DeepEqual(got, c.want) {
				t.Errorf("EventSources(%d) = %v, want %v", c.major, got, c.want)
			}
		})
	}
}

func TestArguments(t *testing.T) {
	s, err := counters.ParseSelection(`System.Runtime,Shop[sold,bought],EventCounters\Old`)
	if err != nil {
		t.Fatal(err)
	}
	set := counters.Settings{Interval: 1500 * time.Millisecond, MaxTimeSeries: 1000, MaxHistograms: 20}
	for major, want := range map[int]string{
		8: `SessionId=SHARED;Metrics=System.Runtime,Shop\sold,Shop\bought;RefreshInterval=1.5;MaxTimeSeries=1000;MaxHistograms=20;ClientId=me`,
		7: `SessionId=me;Metrics=System.Runtime,Shop\sold,Shop\bought;RefreshInterval=1.5;MaxTimeSeries=1000;MaxHistograms=20;ClientId=me`,
	} {
		t.Run(fmt.Sprintf("major=%v", major), func(t *testing.T) {
			if got := counters.NewMetersSession("me", major).Arguments(s, set); got != want {
				t.Errorf("%s", got)
			}
		})
	}
	odd := counters.Selection{{Provider: "a;b"}}
	if got := counters.NewMetersSession("me", 9).Arguments(odd, counters.Settings{}); got != `SessionId=SHARED;Metrics="a;b";ClientId=me` {
		t.Errorf("%s", got)
	}
	if got := counters.EventCountersArguments(2 * time.Second); got != "EventCounterIntervalSec=2" {
		t.Errorf("%s", got)
	}
	if only := (counters.Selection{{Provider: "Old", EventCountersOnly: true}}); only.Meters() || !s.Meters() {
		t.Error("whether Meters are wanted")
	}
}

func TestJudge(t *testing.T) {
	shared, own := counters.NewMetersSession("me", 10), counters.NewMetersSession("me", 6)
	refused := func(id string) counters.Message {
		return counters.Message{Kind: counters.SessionRefused, SessionID: id}
	}
	mismatch := func(id string) counters.Message {
		return counters.Message{Kind: counters.SharedRefused, Mismatch: &counters.Mismatch{ClientID: id}}
	}
	value := func(id string) counters.Message {
		return counters.Message{Kind: counters.Measurement, SessionID: id}
	}
	for name, c := range map[string]struct {
		session counters.MetersSession
		m       counters.Message
		want    counters.Relation
	}{
		"another session runs":            {shared, refused("X"), counters.Refused},
		"somebody else was refused":       {shared, refused("SHARED"), counters.Foreign},
		"own session, other refused":      {own, refused("me"), counters.Foreign},
		"own session, shared one runs":    {own, refused("SHARED"), counters.Refused},
		"our settings":                    {shared, mismatch("me"), counters.OtherSettings},
		"another client's settings":       {shared, mismatch("you"), counters.Foreign},
		"a value":                         {shared, value("SHARED"), counters.Own},
		"a value of another session":      {shared, value("X"), counters.Foreign},
		"a value of EventCounters":        {own, value(""), counters.Own},
		"a value before .NET 8":           {own, value("me"), counters.Own},
		"a value of the one before .NET8": {own, value("you"), counters.Foreign},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.session.Classify(&c.m); got != c.want {
				t.Errorf("%d", got)
			}
		})
	}
}
