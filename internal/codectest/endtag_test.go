package codectest_test

import (
	"bytes"
	"errors"
	"testing"
	"testing/iotest"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestShiftedEndTag: the rule for a misplaced end tag does not depend on the size
// of the source's reads, nor on Options.OnError.
func TestShiftedEndTag(t *testing.T) {
	stream := cases.Match("invalid/framing/padding-too-long.v4")[0].Trace
	for name, mode := range map[string]codec.Options{"stop": {}, "skip": {OnError: codec.Skip}, "by time": {Order: codec.ByTime}} {
		t.Run(name, func(t *testing.T) {
			r := codec.NewReader(iotest.OneByteReader(bytes.NewReader(stream)), mode)
			for _, ok := r.Next(); ok; _, ok = r.Next() {
			}
			var e *codec.Error
			if !errors.As(r.Err(), &e) {
				t.Fatalf("error: got %v, want a %T", r.Err(), e)
			}
			expect.Equal(t, "e.Rule", e.Rule, rule.OBJ009)
			expect.ErrorIs(t, e, codec.ErrFraming)
			if n, first := r.BadBlocks(); n != 0 {
				t.Errorf("%d bad blocks, the first %v, want none: only the padding is wrong", n, first)
			}
		})
	}
}
