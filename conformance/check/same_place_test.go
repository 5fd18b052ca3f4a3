package check

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestSamePlace checks a trace with many threads and many types of event that no
// event refers to: those findings are always at the first ones.
func TestSamePlace(t *testing.T) {
	b := gen.NewBuilder(gen.BuilderOptions{Trace: codec.Trace{TickFrequency: 1e9, PointerSize: 8}})
	for i := range 50 {
		b.Thread(&codec.Thread{Index: uint64(i), Name: "worker"})
		b.Metadata(&codec.Metadata{ID: uint32(1 + i*denseTypes), Provider: "P", EventID: uint32(i), Name: "E" + string(rune('0'+i))})
	}
	for range 10 {
		r := check(t, b.Trace().Bytes(), Options{Profile: Lint})
		for _, f := range r.Findings {
			if f.Rule == rule.THR013 || f.Rule == rule.MD016 {
				expect.Equal(t, f.Rule.String()+": row", f.Row, 0)
			}
		}
		expect.AtLeast(t, "findings", len(r.Findings), 2)
	}
}
