package check

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// TestSameRule: the check names the rules that the Reader names for the error that
// ends a stream and for the first bad block.
func TestSameRule(t *testing.T) {
	for _, c := range cases.All() {
		sameRule(t, c.Name, c.Trace)
	}
	for _, name := range shared.Streams(t) {
		sameRule(t, name, shared.Stream(t, name))
	}
	for _, version := range []string{"valid/trace/nothing-wrong.v4", "valid/trace/nothing-wrong.v6"} {
		whole := cases.Match(version)[0].Trace
		for n, b := range whole {
			sameRule(t, fmt.Sprintf("%d bytes of %s", n, version), whole[:n])
			if !tier.Check && n%8 != 0 {
				continue
			}
			for _, other := range []byte{0xFF, b ^ 0x80} {
				flipped := bytes.Clone(whole)
				flipped[n] = other
				sameRule(t, fmt.Sprintf("%s with the byte %d at %d", version, other, n), flipped)
			}
		}
	}
	netperf := shared.Trace(t, "net10-netperf.v3")
	for n := range 600 {
		sameRule(t, fmt.Sprintf("%d bytes of v3", n), netperf[:n])
	}
	for _, start := range []string{
		"\x1F\x8B\x08\x00rest of it", "\x28\xB5\x2F\xFDrest of it", "\x52\x2A\x4D\x18rest of it", "PK\x03\x04rest of it",
		"\xEF\xBB\xBFNettrace", "\xFF\xFENettrace", "??Nettrace", "Nettrace\x01\x00\x00\x00\x06\x00", "hello, world, this is text",
	} {
		sameRule(t, fmt.Sprintf("%q", start), []byte(start))
	}
}

func sameRule(t *testing.T, what string, stream []byte) {
	t.Helper()
	opt := Options{Profile: Lint}
	r := codec.NewBytesBlockReader(stream, codec.Options{OnError: codec.Skip, Schemas: clr.Schemas, Limits: opt.limits()})
	for _, ok := r.Next(); ok; _, ok = r.Next() {
		for _, ok := r.NextEvent(); ok; _, ok = r.NextEvent() {
		}
	}
	report, err := Stream(bytes.NewReader(stream), opt)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	var rules []rule.ID
	for _, f := range report.Findings {
		rules = append(rules, f.Rule)
	}
	var fatal *codec.Error
	if errors.As(r.Err(), &fatal) && !slices.Contains(rules, fatal.Rule) {
		t.Errorf("%s: the reading ends with %v, the check finds %v", what, fatal, rules)
	}
	var first *codec.Error
	if _, err := r.BadBlocks(); !errors.As(err, &first) {
		return
	}
	rules = nil
	for _, f := range report.Findings {
		if f.Block.Offset == first.BlockOffset && f.Severity == rule.Error {
			rules = append(rules, f.Rule)
		}
	}
	if !slices.Contains(rules, first.Rule) {
		t.Errorf("%s: first bad block: the reading finds %v, the check finds %v", what, first, rules)
	}
}
