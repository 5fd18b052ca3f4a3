package fuzz

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
	rulecheck "github.com/nettrace-go/nettrace/conformance/check"
	"github.com/nettrace-go/nettrace/gen"
)

// made is a valid trace that data chooses, with damage: each three bytes of
// damage determine where and how a byte changes, a remaining one where the stream
// is truncated. sound reports that nothing was changed.
func made(data, damage []byte) (b []byte, sound bool) {
	b, sound = gen.FromBytes(data).Bytes(), true
	for ; len(damage) >= 3; damage = damage[3:] {
		at := (int(damage[0]) | int(damage[1])<<8) % len(b)
		b[at] ^= damage[2]
		sound = sound && damage[2] == 0
	}
	if len(damage) == 1 && damage[0] > 0 {
		b, sound = b[:len(b)-len(b)*int(damage[0])/256], false
	}
	return clip(b), sound
}

func resumable(b, cuts []byte) error {
	for _, opt := range []codec.Options{{}, {OnError: codec.Skip}, {OnError: codec.Skip, Order: codec.ByTime}} {
		want, err := newReading(opt).memory(b).through(byEvents)
		if err != nil {
			return err
		}
		for _, d := range []method{byResumed, byNext, byBlocks} {
			if d == byBlocks && (opt.Order == codec.ByTime || opt.OnError != codec.Skip) {
				continue
			}
			got, err := newReading(opt).source(chop(b, cuts)).through(d)
			if err == nil {
				err = differ("chopped", want, got)
			}
			if err != nil {
				return err
			}
		}
	}
	return weigh(len(b), allowance(len(b)), func() {
		r := codec.NewReader(chop(b, cuts), codec.Options{OnError: codec.Skip})
		for range r.Events() {
		}
	})
}

// chop returns b in pieces of the given sizes, repeatedly. No two reads in a row
// are empty.
func chop(b, cuts []byte) *crumbs {
	c := crumble(b, diceOf(cuts))
	next, empty := 0, false
	c.glue = len(cuts)%2 == 1
	c.size = func() int {
		if len(cuts) == 0 {
			return len(b)
		}
		n := int(cuts[next%len(cuts)])
		next++
		if empty && n == 0 {
			n = 1
		}
		empty = n == 0
		return n
	}
	return c
}

// checkFindings compares the checker's findings with the reader's result: none
// for a valid stream, some if the reader has an error.
func checkFindings(b []byte, sound bool, o *outcome) error {
	defer guard()()
	report, err := rulecheck.Stream(bytes.NewReader(b), rulecheck.Options{})
	switch {
	case err != nil:
		return fmt.Errorf("not checked: %w", err)
	case sound && report.Worst() > rule.Information:
		return fmt.Errorf("nothing is wrong; the checker finds %+v", report.Findings)
	case (o.err != nil || o.bad > 0) && report.Worst() < rule.Warning:
		return fmt.Errorf("the reader returns %v, %v; the checker %+v", o.err, o.firstBad, report.Findings)
	}
	return nil
}

// rowsAgree compares the readings of an event block of v4 or later.
func rowsAgree(t testing.TB, format wire.Format, body []byte) {
	t.Helper()
	v := v4
	if !format.HasObjects() {
		v = v6
	}
	agrees := (*eventStream).plainAgrees
	if len(body) > 2 && body[2]&wire.BlockCompressed != 0 {
		agrees = (*eventStream).compressedAgrees
	}
	s := newEventStream(v, body)
	if err := agrees(&s, check(t, s.b)); err != nil {
		t.Fatalf("%v\nbody: %x", err, body)
	}
}

// fuzzResumable is the function of FuzzResumable.
func fuzzResumable(t testing.TB, data, damage, cuts []byte) {
	defer guard()()
	b, _ := made(data, damage)
	if err := resumable(b, cuts); err != nil {
		t.Fatalf("%v\ncuts: %x\nstream: %x", err, cuts, b)
	}
}

// fuzzAgrees is the function of FuzzAgrees.
func fuzzAgrees(t testing.TB, data, damage []byte) {
	b, sound := made(data, damage)
	o := check(t, b)
	if err := checkFindings(b, sound, o); err != nil {
		t.Fatalf("%v\nstream: %x", err, b)
	}
	h := &harvest{bodies: map[place][][]byte{}}
	h.take(b)
	for p, bodies := range h.bodies {
		if p.kind != wire.KindEvent || !p.format.HasEventBlockHeaders() {
			continue
		}
		for _, body := range bodies {
			rowsAgree(t, p.format, body)
		}
	}
}
