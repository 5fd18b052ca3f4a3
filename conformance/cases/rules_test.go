package cases_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/conformance/cases"
)

// Reasons why no case breaks a rule.
const (
	long    = "it takes a trace too long to be kept"
	guess   = "it is a guess from many rows, not a field"
	another = "its bytes break another rule first"
	limits  = "limits are each reader's own"
	made    = "no row can be made that breaks it and nothing else"
	beside  = "valid/payload/larger-than-64-kib breaks it beside another rule"
	older   = "it is about versions before 3, which are not NetTrace"
	known   = "it takes events of a provider whose schema is published"
)

// withoutCase are the errors and warnings without a case.
var withoutCase = map[rule.ID]string{
	rule.BLK004: long, rule.THR014: long, rule.SQP013: long, rule.SQP014: long, rule.ORD003: long, rule.MD018: long,
	rule.CMP012: guess, rule.UNC005: guess, rule.STK012: guess, rule.STK014: guess, rule.OPT008: guess,
	rule.SEQ006: guess, rule.SEQ007: guess, rule.SEQ008: guess,
	rule.EVB006: another, rule.UNC004: another, rule.UNC007: another, rule.MD4009: another,
	rule.CMP011: made, rule.PAY004: beside, rule.HDR003: older, rule.PAY019: known, rule.PAY020: known, rule.PAY021: known,
}

// TestRules: every error and every warning has a case that breaks it, or a reason
// for none; and each version of a case with a fault has one without.
func TestRules(t *testing.T) {
	broken := map[rule.ID]bool{}
	sound := map[string]bool{}
	for _, c := range cases.All() {
		broken[c.Fault.Rule] = true
		sound[c.Version] = sound[c.Version] || c.Grade() == cases.Valid && c.Fault.Rule == rule.None
	}
	for r := range rule.All() {
		reason := withoutCase[r.ID]
		if r.ID >= rule.LIM001 {
			reason = limits
		}
		switch {
		case broken[r.ID] && reason != "":
			t.Errorf("%v has a case, and a reason for none", r.Name)
		case broken[r.ID], reason != "", r.Severity == rule.Information:
		default:
			t.Errorf("%v (%v) has neither a case nor a reason for none", r.Name, r.Severity)
		}
	}
	for _, c := range cases.All() {
		if !sound[c.Version] {
			t.Errorf("%s: no case of its version is without a fault", c.Name)
		}
	}
}
