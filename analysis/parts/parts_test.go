package parts_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/parts"
	"github.com/nettrace-go/nettrace/analysis/spans"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/async"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
)

// TestNotRecorded: the part trace lists the events that each other part needs, but for those of one runtime.
func TestNotRecorded(t *testing.T) {
	m := tracetest.New(wire.V4)
	m.Add(tracetest.Event{At: 1, Thread: 1, Provider: "Contoso", ID: 1})
	all := parts.All()
	tr, err := analysis.Read(t.Context(), codec.NewBytesReader(m.Bytes(), codec.Options{}), analysis.Options{Parts: all})
	expect.NoError(t, err)
	type setting struct {
		provider, keywords string
		level              int
	}
	listed := map[setting]bool{}
	var needed []analysis.Report
	for _, p := range all {
		for _, r := range p.Reports(tr) {
			if !r.Recorded() {
				needed = append(needed, r)
				continue
			}
			for _, n := range r.NotRecorded {
				listed[setting{n.Provider, n.Keywords, n.Level}] = true
			}
		}
	}
	expect.Len(t, "parts without events", needed, len(all)-1)
	for _, r := range needed {
		n := r.NotRecorded[0]
		if n.Provider == async.Provider || r.Part == spans.Name {
			continue // of .NET 11, or of any event source: a trace lacks nothing without it
		}
		expect.Equal(t, "the part trace lists "+n.String(), listed[setting{n.Provider, n.Keywords, n.Level}], true)
	}
}
