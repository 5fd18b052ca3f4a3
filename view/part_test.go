package view_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestPart: the document of a trace with too many samples has the busiest part, or that of
// the range that the page chooses.
func TestPart(t *testing.T) {
	s := read(t, "a.nettrace", shared.Trace(t, "net10-mix-cpu.v4"))
	complete, _ := encode(t, s)
	expect.Equal(t, "fits", s.Fits(), true)
	if complete.Part != nil {
		t.Errorf("part %+v, want none", complete.Part)
	}
	all := rows(complete)
	s.Most = all / 4
	busiest, _ := encode(t, s)
	expect.Equal(t, "fits", s.Fits(), false)
	expect.NotZero(t, "part", busiest.Part)
	expect.Stop(t)
	expect.Equal(t, "samples of the trace", busiest.Part.All, all)
	expect.Equal(t, "samples in the part", busiest.Part.Samples, s.Most)
	expect.AtLeast(t, "samples", rows(busiest), s.Most)
	expect.AtMost(t, "samples", rows(busiest), s.Most+2*len(busiest.Threads))
	begin := complete.StartNs
	length := (complete.EndNs - begin) / 8
	expect.AtMost(t, "length of the busiest part", busiest.Part.ToNs-busiest.Part.FromNs, (complete.EndNs-begin)/4+1)
	s.Range = [2]int64{begin + length, begin + 2*length}
	s.Most = all - 1
	chosen, _ := encode(t, s)
	expect.Equal(t, "beginning", chosen.Part.FromNs, s.Range[0])
	expect.Equal(t, "end", chosen.Part.ToNs, s.Range[1])
	expect.AtLeast(t, "samples", rows(chosen), chosen.Part.Samples)
	expect.AtMost(t, "samples", rows(chosen), chosen.Part.Samples+2*len(chosen.Threads))
}

// rows returns the number of samples of a document.
func rows(d *document) (n int) {
	for _, of := range d.Types {
		if len(of.Offsets) > 0 {
			n += of.Offsets[len(of.Offsets)-1]
		}
	}
	return n
}
