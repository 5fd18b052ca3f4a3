package cases_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// find returns the case of a name.
func find(t *testing.T, name string) *cases.Case {
	t.Helper()
	list := cases.Match(name)
	if len(list) != 1 {
		t.Fatalf("%d cases are called %s, want 1", len(list), name)
	}
	return &list[0]
}

// typed is a line with its type.
type typed struct {
	Type     string
	ID       uint32
	Metadata uint32
	Fields   json.RawMessage
}

// linesOf parses the lines of a case.
func linesOf(t *testing.T, c *cases.Case) (list []typed) {
	t.Helper()
	for text := range bytes.Lines(c.Lines) {
		var l struct{ Type string }
		expect.NoError(t, json.Unmarshal(text, &l))
		row := typed{Type: l.Type}
		if l.Type == "event" || l.Type == "metadata" {
			expect.NoError(t, json.Unmarshal(text, &row))
		}
		list = append(list, row)
	}
	return list
}

// TestOverlongVarUint: a varuint with superfluous bytes has the value of the trace
// without the fault.
func TestOverlongVarUint(t *testing.T) {
	sound := find(t, "valid/trace/nothing-wrong.v6")
	for _, name := range []string{"either/event/varuint32-too-long.v6", "valid/event/varuint-overlong.v6"} {
		t.Run(name, func(t *testing.T) {
			c := find(t, name)
			at := c.Fault.Offset
			expect.Equal(t, "first byte", c.Trace[at], sound.Trace[at]|0x80)
			expect.Equal(t, "second byte", c.Trace[at+1], 0x80)
			expect.Equal(t, "lines", string(c.Lines), string(sound.Lines))
		})
	}
}

// TestNumbersAfterMetadataZero: in versions 4 and 5 a compressed row of metadata id 0 does
// not increment the sequence number, on which the numbers of the later rows of its block
// depend.
func TestNumbersAfterMetadataZero(t *testing.T) {
	for name, want := range map[string][]int{
		"invalid/event/metadata-zero.v4":              {2, 3, 4, 5, 6},
		"invalid/event/first-row-without-metadata.v4": {0, 1, 2, 3, 4, 5, 6},
		"invalid/event/first-row-without-metadata.v6": nil,
	} {
		t.Run(name, func(t *testing.T) {
			var got []int
			for _, m := range find(t, name).Missing {
				if slices.Contains(m.Keys, "sequence") {
					got = append(got, m.Number)
				}
			}
			expect.Slices(t, "events whose sequence number is not compared", got, want)
		})
	}
}

// TestDisputedTypes: no event of a valid case of version 6 that rests on the text has a
// DateTime or a Boolean8, on whose sizes the text and the writers do not agree.
func TestDisputedTypes(t *testing.T) {
	for _, c := range cases.All() {
		if c.Grade() != cases.Valid || c.Basis != cases.Text || c.Version != "6" {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			disputed := map[uint32]bool{}
			for n, l := range linesOf(t, &c) {
				switch {
				case l.Type == "metadata":
					disputed[l.ID] = bytes.Contains(l.Fields, []byte(`"DateTime"`)) || bytes.Contains(l.Fields, []byte(`"Boolean8"`))
				case l.Type == "event" && disputed[l.Metadata]:
					t.Errorf("line %d is an event of metadata %d, which has a DateTime or a Boolean8", n+1, l.Metadata)
				}
			}
		})
	}
}

// TestSignedThreads: the specification of versions 4 and 5 declares thread ids as long.
func TestSignedThreads(t *testing.T) {
	for _, name := range []string{"thread-ids-above-2-to-63", "thread-ids-above-2-to-63-not-compressed"} {
		t.Run(name, func(t *testing.T) {
			lines := string(find(t, name).Lines)
			expect.Contains(t, "lines", lines, `"thread":"-9223372036854775808","captureThread":"-9223372036854775808"`, `"thread":"-1"`)
		})
	}
}
