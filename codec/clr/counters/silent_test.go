package counters_test

import (
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// TestSilent: an instrument that is measured and has no value is known by its name, until its
// first value or its end. A second client of a shared session gets all of them again.
func TestSilent(t *testing.T) {
	begin := func(session, name string, id int) event {
		return meter(7, 3, session, "Shop", "1.0", name, "Histogram`1", "s", "", "", "", "", id, "")
	}
	end := meter(8, 3, "S", "Shop", "1.0", "gone", "Histogram`1", "s", "", "", "", "", 3, "")
	value := meter(5, 2, "S", "Shop", "1.0", "used", "s", "", "1", 1)
	for _, c := range []struct {
		name   string
		events []event
		want   string
	}{
		{"begun", []event{begin("S", "used", 1), begin("S", "idle", 2)}, "idle used"},
		{"a value", []event{begin("S", "used", 1), begin("S", "idle", 2), value}, "idle"},
		{"an end", []event{begin("S", "idle", 2), begin("S", "gone", 3), end}, "idle"},
		{"begun again", []event{begin("S", "used", 1), value, begin("S", "used", 1)}, ""},
		{"two sessions", []event{begin("S", "used", 1), begin("T", "used", 1), begin("T", "idle", 2), begin("S", "idle", 2), value}, "idle"},
	} {
		messages, errs := decode(t, made(t, c.events...))
		if len(errs) > 0 {
			t.Errorf("%s: %v", c.name, errs)
		}
		var latest counters.Latest
		for i := range messages {
			latest.Add(&messages[i])
		}
		var names []string
		for _, i := range latest.Silent() {
			names = append(names, i.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
