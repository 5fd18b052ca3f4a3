package cases_test

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/conformance/adapter"
	"github.com/nettrace-go/nettrace/conformance/cases"
)

// TestCodec: package codec reads each valid case to the expected bytes, and
// rejects each invalid one for the stated reason or, where a reader need not
// notice, reads it.
func TestCodec(t *testing.T) {
	for _, c := range cases.All() {
		var lines bytes.Buffer
		exit, reason := adapter.CodecReason(c.Trace, &lines, codec.Limits{})
		switch {
		case exit == adapter.Unsupported && c.MustReject(), exit == adapter.Rejected && c.MustReject():
			if reason.Rule != c.Fault.Reader || reason.Offset != c.Fault.ReaderOffset {
				t.Errorf("%s: %v @%d, want %v @%d", c.Name, reason.Rule, reason.Offset, c.Fault.Reader, c.Fault.ReaderOffset)
			}
		case exit == adapter.Read && !c.MustReject():
		case exit == adapter.Rejected && c.Grade() == cases.Either && reason.Rule == rule.LIM004:
			continue // types that are nested too deeply for the codec's limits
		default:
			t.Errorf("%s: %v for %v @%d", c.Name, exit, reason.Rule, reason.Offset)
		}
		if !bytes.Equal(lines.Bytes(), c.Lines) {
			t.Errorf("%s: the lines are not the expected ones", c.Name)
		}
	}
}

// TestNames: names have the documented form, and faults the severity of their
// grade.
func TestNames(t *testing.T) {
	for _, c := range cases.All() {
		if !strings.HasSuffix(c.Name, ".v"+c.Version) || strings.Count(c.Name, "/") != 2 || c.Block() != path.Base(path.Dir(c.Name)) {
			t.Errorf("%s: version %s, block %s", c.Name, c.Version, c.Block())
		}
		r := c.Fault.Rule.Rule()
		switch c.Grade() {
		case cases.Valid:
			if r != nil && r.Severity == rule.Error && r.Also == 0 {
				t.Errorf("%s: valid, and breaks %v", c.Name, r.Name)
			}
		case cases.Invalid:
			if r == nil || r.Severity != rule.Error {
				t.Errorf("%s: breaks no rule that is an error", c.Name)
			}
		case cases.Either:
		default:
			t.Errorf("%s: of no grade", c.Name)
		}
		if c.Fault.Offset < 0 || c.Fault.Offset > int64(len(c.Trace)) {
			t.Errorf("%s: fault at %d of %d", c.Name, c.Fault.Offset, len(c.Trace))
		}
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

func TestFault(t *testing.T) {
	for _, text := range []string{
		"NT-CMP-006 @1234\n", "NT-CMP-007 @1234\nreader NT-REF-001 @1230\n", "NT-EVB-008 @5\nreader reads\n",
	} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			f, err := cases.ParseFault(text)
			if err != nil || f.String() != text {
				t.Errorf("%v, %q", err, f)
			}
		})
	}
	for _, text := range []string{"", "NT-CMP-006", "NT-CMP-006 @x", "NT-CMP-999 @1", "NT-CMP-006 @1\nreads", "NT-CMP-006 @1\nreader it"} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			if _, err := cases.ParseFault(text); err == nil {
				t.Error("no error")
			}
		})
	}
}
