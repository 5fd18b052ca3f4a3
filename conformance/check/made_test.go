package check

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// row is an event of a made stream, which its own thread logs unless about is set.
type row struct {
	capture  uint64
	sequence uint32
	time     uint64
	sorted   bool
	about    uint64
}

// eventsOf is a block of events with exact times in its header.
func eventsOf(rows ...row) *codec.BlockRows {
	b := &codec.BlockRows{Kind: wire.KindEvent, Flags: wire.BlockCompressed}
	for _, r := range rows {
		if r.about == 0 {
			r.about = r.capture
		}
		b.Events = append(b.Events, codec.EventRow{
			MetadataID: 1, ThreadIndex: r.about, CaptureThreadIndex: r.capture, Sequence: r.sequence, Timestamp: r.time, Sorted: r.sorted,
		})
	}
	b.SetBounds()
	return b
}

// pointOf is a sequence point that lists threads with their numbers.
func pointOf(ticks uint64, list ...codec.ThreadSequence) *codec.BlockRows {
	return &codec.BlockRows{Kind: wire.KindSequencePoint, SequencePoint: codec.SequencePoint{Timestamp: ticks, Threads: list}}
}

// removalOf removes a thread that has no events.
func removalOf(index uint64) *codec.BlockRows {
	return &codec.BlockRows{Kind: wire.KindRemoveThread, Removed: []codec.ThreadSequence{{Thread: index}}}
}

// threadOf defines a thread.
func threadOf(index uint64) *codec.BlockRows {
	t := &codec.Thread{Index: index, ThreadID: index, HasThreadID: true}
	return &codec.BlockRows{Kind: wire.KindThread, Threads: []codec.ThreadBytes{{Thread: t}}}
}

// streamOf is a stream of version 6 with one type of event, the threads 1 to 9, and
// the blocks.
func streamOf(t *testing.T, blocks ...*codec.BlockRows) []byte {
	t.Helper()
	var out bytes.Buffer
	w := codec.NewBlockWriter(&out, codec.BlockWriterOptions{})
	trace := &codec.Trace{
		Format: wire.V6, PointerSize: 8, SyncTime: time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC), SyncTicks: 10, TickFrequency: 1e9,
		Properties: []codec.KeyValue{{Key: codec.ProcessIDKey, Value: "1"}},
	}
	start := []*codec.BlockRows{
		{Kind: wire.KindTrace, Trace: trace},
		{Kind: wire.KindMetadata, Metadata: []codec.MetadataBytes{{Metadata: &codec.Metadata{ID: 1, Provider: "P", EventID: 1, Name: "E"}}}},
	}
	for i := uint64(1); i <= 9; i++ {
		start = append(start, threadOf(i))
	}
	for _, b := range append(start, blocks...) {
		expect.NoError(t, w.WriteBlock(b))
	}
	expect.NoError(t, w.Close())
	return out.Bytes()
}

// findings are the rules with their counts, but for those about rows that are not
// sorted where the thread changes, and about missing numbers.
func findings(t *testing.T, stream []byte) string {
	t.Helper()
	r := check(t, stream, Options{})
	var list []string
	for _, severity := range []rule.Severity{rule.Error, rule.Warning} {
		for one := range strings.SplitSeq(counts(r, severity), ", ") {
			if one != "" && !strings.HasPrefix(one, "ORD-004") {
				list = append(list, one)
			}
		}
	}
	return strings.Join(list, ", ")
}

// follow makes n rows of thread 1 with numbers step apart.
func follow(n int, step uint32) (rows []row) {
	for i := range n {
		rows = append(rows, row{capture: 1, sequence: 1 + uint32(i)*step, time: 1000 + uint64(i)})
	}
	return rows
}

// TestMadeStreams: what the checker finds in streams of a few rows.
func TestMadeStreams(t *testing.T) {
	for _, c := range []struct {
		name   string
		blocks []*codec.BlockRows
		want   string
	}{
		{"two threads", []*codec.BlockRows{eventsOf(row{1, 1, 1000, true, 0}, row{2, 1, 1001, true, 0}), pointOf(2000)}, ""},
		{"a step back in time, then forward", []*codec.BlockRows{
			eventsOf(row{1, 1, 1030, true, 0}), eventsOf(row{2, 1, 1040, false, 0}, row{2, 2, 1010, false, 0}, row{2, 3, 1020, false, 0}),
		}, "ORD-001 1, ORD-002 1"},
		{"first event of a region older than the last one of its thread", []*codec.BlockRows{
			eventsOf(row{1, 1, 1030, false, 0}), pointOf(1030), eventsOf(row{1, 2, 1029, false, 0}),
		}, "ORD-001 1"},
		{"one tick before the sequence point", []*codec.BlockRows{pointOf(1030), eventsOf(row{1, 1, 1029, false, 0})}, "SQP-004 1"},
		{"at the time of the sequence point", []*codec.BlockRows{pointOf(1030), eventsOf(row{1, 1, 1030, false, 0})}, ""},
		{"a sorted row before the sequence point, then another", []*codec.BlockRows{
			pointOf(1030), eventsOf(row{1, 1, 1010, true, 0}), eventsOf(row{2, 1, 1020, false, 0}),
		}, "SQP-004 2"},
		{"8 rows that skip a number", []*codec.BlockRows{eventsOf(follow(9, 2)...)}, "SEQ-008 1"},
		{"7 rows that skip a number", []*codec.BlockRows{eventsOf(follow(8, 2)...)}, ""},
		{"numbers by the thread that an event is about", []*codec.BlockRows{
			eventsOf(row{9, 1, 1000, false, 1}, row{9, 1, 1001, false, 2}, row{9, 2, 1002, false, 1}),
		}, "SEQ-007 1"},
		{"unknown thread and capture thread", []*codec.BlockRows{eventsOf(row{13, 1, 1000, false, 12})}, "THR-009 1"},
		{"such numbers with a gap", []*codec.BlockRows{
			eventsOf(row{9, 1, 1000, false, 1}, row{9, 1, 1001, false, 2}, row{9, 3, 1002, false, 1}),
		}, "SEQ-002 1"},
	} {
		t.Run(c.name, func(t *testing.T) { expect.Equal(t, "findings", findings(t, streamOf(t, c.blocks...)), c.want) })
	}
}

// TestThreadAgain: two indexes of one thread are reported, one that is defined again is not.
func TestThreadAgain(t *testing.T) {
	other := threadOf(10)
	other.Threads[0].Thread.ThreadID = 1
	for _, c := range []struct {
		name string
		then *codec.BlockRows
		want bool
	}{{"the same index", threadOf(1), false}, {"another index", other, true}} {
		t.Run(c.name, func(t *testing.T) {
			r := check(t, streamOf(t, c.then), Options{Profile: Lint})
			found := slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Rule == rule.THR007 })
			expect.Equal(t, "THR-007 is reported", found, c.want)
		})
	}
}

// TestUnsortedRegions: a region of more than 10,000 events without a sorted row is
// reported, whatever other regions have.
func TestUnsortedRegions(t *testing.T) {
	rows := follow(10_001, 1)
	next := eventsOf(rows...)
	for i := range next.Events {
		next.Events[i].Sequence += 10_001
		next.Events[i].Timestamp += 20_000
	}
	next.SetBounds()
	sorted := eventsOf(rows...)
	sorted.Events[0].Sorted = true
	for _, c := range []struct {
		name   string
		blocks []*codec.BlockRows
		want   string
	}{
		{"10,000 events", []*codec.BlockRows{eventsOf(rows[:10_000]...), pointOf(20_000)}, ""},
		{"10,001 events", []*codec.BlockRows{eventsOf(rows...), pointOf(20_000)}, "ORD-003 1"},
		{"a sorted row", []*codec.BlockRows{sorted, pointOf(20_000)}, ""},
		{"a sorted row in the region before", []*codec.BlockRows{sorted, pointOf(20_000), next, pointOf(40_000)}, "ORD-003 1"},
	} {
		t.Run(c.name, func(t *testing.T) { expect.Equal(t, "findings", findings(t, streamOf(t, c.blocks...)), c.want) })
	}
}

// TestRemovedThreads: 100,000 threads at the same time are a finding only if none
// was ever removed.
func TestRemovedThreads(t *testing.T) {
	many := &codec.BlockRows{Kind: wire.KindThread}
	for i := uint64(10); i <= 100_010; i++ {
		many.Threads = append(many.Threads, codec.ThreadBytes{Thread: &codec.Thread{Index: i, ThreadID: i, HasThreadID: true}})
	}
	expect.Equal(t, "findings", findings(t, streamOf(t, many)), "THR-014 1")
	expect.Equal(t, "findings after a removal", findings(t, streamOf(t, removalOf(5), many)), "")
}

// TestIndexOfRemovedThread: the row that gives the index of a removed thread to a
// new one is a finding, later rows with it are not.
func TestIndexOfRemovedThread(t *testing.T) {
	r := check(t, streamOf(t, removalOf(5), threadOf(5), threadOf(5)), Options{Profile: Lint})
	expect.Contains(t, "information", counts(r, rule.RMT007.Rule().Severity), "RMT-007 1")
}

// TestStep: the distance of two numbers, which wrap around.
func TestStep(t *testing.T) {
	const half = 1 << 31
	for _, c := range []struct {
		last, next uint32
		lost       uint64
		back       bool
	}{
		{5, 6, 0, false}, {5, 9, 3, false}, {5, 5, 0, true}, {5, 4, 0, true},
		{half + 5, half + 5, 0, true}, {1<<32 - 1, 0, 0, false}, {1<<32 - 2, 3, 4, false},
		{half, 0, 0, true}, {half + 1, 0, half - 2, false},
	} {
		lost, back := step(c.last, c.next)
		if lost != c.lost || back != c.back {
			t.Errorf("from %d to %d: %d lost, back %v; want %d, %v", c.last, c.next, lost, back, c.lost, c.back)
		}
	}
}

// TestImpossibleFrame: no code is at address 0 or at the highest one.
func TestImpossibleFrame(t *testing.T) {
	for _, c := range []struct {
		name   string
		frames string
		size   int
		want   int
	}{
		{"none", "\x01\x00\x00\x00\x00\x00\x00\x00", 8, -1},
		{"zero", "\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", 8, 8},
		{"all ones", "\x01\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff", 8, 8},
		{"zero of 4 bytes", "\x01\x00\x00\x00\x00\x00\x00\x00", 4, 4},
		{"all ones of 4 bytes", "\x01\x00\x00\x00\xff\xff\xff\xff", 4, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect.Equal(t, "position", impossibleFrame([]byte(c.frames), c.size), c.want)
		})
	}
}
