package edit_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// TestSliceRandom: a slice of everything of a random valid trace has the same
// content, and a part has the events and the losses of the part.
func TestSliceRandom(t *testing.T) {
	n := int64(2000)
	if !tier.Check {
		n = 200
	}
	for seed := range n {
		data := gen.Random(seed).Bytes()
		random := rand.New(rand.NewPCG(1, uint64(seed)))
		for _, format := range []wire.Format{{}, {Major: 6}} {
			out, result := sliceRandom(t, seed, data, edit.SliceOptions{Format: format})
			d := diff(t, data, out, edit.DiffOptions{Ignore: []string{"sequencePoints"}})
			if !d.Equal() && result.Unknown == 0 {
				t.Fatalf("seed %d in v%v: %v", seed, format, d)
			}
		}
		if first, last := bounds(data); last-first < 1<<62 {
			from := first + random.Uint64N(last-first+1)
			opt := edit.SliceOptions{Time: between(from, from+random.Uint64N(last-from+2)), Keep: func(e *codec.Event) bool { return e.ID()%2 == 0 }}
			want, lost := partOf(data, opt)
			if len(want) == 0 {
				wantNothing(t, data, opt)
				continue
			}
			out, result := sliceRandom(t, seed, data, opt)
			got, _ := partOf(out, edit.SliceOptions{})
			reported := lostOf(out)
			if !slices.Equal(got, want) && result.Unknown == 0 {
				t.Fatalf("seed %d, %d to %d: %d events, want %d", seed, opt.Time.From, opt.Time.To, len(got), len(want))
			}
			if reported != result.Lost || reported < lost {
				t.Fatalf("seed %d, %d to %d: %d lost, result has %d, want %d", seed, opt.Time.From, opt.Time.To, reported, result.Lost, lost)
			}
			onlyUsedRows(t, out)
		}
	}
}

// lostOf returns the losses of a stream, including those of removed threads.
func lostOf(data []byte) uint64 {
	r := codec.NewBytesReader(data, codec.Options{})
	for range r.Events() {
	}
	return r.Lost()
}

func sliceRandom(t *testing.T, seed int64, data []byte, opt edit.SliceOptions) ([]byte, edit.SliceResult) {
	t.Helper()
	var out bytes.Buffer
	result, err := edit.Slice(context.Background(), &out, sliceBlocks(data), opt)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return out.Bytes(), result
}

// TestMergeRandom: of two random traces all events are there, in order of time,
// with all that was lost.
func TestMergeRandom(t *testing.T) {
	for seed := range int64(500) {
		var sources []*edit.MergeSource
		var data [2][]byte
		for i := range data {
			data[i] = gen.Random(2*seed + int64(i)).Bytes()
			sources = append(sources, edit.NewMergeSource(bytes.NewReader(data[i]), edit.MergeSourceOptions{Name: "s", Reader: codec.Options{OnError: codec.Skip}}))
		}
		var out bytes.Buffer
		result, err := edit.Merge(context.Background(), &out, sources, edit.MergeOptions{})
		if err != nil {
			if out.Len() > 0 {
				t.Fatalf("seed %d: %v", seed, err)
			}
			continue // clocks or pointers that do not go together
		}
		events, lost := int64(0), uint64(result.Omitted-result.Unknown)
		for _, s := range sources {
			events += s.Reader().Count()
			lost += s.Reader().Lost()
		}
		r := codec.NewBytesReader(out.Bytes(), codec.Options{})
		last := uint64(0)
		for e, err := range r.Events() {
			if err != nil || e.Timestamp < last {
				t.Fatalf("seed %d: %v, %d after %d", seed, err, e.Timestamp, last)
			}
			last = e.Timestamp
		}
		if r.Count() != events-result.Omitted || r.Lost() != lost {
			t.Fatalf("seed %d: %d events of %d, %d lost of %d; %+v", seed, r.Count(), events, r.Lost(), lost, result)
		}
	}
}

// TestSplitRandom: the parts of a random trace have its events and losses.
func TestSplitRandom(t *testing.T) {
	for seed := range int64(500) {
		data := gen.Random(seed).Bytes()
		want, _ := partOf(data, edit.SliceOptions{})
		var got []string
		lost := uint64(0)
		for _, part := range split(t, data, edit.SplitOptions{Size: edit.SplitSize{Bytes: 2000}}) {
			events, _ := partOf(part.Bytes(), edit.SliceOptions{})
			got = append(got, events...)
			lost += lostOf(part.Bytes())
		}
		if !slices.Equal(got, want) || lost != lostOf(data) {
			t.Fatalf("seed %d: %d events of %d, %d lost of %d", seed, len(got), len(want), lost, lostOf(data))
		}
	}
}
