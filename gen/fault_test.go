package gen_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// finding is a defect or an error of a Reader.
type finding struct {
	rule   rule.ID
	offset int64
}

// findings reads a stream to its end, payloads included, and stops at a bad
// block.
func findings(data []byte) []finding {
	var list []finding
	r := codec.NewBytesReader(data, codec.Options{OnDefect: func(e *codec.Error) { list = append(list, finding{e.Rule, e.Offset}) }})
	for e, ok := r.Next(); ok; e, ok = r.Next() {
		e.FieldsError()
	}
	var fault *codec.Error
	if errors.As(r.Err(), &fault) {
		list = append(list, finding{fault.Rule, fault.Offset})
	} else if r.Err() != nil {
		list = append(list, finding{rule.None, -1})
	}
	return list
}

// rowRules are the rules whose faults a Reader reports at the start of the row.
var rowRules = map[rule.ID]bool{
	rule.REF001: true, rule.STK007: true, rule.THR009: true, rule.THR010: true, rule.LBL006: true, rule.SEQ002: true,
	rule.SEQ004: true, rule.MD008: true, rule.THR004: true, rule.STK005: true,
}

// TestFaults: a Reader reports the rule of each fault, at its offset, and nothing
// else. Without the fault it reports nothing.
func TestFaults(t *testing.T) {
	names := map[string]bool{}
	for _, c := range gen.Faults() {
		if names[c.Name] {
			t.Errorf("%s: two faults of this name", c.Name)
		}
		names[c.Name] = true
		for _, format := range []wire.Format{wire.V4, wire.V5, wire.V6} {
			if !c.In(format) {
				continue
			}
			t.Run(fmt.Sprintf("%s/v%d", c.Name, format.Major), func(t *testing.T) {
				for seed := range uint64(3) {
					checkCase(t, &c, c.Inject(format, seed))
				}
			})
		}
	}
}

// truncations are rules that a stream breaks at its end.
var truncations = []rule.ID{rule.HDR002, rule.BLK001, rule.EOS001, rule.EOS004, rule.EOS006}

func checkCase(t *testing.T, c *gen.Fault, got gen.Case) {
	t.Helper()
	if list := findings(got.Corrected); len(list) > 0 {
		t.Errorf("corrected: %v", list)
	}
	if bytes.Equal(got.Faulty, got.Corrected) {
		t.Error("the faulty and the corrected variant are equal")
	}
	expect.AtLeast(t, "Offset", got.Offset, 0)
	expect.AtMost(t, "Offset", got.Offset, int64(len(got.Faulty)))
	expect.AtMost(t, "Row", got.Row, got.Offset)
	if c.Reader == rule.None {
		return
	}
	want := finding{c.Reader, got.Offset}
	switch {
	case rowRules[c.Reader]:
		want.offset = got.Row
	case slices.Contains(truncations, c.Reader):
		want.offset = int64(len(got.Faulty))
	}
	if list := findings(got.Faulty); len(list) != 1 || list[0] != want {
		t.Errorf("found %v, want %v", list, want)
	}
}

// TestRulesHaveFaults: each error and each warning has a fault that breaks it, or
// a reason for none.
func TestRulesHaveFaults(t *testing.T) {
	covered := map[rule.ID]bool{}
	for _, c := range gen.Faults() {
		covered[c.Rule] = true
		if !c.Rule.Rule().Versions.Has(c.Versions) {
			t.Errorf("%s: %v is not of the versions %v", c.Name, c.Rule, c.Versions)
		}
	}
	for r := range rule.All() {
		switch reason := withoutFault[r.ID]; {
		case covered[r.ID] && reason != "":
			t.Errorf("%v has a fault, and a reason for none", r.Name)
		case covered[r.ID], reason != "", r.Severity == rule.Information, r.Versions == rule.V3:
		case r.ID >= rule.LIM001: // limits are the reader's
		default:
			t.Errorf("%v has neither a fault nor a reason for none", r.Name)
		}
	}
}

const (
	long    = "needs a trace too long for a table of faults"
	whole   = "every row of the trace breaks it"
	guess   = "a guess from many rows, not a field"
	another = "its bytes break another rule first"
	known   = "needs events of a known provider"
)

// withoutFault are the rules without a fault.
var withoutFault = map[rule.ID]string{
	rule.HDR003: "of versions before 3",
	rule.BLK004: long, rule.THR014: long, rule.SQP013: long, rule.SQP014: long, rule.ORD003: long, rule.MD018: long,
	rule.ORD007: whole, rule.SEQ006: whole, rule.SEQ007: whole, rule.SEQ008: whole, rule.CMP011: whole,
	rule.CMP012: guess, rule.UNC005: guess, rule.STK012: guess, rule.STK014: guess, rule.OPT008: guess,
	rule.EVB006: another, rule.UNC004: another, rule.UNC007: another, rule.UNC008: another, rule.MD4009: another,
	rule.PAY004: known, rule.PAY015: known, rule.PAY019: known, rule.PAY020: known, rule.PAY021: known, rule.PAY022: known,
}
