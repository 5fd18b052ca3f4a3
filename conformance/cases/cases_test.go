package cases_test

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestNames: names have the documented form, and each case has what its grade needs.
func TestNames(t *testing.T) {
	for _, c := range cases.All() {
		t.Run(c.Name, func(t *testing.T) {
			if !strings.HasSuffix(c.Name, ".v"+c.Version) || strings.Count(c.Name, "/") != 2 || c.Block() != path.Base(path.Dir(c.Name)) {
				t.Errorf("version %s, block %s", c.Version, c.Block())
			}
			if !slices.Contains([]cases.Basis{cases.Text, cases.Runtime, cases.Choice}, c.Basis) || c.Heading == "" {
				t.Errorf("basis %q, heading %q", c.Basis, c.Heading)
			}
			if !strings.HasSuffix(c.About, ".") || strings.Count(c.About, " ") < 3 {
				t.Errorf("about: %q is not a sentence", c.About)
			}
			invalid, either := c.Grade() == cases.Invalid, c.Grade() == cases.Either
			expect.Equal(t, "has a kind", slices.Contains([]cases.Kind{cases.Stops, cases.Tells, cases.Silent}, c.Kind), invalid)
			expect.Equal(t, "has answers", len(c.Accept) > 0, either)
			expect.Equal(t, "has keys of lines", len(c.Missing) > 0 && c.Kind != cases.Stops && c.Kind != cases.Tells, false)
			if invalid && c.Fault.Rule == rule.None {
				t.Error("invalid, and breaks no rule")
			}
			if c.Fault.Offset < 0 || c.Fault.Offset > int64(len(c.Trace)) {
				t.Errorf("fault at %d of %d", c.Fault.Offset, len(c.Trace))
			}
		})
	}
}

func TestMatch(t *testing.T) {
	for _, p := range []struct {
		patterns []string
		has, not string
	}{
		{nil, "valid/trace/nothing-wrong.v6", ""},
		{[]string{"valid"}, "valid/trace/nothing-wrong.v6", "invalid/event/no-rows.v6"},
		{[]string{"invalid/event/"}, "invalid/event/no-rows.v6", "invalid/trace/month-13.v6"},
		{[]string{"*/*/no-rows.v*"}, "invalid/event/no-rows.v4", "invalid/trace/month-13.v6"},
		{[]string{"*no-rows*"}, "invalid/event/no-rows.v4", "invalid/trace/month-13.v6"},
		{[]string{"invalid*.v6"}, "invalid/trace/month-13.v6", "invalid/trace/month-13.v4"},
		{[]string{"valid/*.v?"}, "valid/trace/nothing-wrong.v5", "invalid/trace/month-13.v4"},
		{[]string{"no-rows", "nothing-wrong"}, "valid/trace/nothing-wrong.v5", "invalid/trace/month-13.v6"},
		{[]string{"valid/trace/nothing-wrong.v6"}, "valid/trace/nothing-wrong.v6", "valid/trace/nothing-wrong.v4"},
	} {
		t.Run(fmt.Sprint(p.patterns), func(t *testing.T) {
			found := map[string]bool{}
			for _, c := range cases.Match(p.patterns...) {
				found[c.Name] = true
			}
			if !found[p.has] || found[p.not] {
				t.Errorf("%d cases, %s %v, %s %v", len(found), p.has, found[p.has], p.not, found[p.not])
			}
		})
	}
	if n := len(cases.Match("no-such-case")); n != 0 {
		t.Errorf("%d cases of a name that none has", n)
	}
}

// TestFault: the JSON form of a fault names the rule.
func TestFault(t *testing.T) {
	want := cases.Fault{Rule: rule.STK003, Offset: 1234}
	text, err := json.Marshal(want)
	expect.NoError(t, err)
	expect.Equal(t, "JSON", string(text), `{"rule":"NT-STK-003","offset":1234}`)
	var got cases.Fault
	expect.NoError(t, json.Unmarshal(text, &got))
	expect.Equal(t, "fault", got, want)
	if err := json.Unmarshal([]byte(`{"rule":"NT-STK-999","offset":1}`), &got); err == nil {
		t.Error("no error for a rule that does not exist")
	}
}
