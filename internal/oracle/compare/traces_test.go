package compare

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// failingTraces are the traces that the other reader fails on at their first
// event.
var failingTraces = []string{"onecollect-overflow.v6"}

// lost are the events that each trace has lost by its sequence numbers; traces
// that are not listed have lost none.
var lost = map[string]uint64{
	"azmcp-net10-dropped.v4":       36_149,
	"dotnetdiag-net5-webapp.v4":    2_236,
	"net10-burst-dropped.v4":       557_340, // the other reader counts 325,767
	"net10-envvar-nonstreaming.v4": 293_941,
	"net10-types.v4":               25,
}

// complete are the numbers of complete rows in truncated traces; the other
// reader drops the rows of its queue.
var complete = map[string]int{"net10-killed.v4": 9_679, "net10-killed-cut.v4": 9_665}

// TestTraces compares every real trace with the other reader's stored answer,
// from memory and from a stream.
func TestTraces(t *testing.T) {
	summaries := readSummaries(t)
	var all coverage
	t.Run("all", func(t *testing.T) {
		for _, name := range shared.Small(t) {
			if slices.Contains(failingTraces, name) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				all.add(checkTrace(t, name, summaries[name]))
			})
		}
	})
	if !t.Failed() && tier.Check {
		all.check(t)
	}
}

// TestUnanswered: only the listed traces have no answer.
func TestUnanswered(t *testing.T) {
	dir := shared.Dir(t)
	for _, name := range shared.Traces(t) {
		t.Run(name, func(t *testing.T) {
			_, err := os.Stat(filepath.Join(dir, "oracle", name+".events.tsv.zst"))
			if has := err == nil; has == slices.Contains(failingTraces, name) {
				t.Errorf("has an answer: %v", has)
			}
		})
	}
}

func checkTrace(t *testing.T, name string, summary summary) []Row {
	trace := shared.Trace(t, name)
	theirs, err := Parse(string(shared.Oracle(t, name+".events.tsv.zst")))
	if err != nil {
		t.Fatal(err)
	}
	r := codec.NewBytesReader(trace, codec.Options{})
	ours, err := Read(r)
	count, partial := complete[name]
	switch {
	case partial && (!errors.Is(err, codec.ErrTruncated) || len(ours) != count):
		t.Errorf("%d events, want %d; error %v", len(ours), count, err)
	case !partial && (err != nil || len(ours) != len(theirs)):
		t.Errorf("%d events, the other reader %d; error %v", len(ours), len(theirs), err)
	}
	differences := Compare(ours, theirs, partial)
	for _, d := range differences[:min(len(differences), 5)] {
		t.Error(d)
	}
	if len(differences) > 0 {
		t.Errorf("%d differences", len(differences))
	}
	checkSummary(t, name, r, len(theirs), summary)
	checkSources(t, trace, ours, err)
	return ours
}

// checkSummary compares the numbers. The other reader's own count of lost
// events is often wrong, and right for some.
func checkSummary(t *testing.T, name string, r *codec.Reader, events int, s summary) {
	if d := r.Defects(); len(d) > 0 {
		t.Errorf("defects %v", d)
	}
	if r.Lost() != lost[name] {
		t.Errorf("%d events lost, want %d", r.Lost(), lost[name])
	}
	known := slices.Contains([]string{"dotnetdiag-net5-webapp.v4", "net10-types.v4", "net10-envvar-nonstreaming.v4"}, name)
	if known && r.Lost() != uint64(s.EventsLost) {
		t.Errorf("%d events lost, the other reader %d", r.Lost(), s.EventsLost)
	}
	trace, err := r.Trace()
	if err != nil {
		t.Fatal(err)
	}
	if s.Events != events || trace.PointerSize != s.PointerSize {
		t.Errorf("the summary has %d events and pointers of %d bytes, we have %d", s.Events, s.PointerSize, trace.PointerSize)
	}
}

// checkSources reads the trace again, from a stream.
func checkSources(t *testing.T, trace []byte, want []Row, wantErr error) {
	readers := map[string]io.Reader{"a stream": bytes.NewReader(trace)}
	if len(trace) < 4<<20 {
		readers["a chopped stream"] = &chopped{trace, rand.New(rand.NewPCG(1, uint64(len(trace))))}
	}
	if len(trace) < 200<<10 {
		readers["a stream of single bytes"] = iotest.OneByteReader(bytes.NewReader(trace))
	}
	for kind, src := range readers {
		got, err := Read(codec.NewReader(src, codec.Options{}))
		if !slices.Equal(got, want) || errorText(err) != errorText(wantErr) {
			t.Errorf("through %s: %d events and the error %v, from memory %d and %v", kind, len(got), err, len(want), wantErr)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// chopped returns a stream in pieces of any size, some of them empty.
type chopped struct {
	rest   []byte
	random *rand.Rand
}

func (c *chopped) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.random.IntN(5000))], c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

type summary struct {
	Trace       string
	Events      int
	EventsLost  int64
	PointerSize int
}

func readSummaries(t *testing.T) map[string]summary {
	all := map[string]summary{}
	for line := range strings.Lines(string(shared.Oracle(t, "summary.ndjson"))) {
		var s summary
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		all[s.Trace] = s
	}
	return all
}

// coverage counts the events in which each column was compared, so that no
// exception grows until it swallows its column.
type coverage struct {
	mu       sync.Mutex
	events   int
	compared [len(columnNames)]int
}

func (c *coverage) add(rows []Row) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events += len(rows)
	for i := range rows {
		for column := range c.compared {
			if rows[i].Silent&(1<<column) == 0 {
				c.compared[column]++
			}
		}
	}
}

// minCompared is the minimum number of compared events for a column that is
// sometimes left out. Most traces do not have processors, and most of their
// metadata has no opcode.
var minCompared = map[Columns]int{Opcode: 2_700, Processor: 70_000, Depth: 840_000, StackSum: 840_000, Related: 1_190_000}

func (c *coverage) check(t *testing.T) {
	for column, n := range c.compared {
		name := Columns(1) << column
		want, sometimes := minCompared[name]
		if !sometimes {
			want = c.events
		}
		t.Logf("%v: compared in %d of %d events", name, n, c.events)
		if n < want {
			t.Errorf("%v: compared in %d of %d events instead of %d", name, n, c.events, want)
		}
	}
}
