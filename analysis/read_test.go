package analysis_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/parts"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestCanceled: a canceled context ends the reading with its cause.
func TestCanceled(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	r := codec.NewBytesReader(shared.Trace(t, "net10-mix-gc.v4"), codec.Options{})
	tr, err := analysis.Read(ctx, r, analysis.Options{Parts: parts.All()})
	expect.ErrorIs(t, err, why)
	expect.Equal(t, "a Trace", tr != nil, true)
}

// reports of its events before that place.
func TestMalformed(t *testing.T) {
	for _, name := range []string{"net10-mix-gc.v4", "net10-killed.v4", "onecollect-small.v6", "net10-netperf.v3"} {
		t.Run(name, func(t *testing.T) {
			trace := shared.Trace(t, name)
			random := rand.New(rand.NewPCG(1, 2))
			for range 20 {
				broken := slices.Clone(trace[:random.IntN(len(trace))])
				for range 10 {
					if len(broken) > 0 {
						broken[random.IntN(len(broken))] ^= byte(1 << random.IntN(8))
					}
				}
				r := codec.NewBytesReader(broken, codec.Options{OnError: codec.Skip, Order: codec.ByTime})
				all := parts.All()
				tr, err := analysis.Read(t.Context(), r, analysis.Options{Parts: all})
				if tr == nil {
					expect.Equal(t, "an error", err != nil, true)
					continue
				}
				for _, p := range all {
					expect.AtLeast(t, "reports", len(p.Reports(tr)), 1)
				}
			}
		})
	}
}

// TestPipe: a source that returns a byte at a time has the same reports.
func TestPipe(t *testing.T) {
	trace := shared.Trace(t, "net10-mix-gc.v4")
	want, got := reportsOf(t, codec.NewBytesReader(trace, codec.Options{Order: codec.ByTime})),
		reportsOf(t, codec.NewReader(iotest.OneByteReader(bytes.NewReader(trace)), codec.Options{Order: codec.ByTime}))
	expect.Bytes(t, "reports", got, want)
}
