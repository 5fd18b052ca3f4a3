//go:build cgo

package cgo

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/workload"
)

// traces are the traces of corpora for the comparison.
var traces = []string{
	"azmcp-net10-cpu.v4", "azmcp-net10-live.v4", "aspnet-net10.v4", "net10-mix-cpu.v4", "net10-allevents.v4", "net10-deep.v4",
	"azmcp-net10-counters.v4",
}

// bodies reads a trace and returns the rows of each event block, with zeros after
// them.
func (d *decoder) bodies(t *testing.T, name string) (found [][]byte) {
	t.Helper()
	trace, err := workload.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	r := codec.NewBytesBlockReader(trace.Data, codec.Options{})
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		if b.Kind == wire.KindEvent {
			found = append(found, append(slices.Clone(b.Body[b.HeaderSize:]), make([]byte, padding)...))
		}
	}
	d.reader = r
	return found
}

// TestSame: both loops decode the same rows.
func TestSame(t *testing.T) {
	d := newDecoder()
	for _, name := range traces {
		t.Run(name, func(t *testing.T) {
			for i, body := range d.bodies(t, name) {
				if c, ours := d.inC(body, true), d.inGo(body, true); c != ours || c.rows == 0 {
					t.Fatalf("block %d: in C %+v, in Go %+v", i, c, ours)
				}
			}
		})
	}
}

// TestRatio measures both in one process, round robin over the traces. The last
// line is read by the report of package bench.
func TestRatio(t *testing.T) {
	const rounds = 21
	decoders, blocks := map[string]*decoder{}, map[string][][]byte{}
	for _, name := range traces {
		decoders[name] = newDecoder()
		blocks[name] = decoders[name].bodies(t, name)
	}
	pass := func(name string, f func(*decoder, []byte, bool) sum) float64 {
		d := decoders[name]
		took := time.Duration(0)
		for _, body := range blocks[name] {
			scratch := append(warm[:0], body...)
			start := time.Now()
			f(d, scratch, false)
			took += time.Since(start)
			warm = scratch
		}
		return float64(took)
	}
	quotients := map[string][]float64{}
	for range rounds {
		for _, name := range traces {
			quotients[name] = append(quotients[name], pass(name, (*decoder).inGo)/pass(name, (*decoder).inC))
		}
	}
	logs := 0.0
	for _, name := range traces {
		q := quotients[name]
		slices.Sort(q)
		t.Logf("%-26s takes %.3f times as long as in C", name, q[len(q)/2])
		logs += math.Log(q[len(q)/2])
	}
	t.Logf("rows=real ours/C=%.3f", math.Exp(logs/float64(len(traces))))
}

var warm []byte
