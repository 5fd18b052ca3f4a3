package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestProfiles: the findings of each profile for two traces with habits of
// writers.
func TestProfiles(t *testing.T) {
	for _, one := range []struct {
		trace            string
		profile          Profile
		errors, warnings string
	}{
		{"onecollect-small.v6", OneCollect, "", ""},
		{"onecollect-noend.v6", OneCollect, "", ""},
		{"onecollect-overflow.v6", OneCollect, "BLK-004 1", ""},
		{"onecollect-small.v6", ReaderOnly, "", ""},
		{"onecollect-small.v6", Strict, "EVB-009 1, LBL-008 1, TYP-014 1", "CMP-015 9, LBL-013 1, MD-017 1, PAY-003 3, TRC-003 1"},
		{"net10-types.v4", DotnetRuntime, "", "MD-009 2, PAY-001 2, PAY-003 3, PAY-006 1, PAY-007 3"},
		{"net10-types.v4", ReaderOnly, "", "MD-009 2, PAY-002 10, PAY-021 5, PAY-022 3"},
		{"net10-types.v4", Strict, "PAY-001 2, PAY-006 1", "MD-009 2, PAY-002 10, PAY-003 3, PAY-004 42, PAY-007 3, PAY-021 5, PAY-022 3"},
	} {
		t.Run(fmt.Sprintf("%s, %s", one.trace, one.profile), func(t *testing.T) {
			r := check(t, shared.Trace(t, one.trace), Options{Profile: one.profile})
			if errors, warnings := counts(r, rule.Error), counts(r, rule.Warning); errors != one.errors || warnings != one.warnings {
				t.Errorf("errors %q, warnings %q", errors, warnings)
			}
			if one.profile != OneCollect && r.Information > 0 {
				t.Error("information is reported")
			}
		})
	}
	if _, err := ParseProfile("mild"); err == nil {
		t.Error("an unknown profile")
	}
}

// TestSuppressions: the lines of a suppression file, and their effects.
func TestSuppressions(t *testing.T) {
	list, err := ParseSuppressions(strings.NewReader("\n# all of it\nNT6-TYP-014 # known\n NT-TRC-003 old-*.nettrace # fixed in new ones\n"))
	expect.NoError(t, err)
	expect.Len(t, "list", list, 2)
	expect.Equal(t, "list[0].Reason", list[0].Reason, "known")
	expect.Equal(t, "list[1].Files", list[1].Files, "old-*.nettrace")
	expect.Stop(t)
	stream := shared.Trace(t, "onecollect-small.v6")
	for name, want := range map[string]int{"dir/old-1.nettrace": 2, "new-1.nettrace": 1} {
		t.Run(name, func(t *testing.T) {
			r := check(t, stream, Options{Suppressions: list, Name: name})
			if r.Suppressed != want || r.Errors != 0 {
				t.Errorf("%d suppressed, %d errors", r.Suppressed, r.Errors)
			}
		})
	}
	for _, line := range []string{"NT6-TYP-014", "NT6-TYP-014 #", "NT-NOT-001 # x", "NT6-TYP-014 a b # x", "NT6-TYP-014 [ # x"} {
		t.Run(line, func(t *testing.T) {
			if _, err := ParseSuppressions(strings.NewReader(line)); err == nil {
				t.Errorf("%q is accepted", line)
			}
		})
	}
}

// TestBasisInProfiles: a warning is an error in strict checking if the text of the
// trace's version has its sentence, and a finding of the readers' rule set if its
// basis in that version is a reader.
func TestBasisInProfiles(t *testing.T) {
	for _, one := range []struct {
		id             rule.ID
		version        rule.Versions
		strict, reader rule.Severity
	}{
		{rule.PAY002, rule.V4, rule.Warning, rule.Warning},
		{rule.PAY002, rule.V6, rule.Error, 0},
		{rule.PAY008, rule.V5, rule.Warning, rule.Warning},
		{rule.PAY008, rule.V6, rule.Error, 0},
		{rule.CMP004, rule.V4, rule.Error, 0},
		{rule.CMP004, rule.V6, rule.Warning, 0},
		{rule.STK011, rule.V5, rule.Error, 0},
		{rule.STK011, rule.V6, rule.Warning, 0},
		{rule.PAY006, rule.V3, rule.Warning, rule.Warning},
		{rule.PAY006, rule.V4, rule.Error, 0},
		{rule.PAY006, 0, rule.Error, 0},
	} {
		t.Run(fmt.Sprintf("%v in %v", one.id, one.version), func(t *testing.T) {
			r := one.id.Rule()
			expect.Equal(t, "strict", Strict.grade(rule.Warning, r, one.version), one.strict)
			expect.Equal(t, "reader", ReaderOnly.grade(rule.Warning, r, one.version), one.reader)
		})
	}
}

// TestVersionOf: the version of a format as the rules name it.
func TestVersionOf(t *testing.T) {
	for format, want := range map[wire.Format]rule.Versions{
		wire.V3: rule.V3, wire.V4: rule.V4, wire.V5: rule.V5, wire.V6: rule.V6, {Major: 6, Minor: 25}: rule.V6,
	} {
		t.Run(format.String(), func(t *testing.T) { expect.Equal(t, "version", versionOf(format), want) })
	}
}
