package codec

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec/internal/rowref"
	"github.com/nettrace-go/nettrace/codec/internal/traces"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// rowTraces are the traces for the cost of the row loops: real ones of many
// compressed rows, and a worst case of v6.
var rowTraces = []string{
	"azmcp-net10-startup.v4", "net10-types.v4", "net10-tpl-activities.v4",
}

// rowsOf are the rows of the event blocks of a trace, without the headers of the
// blocks.
type rowsOf struct {
	name    string
	format  wire.Format
	bodies  [][]byte
	count   int
	loop    func(*rowState, []byte, []Event) (int, rule.ID)
	dst     []Event
	scratch []byte
	state   rowState
	r       *BlockReader // has read all
}

func newRowsOf(tb testing.TB, name string, stream []byte) *rowsOf {
	tb.Helper()
	o := &rowsOf{name: name, dst: make([]Event, batchSize), format: wire.V4, loop: decodeCompressedV4}
	o.state.activities = make([]activityPair, 0, batchSize+1)
	r := NewBytesBlockReader(stream, Options{})
	o.r = r
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		if b.Kind != wire.KindEvent || !b.Compressed() || b.truncated {
			continue
		}
		o.bodies = append(o.bodies, slices.Clone(b.Body[b.HeaderSize:]))
		for _, ok := r.NextEvent(); ok; _, ok = r.NextEvent() {
			o.count++
		}
	}
	if r.dialect == &v6 {
		o.format, o.loop = wire.V6, decodeCompressedV6
	}
	return o
}

// ours decodes a block in batches, like the Reader.
func (o *rowsOf) ours(body []byte) (n int) {
	s := &o.state
	o.r.beginRows(s, 0)
	for s.pos < len(body) {
		s.beginBatch()
		k, bad := o.loop(s, body, o.dst)
		if n += k; bad != rule.None {
			return -1
		}
	}
	return n
}

func (o *rowsOf) walk(body []byte) int { return rowref.Walk(o.format, body) }

func (o *rowsOf) scan(body []byte) int { return int(rowref.Scan(body)&1) | 1 }

// pass runs f over all blocks, each of which was just copied to the same place,
// as from a stream, and returns the processor time without that of copying and of
// reading the clock.
func (o *rowsOf) pass(clock rowClock, f func([]byte) int) (took time.Duration) {
	took = -time.Duration(len(o.bodies)) * clock.cost
	for _, body := range o.bodies {
		o.scratch = append(o.scratch[:0], body...)
		start := clock.now()
		f(o.scratch[:len(body):len(body)])
		took += clock.now() - start
	}
	return took
}

// rowClock is a clock of processor time.
type rowClock struct {
	now  func() time.Duration
	cost time.Duration // of reading it twice
}

func newRowClock(t *testing.T) rowClock {
	t.Helper()
	c := rowClock{threadTime(t), time.Hour}
	for range 1000 {
		start := c.now()
		c.cost = min(c.cost, c.now()-start)
	}
	return c
}

// rowCosts are the median times of the loops, and the medians of the ratio of two
// in one round: "ours/walk". Rounds alternate over all traces, so that the branch
// predictor learns none.
func rowCosts(clock rowClock, traces []*rowsOf, rounds int) map[string]map[string]float64 {
	samples := map[string]map[string][]float64{}
	for range rounds {
		for _, o := range traces {
			by := samples[o.name]
			if by == nil {
				by = map[string][]float64{}
				samples[o.name] = by
			}
			took := map[string]float64{}
			for _, loop := range []struct {
				name string
				f    func([]byte) int
			}{{"scan", o.scan}, {"ours", o.ours}, {"walk", o.walk}} {
				took[loop.name] = float64(o.pass(clock, loop.f)) / float64(o.count)
				by[loop.name] = append(by[loop.name], took[loop.name])
			}
			by["ours/walk"] = append(by["ours/walk"], took["ours"]/took["walk"])
		}
	}
	medians := map[string]map[string]float64{}
	for name, by := range samples {
		medians[name] = map[string]float64{}
		for which, s := range by {
			slices.Sort(s)
			medians[name][which] = s[len(s)/2]
		}
	}
	return medians
}

// TestRowCost compares the time of the loops with that of a walk over the same
// rows that decodes nothing but sizes.
func TestRowCost(t *testing.T) {
	if !traces.Check || traces.Race {
		t.Skip("make check runs it")
	}
	const rounds = 21
	clock := newRowClock(t)
	var real, made []*rowsOf
	for _, name := range rowTraces {
		real = append(real, newRowsOf(t, name, traces.Read(t, name)))
	}
	for seed := range uint64(2) {
		made = append(made, newRowsOf(t, fmt.Sprintf("synthetic-%d.v6", seed), syntheticV6(t, seed)))
	}
	for _, set := range []struct {
		name    string
		traces  []*rowsOf
		slowest float64 // maximum ratio of the loops' time to that of the walk, with a margin for noise
	}{{"real", real, 1.5}, {"v6", made, 1.35}} {
		t.Run(set.name, func(t *testing.T) {
			costs := rowCosts(clock, set.traces, rounds)
			walk := geometric(costs, "ours/walk")
			for _, name := range slices.Sorted(maps.Keys(costs)) {
				c := costs[name]
				t.Logf("%-32s ns a row: ours %.2f walk %.2f scan %.2f", name, c["ours"], c["walk"], c["scan"])
			}
			t.Logf("rows=%s ours/walk=%.3f", set.name, walk)
			if walk > set.slowest {
				t.Errorf("%.2f times the time of the walk, want at most %v", walk, set.slowest)
			}
		})
	}
}

// geometric is the geometric mean of a value over all traces.
func geometric(costs map[string]map[string]float64, which string) float64 {
	sum := 0.0
	for _, c := range costs {
		sum += math.Log(c[which])
	}
	return math.Exp(sum / float64(len(costs)))
}

// BenchmarkRows decodes the rows of all event blocks, nothing else.
func BenchmarkRows(b *testing.B) {
	for _, name := range rowTraces {
		plain, version, _ := strings.Cut(name, ".v")
		for _, by := range []string{"ours", "walk", "scan"} {
			b.Run(fmt.Sprintf("version=%s/trace=%s/by=%s", version, plain, by), func(b *testing.B) {
				o := newRowsOf(b, name, traces.Read(b, name))
				f := map[string]func([]byte) int{"ours": o.ours, "walk": o.walk, "scan": o.scan}[by]
				b.ReportAllocs()
				for b.Loop() {
					for _, body := range o.bodies {
						f(body)
					}
				}
				b.ReportMetric(float64(o.count)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
			})
		}
	}
}

// syntheticV6 makes a stream of v6 whose rows change their fields at random and
// independently, the worst case for a loop: no branch is predictable.
func syntheticV6(tb testing.TB, seed uint64) []byte {
	tb.Helper()
	const blocks, perBlock = 40, 4000
	rng := rand.New(rand.NewPCG(seed, 6))
	some := func(n int) uint64 { return uint64(rng.IntN(1 << rng.IntN(n))) }
	var out bytes.Buffer
	w := NewBlockWriter(&out, BlockWriterOptions{Format: wire.V6})
	if err := w.WriteBlock(&BlockRows{Kind: wire.KindTrace, Trace: &Trace{Format: wire.V6, PointerSize: 8}}); err != nil {
		tb.Fatal(err)
	}
	payload := make([]byte, 64)
	row := EventRow{Timestamp: 1 << 40}
	for range blocks {
		b := BlockRows{Kind: wire.KindEvent, Flags: wire.BlockCompressed}
		for range perBlock {
			row.Timestamp += some(16)
			row.Sequence++
			if f := rng.Uint32(); f&15 == 0 {
				row.CaptureThreadIndex, row.Processor = some(8), uint32(some(6))
			} else {
				row.MetadataID, row.ThreadIndex = pick(f&16, row.MetadataID, uint32(some(9))), pick(f&32, row.ThreadIndex, some(8))
				row.StackID, row.LabelListID = pick(f&64, row.StackID, uint32(some(13))), pick(f&896, row.LabelListID, uint32(some(7)))
			}
			row.Payload, row.Sorted = payload[:some(6)], rng.Uint32()&1 == 0
			b.Events = append(b.Events, row)
		}
		if err := w.WriteBlock(&b); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func pick[T any](keep uint32, old, other T) T {
	if keep != 0 {
		return old
	}
	return other
}
