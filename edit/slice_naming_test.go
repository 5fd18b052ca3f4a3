package edit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

func naming() edit.Naming { return symbols.NewNaming(symbols.Options{}) }

// TestSliceNamesAdded: naming events change nothing else in a slice: the selected
// events, the losses and the results of a strict Reader.
func TestSliceNamesAdded(t *testing.T) {
	type source struct {
		name string
		data []byte
	}
	var sources []source
	for _, name := range shared.Small(t) {
		sources = append(sources, source{name, shared.Trace(t, name)})
	}
	for _, name := range shared.Streams(t) {
		sources = append(sources, source{name, shared.Stream(t, name)})
	}
	for seed := range int64(less(200, 50)) {
		sources = append(sources, source{fmt.Sprintf("random %d", seed), gen.Random(seed).Bytes()})
	}
	for _, s := range sources {
		trace, err := sliceReader(s.data).Trace()
		if err != nil || len(s.data) > 8<<20 {
			continue
		}
		first, last := bounds(s.data)
		third := (last - first) / 3
		for what, opt := range map[string]edit.SliceOptions{
			"a third":     {Time: between(first+third, first+2*third)},
			"odd threads": {Keep: odd},
		} {
			t.Run(what, func(t *testing.T) {
				var out bytes.Buffer
				bare, err := edit.Slice(context.Background(), &out, sliceBlocks(s.data), opt)
				for _, pass := range []string{"two readings", "one reading", "all of the rundown"} {
					with := opt
					with.Naming = naming()
					with.AllRundown = pass == "all of the rundown"
					if pass != "one reading" {
						with.First = sliceBlocks(s.data)
					}
					var named bytes.Buffer
					got, namedErr := edit.Slice(context.Background(), &named, sliceBlocks(s.data), with)
					if errors.Is(err, edit.ErrNothing) != errors.Is(namedErr, edit.ErrNothing) || (err == nil) != (namedErr == nil) {
						t.Errorf("%s, %s, %s: error %v, without names %v", s.name, what, pass, namedErr, err)
					}
					if namedErr != nil {
						continue
					}
					addsUp(t, s.name, s.data, got)
					if got.Lost != bare.Lost || lostOf(named.Bytes()) != got.Lost {
						t.Errorf("%s, %s, %s: a reader finds %d lost, the result has %d, without names %d", s.name, what, pass, lostOf(named.Bytes()), got.Lost, bare.Lost)
					}
					if got.Events-got.Names != bare.Events {
						t.Errorf("%s, %s, %s: %d selected events, without names %d", s.name, what, pass, got.Events-got.Names, bare.Events)
					}
					if a, b := defectsOf(named.Bytes()), defectsOf(out.Bytes()); a > b && trace.Format != wire.V3 {
						t.Errorf("%s, %s, %s: %d defects, without names %d", s.name, what, pass, a, b)
					}
				}
			})
		}
	}
}

func defectsOf(data []byte) (n int64) {
	r := codec.NewBytesReader(data, codec.Options{OnError: codec.Skip})
	for range r.Events() {
	}
	for _, d := range r.Defects() {
		n += d.Count
	}
	bad, _ := r.BadBlocks()
	return n + int64(bad)
}

// TestSplitNamesAdded checks that parts with names have the selected events and
// losses of the source in order, and that each part can be read strictly.
func TestSplitNamesAdded(t *testing.T) {
	names := []string{"net10-mix-gc.v4", "net10-netperf.v3", "onecollect-small.v6", "azmcp-net10-startup.v4", "net10-burst-dropped.v4", "azmcp-net10-cpu.v4"}
	if !tier.Check {
		names = names[:3]
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			data := shared.Trace(t, name)
			keep := func(e *codec.Event) bool { return e.Provider() != edit.RundownProvider }
			for _, format := range []wire.Format{{}, wire.V6} {
				t.Run(fmt.Sprint(format), func(t *testing.T) {
					want, _ := partOf(data, edit.SliceOptions{Keep: keep})
					whole, _ := slice(t, data, edit.SliceOptions{Keep: keep, Format: format})
					first, last := bounds(data)
					for _, size := range []edit.SplitSize{{Bytes: int64(len(data)) / 5}, {Ticks: (last-first)/4 + 1}} {
						opt := edit.SliceOptions{Keep: keep, Format: format, Naming: naming(), First: sliceBlocks(data)}
						var got []string
						lost := uint64(0)
						parts := split(t, data, edit.SplitOptions{SliceOptions: opt, Size: size})
						for i, part := range parts {
							r := codec.NewBytesReader(part.Bytes(), codec.Options{Strict: true})
							for e, err := range r.Events() {
								if err != nil {
									t.Fatalf("%+v, part %d: %v", size, i, err)
								}
								if keep(e) {
									got = append(got, sliceMeaning(e))
								}
							}
							lost += r.Lost()
						}
						if wantLost := lostOf(whole); lost != wantLost {
							t.Errorf("%+v: %d lost in %d parts, want %d", size, lost, len(parts), wantLost)
						}
						at := 0
						for _, e := range got { // naming events of other parts come before and after
							if at < len(want) && e == want[at] {
								at++
							}
						}
						if at != len(want) {
							t.Errorf("%+v: %d of %d selected events in order, in %d parts", size, at, len(want), len(parts))
						}
					}
				})
			}
		})
	}
}

// TestNamingMisuse checks the errors for options that do not go together.
func TestNamingMisuse(t *testing.T) {
	data, other := gen.Random(1).Bytes(), gen.Random(3).Bytes()
	next := func(int) (io.WriteCloser, error) { return &splitPart{}, nil }
	if _, err := edit.Split(context.Background(), next, sliceBlocks(data), edit.SplitOptions{SliceOptions: edit.SliceOptions{Naming: naming()}}); err == nil {
		t.Error("Split with Naming and without First: no error")
	}
	if _, err := edit.Slice(context.Background(), io.Discard, sliceBlocks(data), edit.SliceOptions{Naming: naming(), First: sliceBlocks(other)}); err == nil {
		t.Error("First of another source: no error")
	}
	r := sliceBlocks(data)
	if _, err := edit.Slice(context.Background(), io.Discard, r, edit.SliceOptions{Naming: naming(), First: r}); err == nil {
		t.Error("First is the source: no error")
	}
	small := symbols.NewNaming(symbols.Options{Limit: 1})
	trace := shared.Trace(t, "net10-mix-gc.v4")
	if _, err := edit.Slice(context.Background(), io.Discard, sliceBlocks(trace), edit.SliceOptions{Naming: small, First: sliceBlocks(trace)}); !errors.Is(err, codec.ErrLimit) {
		t.Errorf("too many naming events: %v, want a limit", err)
	}
}
