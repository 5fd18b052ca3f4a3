package report

import (
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/alloc"
	"github.com/nettrace-go/nettrace/analysis/locks"
	"github.com/nettrace-go/nettrace/analysis/parts"
	"github.com/nettrace-go/nettrace/analysis/spans"
	"github.com/nettrace-go/nettrace/analysis/trace"
	"github.com/nettrace-go/nettrace/analysis/waits"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestAnswerOfParts: what -p records is an answer for each part that can have no events.
func TestAnswerOfParts(t *testing.T) {
	for _, part := range parts.All() {
		if part.Name() == trace.Name || part.Name() == spans.Name { // about any trace, and about any event source
			continue
		}
		t.Run(part.Name(), func(t *testing.T) {
			providers, err := providersOf([]analysis.Part{part}, 10, counters.MetersSession{})
			expect.NoError(t, err)
			asked := recording{providers: providers, major: 10}
			for _, r := range part.Reports(nil) {
				asked.answer(&r)
				expect.AtLeast(t, "kinds of events that did not happen", len(r.None), 1)
				expect.Equal(t, "kinds of events that were not recorded", len(r.NotRecorded), 0)
				expect.Equal(t, "summary", summaryOf(&r), "none in this time")
			}
		})
	}
}

// TestAnswer: only what the session recorded and the runtime has can have happened not at
// all.
func TestAnswer(t *testing.T) {
	runtime := func(keywords uint64, level int) []eventpipe.Provider {
		return []eventpipe.Provider{{Name: clr.RuntimeProvider, Keywords: keywords, Level: level}}
	}
	for _, c := range []struct {
		name  string
		part  analysis.Part
		asked recording
		none  int
	}{
		{"recorded", locks.New(), recording{runtime(0x4001, 5), 8}, 1},
		{"other keyword", locks.New(), recording{runtime(0x8000, 5), 8}, 0},
		{"level too low", locks.New(), recording{runtime(0x4000, 3), 8}, 0},
		{"other provider", locks.New(), recording{[]eventpipe.Provider{{Name: "Other", Keywords: 0x4000, Level: 5}}, 8}, 0},
		{"no provider", locks.New(), recording{nil, 8}, 0},
		{"waits before .NET 9", waits.New(), recording{runtime(0x40000000000, 5), 8}, 0},
		{"waits of .NET 9", waits.New(), recording{runtime(0x40000000000, 5), 9}, 1},
		{"waits of an unknown runtime", waits.New(), recording{runtime(0x40000000000, 5), 0}, 0},
		{"one of two sources", alloc.New(), recording{runtime(1, 5), 8}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.part.Reports(nil)[0]
			before := len(r.NotRecorded)
			c.asked.answer(&r)
			expect.Equal(t, "kinds of events that did not happen", len(r.None), c.none)
			if c.none == 0 {
				expect.Equal(t, "kinds of events that were not recorded", len(r.NotRecorded), before)
			}
		})
	}
}

// TestNoContention: a report without events about locks says where the waits are that began
// before the recording, whether or not it is known that the session recorded the events.
func TestNoContention(t *testing.T) {
	for name, asked := range map[string]recording{
		"file": {},
		"-p":   {[]eventpipe.Provider{{Name: clr.RuntimeProvider, Keywords: 0x4000, Level: 4}}, 10},
	} {
		t.Run(name, func(t *testing.T) {
			f := file{name: "trace", reports: locks.New().Reports(nil)}
			asked.answer(&f.reports[0])
			var d document
			detail(&d, &f)
			expect.Contains(t, "text", string(d.text), "contended locks", "\n  waits that began before the recording have no event: ", "nettrace stack -p PID", "report waits")
		})
	}
}
