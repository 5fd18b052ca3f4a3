package edit_test

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

func merge(t *testing.T, sources ...[]byte) ([]byte, edit.MergeResult) {
	t.Helper()
	return mergeWith(t, edit.MergeOptions{}, sources...)
}

func mergeWith(t *testing.T, opt edit.MergeOptions, sources ...[]byte) ([]byte, edit.MergeResult) {
	t.Helper()
	var list []*edit.MergeSource
	for i, data := range sources {
		list = append(list, edit.NewMergeSource(bytes.NewReader(data), edit.MergeSourceOptions{Name: fmt.Sprint("source ", i), Reader: codec.Options{OnError: codec.Skip}}))
	}
	var out bytes.Buffer
	result, err := edit.Merge(context.Background(), &out, list, opt)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), result
}

// exactTicks converts a time by fractions: another way than the one under test.
func exactTicks(from, to *codec.Trace, ticks uint64) uint64 {
	rat := func(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }
	f, toF := rat(int64(from.TickFrequency)), rat(int64(to.TickFrequency))
	x := rat(int64(ticks - from.SyncTicks))
	x.Mul(x, toF).Quo(x, f)
	y := rat(int64(from.SyncTime.Sub(to.SyncTime)))
	x.Add(x, y.Mul(y, toF).Quo(y, rat(1e9)))
	floor := new(big.Int).Div(x.Num(), x.Denom()) // Euclidean: rounds down
	floor.Add(floor, new(big.Int).SetUint64(to.SyncTicks))
	return floor.Uint64()
}

// mergedWant lists the expected events of a source in a merged trace.
func mergedWant(data []byte, merged *codec.Trace) (events []string, lost uint64) {
	r := codec.NewBytesReader(data, codec.Options{OnError: codec.Skip})
	trace, _ := r.Trace()
	for e, err := range r.Events() {
		if err != nil {
			break
		}
		e.Timestamp = exactTicks(trace, merged, e.Timestamp)
		events = append(events, sliceMeaning(e))
	}
	return events, r.Lost()
}

// TestMerge: all events of all sources are there at their times, in order, with
// their losses and without a defect, each thread with a row of its own.
func TestMerge(t *testing.T) {
	merged := [][]string{
		{"net10-empty.v4"},
		{"azmcp-net10-startup.v4", "net10-mix-gc.v4"},
		{"net10-netperf.v3", "net10-killed-cut.v4"},
		{"net10-burst-dropped.v4", "onecollect-small.v6", "net10-types.v4"},
		{"net10-mix-cpu.v4", "net10-mix-cpu.v4"},
		{"dotnetdiag-net5-webapp.v4", "azmcp-net10-dropped.v4"},
	}
	for _, names := range merged[:less(len(merged), 3)] {
		t.Run(strings.Join(names, " and "), func(t *testing.T) {
			var sources [][]byte
			for _, name := range names {
				sources = append(sources, shared.Trace(t, name))
			}
			out, result := merge(t, sources...)
			r := codec.NewBytesReader(out, codec.Options{Strict: true})
			trace, err := r.Trace()
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			lost := uint64(0)
			for _, data := range sources {
				events, n := mergedWant(data, trace)
				want = append(want, events...)
				lost += n
			}
			var got []string
			last := uint64(0)
			for e, err := range r.Events() {
				if err != nil {
					t.Fatal(err)
				}
				if e.Timestamp < last {
					t.Fatalf("event at %d after one at %d", e.Timestamp, last)
				}
				last = e.Timestamp
				got = append(got, sliceMeaning(e))
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%d events, want %d", len(got), len(want))
				for i := range min(len(got), len(want)) {
					if got[i] != want[i] {
						t.Fatalf("\n%.300s\n%.300s", got[i], want[i])
					}
				}
			}
			expect.Equal(t, "Lost()", r.Lost(), lost)
			expect.Equal(t, "Lost", result.Lost, lost)
			expect.Equal(t, "Late", result.Late, 0)
			expect.Equal(t, "Events", result.Events, int64(len(want)))
		})
	}
}

// TestMergeApart: threads of two sources with the same ids stay separate, and the
// properties of each source can be distinguished.
func TestMergeApart(t *testing.T) {
	data := shared.Trace(t, "net10-mix-gc.v4")
	out, _ := merge(t, data, data)
	index := map[uint64]bool{}
	for e, err := range codec.NewBytesReader(out, codec.Options{}).Events() {
		if err != nil {
			t.Fatal(err)
		}
		index[e.CaptureThreadIndex] = true
	}
	once := map[uint64]bool{}
	for e := range codec.NewBytesReader(data, codec.Options{}).Events() {
		once[e.CaptureThreadIndex] = true
	}
	if len(index) != 2*len(once) {
		t.Errorf("%d capture threads, want twice %d", len(index), len(once))
	}
	trace, _ := codec.NewBytesReader(out, codec.Options{}).Trace()
	source, _ := codec.NewBytesReader(data, codec.Options{}).Trace()
	for _, key := range []string{"", "Source1.", "Source2."} {
		t.Run(key, func(t *testing.T) {
			if id, _ := trace.Property(key + codec.ProcessIDKey); id != source.Properties[0].Value {
				t.Errorf("process %q of %q", id, trace.Properties)
			}
		})
	}
}

// TestMergeClocks merges sources of one event each, with clocks that are hard on
// the arithmetic.
func TestMergeClocks(t *testing.T) {
	type clock struct {
		sync      time.Time
		ticks, hz uint64
	}
	clocks := []clock{
		{sceneTime, 1 << 40, 1e9},
		{sceneTime.Add(-7 * 24 * time.Hour), 5, 1e7},
		{sceneTime.Add(17 * time.Millisecond), 1 << 62, 3_124_099},
		{sceneTime.Add(300 * 24 * time.Hour), 1 << 63, 24_000_000},
		{sceneTime.Add(3 * time.Millisecond), 123, 1},
		{sceneTime, 0, 19_200_000},
	}
	for _, a := range clocks {
		t.Run(fmt.Sprintf("%+v", a), func(t *testing.T) {
			for _, b := range clocks {
				var sources [][]byte
				for _, c := range []clock{a, b} {
					for _, at := range []uint64{c.ticks, c.ticks + 1, c.ticks + 7*c.hz/3} {
						var out bytes.Buffer
						w := codec.NewWriter(&out, codec.WriterOptions{
							Format: wire.V4, Trace: codec.Trace{SyncTime: c.sync, SyncTicks: c.ticks, TickFrequency: c.hz},
						})
						id, _ := w.DefineMetadata(&codec.Metadata{Provider: "P", EventID: 1})
						if err := w.Write(&codec.Record{MetadataID: id, Timestamp: at, Thread: 1, CaptureThread: 1}); err != nil {
							t.Fatal(err)
						}
						if err := w.Close(); err != nil {
							t.Fatal(err)
						}
						sources = append(sources, out.Bytes())
					}
				}
				out, result := merge(t, sources...)
				r := codec.NewBytesReader(out, codec.Options{Strict: true})
				merged, _ := r.Trace()
				var got, want []uint64
				for e, err := range r.Events() {
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, e.Timestamp)
				}
				for _, data := range sources {
					source := codec.NewBytesReader(data, codec.Options{})
					trace, _ := source.Trace()
					e, _ := source.Next()
					want = append(want, exactTicks(trace, merged, e.Timestamp))
					if skew := merged.Time(want[len(want)-1]).Sub(e.Time()); skew > 0 || skew < -time.Second/time.Duration(merged.TickFrequency)-1 {
						t.Errorf("%v: %v off", b, skew)
					}
				}
				slices.Sort(want)
				if !slices.Equal(got, want) || result.Late > 0 {
					t.Errorf("%v: %v, want %v", b, got, want)
				}
			}
		})
	}
}

// TestMergeRefuses: sources that cannot be brought together.
func TestMergeRefuses(t *testing.T) {
	whole := shared.Trace(t, "net10-empty.v4")
	unsynced := bytes.Clone(whole)
	copy(unsynced[bytes.Index(unsynced, []byte("\x05\x00\x00\x00Trace"))+10:], make([]byte, 16)) // no sync time
	small := shared.Trace(t, "gen-32-bit.v4")
	for what, sources := range map[string][][]byte{"clock": {whole, unsynced}, "pointers": {whole, small}, "Trace": {whole, nil}} {
		t.Run(what, func(t *testing.T) {
			var list []*edit.MergeSource
			for _, data := range sources {
				list = append(list, edit.NewMergeSource(bytes.NewReader(data), edit.MergeSourceOptions{Name: what}))
			}
			var out bytes.Buffer
			_, err := edit.Merge(context.Background(), &out, list, edit.MergeOptions{})
			expect.NotZero(t, "error", err)
			expect.Stop(t)
			expect.AtMost(t, "out.Len()", out.Len(), 0)
			if what != "Trace" && !strings.Contains(err.Error(), what) {
				t.Errorf("%v, %d bytes", err, out.Len())
			}
		})
	}
}
