package record_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/conformance/check"
	"github.com/nettrace-go/nettrace/eventpipe/record"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// ringOf reads a stream into a ring.
func ringOf(t *testing.T, data []byte, opt record.RingOptions) (*record.Ring, record.Report) {
	t.Helper()
	ring := record.NewRing(opt)
	report, _ := record.New(record.Options{}).Run(context.Background(), bytes.NewReader(data), ring)
	return ring, report
}

// written writes the content of a ring to a file.
func written(t *testing.T, ring *record.Ring, names []byte) ([]byte, record.Part) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ring.nettrace")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	file, err := record.NewFile(f, record.Uncompressed)
	if err != nil {
		t.Fatal(err)
	}
	snapshot, err := ring.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	var part record.Part
	if names == nil {
		part, err = snapshot.WriteFile(file, nil)
	} else {
		part, err = snapshot.WriteFile(file, bytes.NewReader(names))
	}
	if closed := file.Close(); err != nil || closed != nil {
		t.Fatal(err, closed)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data, part
}

// plain is an event without the values that change when blocks are dropped.
type plain struct {
	provider        string
	id              uint32
	thread, capture uint64
	time            uint64
	payload, stack  string
}

// plainEvents lists the events of a trace in file order.
func plainEvents(t *testing.T, data []byte) (list []plain, lost uint64) {
	t.Helper()
	r := codec.NewBytesReader(data, codec.Options{Strict: true})
	for e, err := range r.Events() {
		if err != nil {
			t.Fatal(err)
		}
		stack := make([]byte, 0, 8*len(e.Stack()))
		for _, a := range e.Stack() {
			stack = append(stack, byte(a), byte(a>>8), byte(a>>16), byte(a>>24), byte(a>>32), byte(a>>40))
		}
		list = append(list, plain{e.Provider(), e.ID(), e.ThreadIndex, e.CaptureThreadIndex, e.Timestamp, string(e.Payload()), string(stack)})
	}
	return list, r.Lost()
}

// ringTraces are complete recordings of version 4.
var ringTraces = []string{"net10-mix-cpu.v4", "net10-mix-locks.v4", "net10-deep.v4", "net10-counters.v4", "net10-tpl-activities.v4"}

// TestRingTime: the written trace is the end of the stream with its stacks, at
// least as long as requested and at most one block longer.
func TestRingTime(t *testing.T) {
	for _, name := range ringTraces {
		t.Run(name, func(t *testing.T) {
			data := shared.Trace(t, name)
			all, _ := plainEvents(t, data)
			for _, span := range []time.Duration{50 * time.Millisecond, 500 * time.Millisecond, time.Hour} {
				ring, report := ringOf(t, data, record.RingOptions{Time: span})
				if !report.Complete() {
					t.Fatalf("%+v", report)
				}
				got, part := written(t, ring, nil)
				kept, lost := plainEvents(t, got)
				if !slices.Equal(kept, all[len(all)-len(kept):]) {
					t.Fatalf("%v: the events are not the last %d", span, len(kept))
				}
				if lost != 0 {
					t.Errorf("%v: %d lost", span, lost)
				}
				if int(part.Events+part.RundownEvents) != len(kept) {
					t.Errorf("%v: %+v; the trace has %d events", span, part, len(kept))
				}
				if missing := missing(all[:len(all)-len(kept)], part, span); missing > 0 {
					t.Errorf("%v: %d events are not there that should be", span, missing)
				}
				if over := time.Duration(part.Last-part.First) - span - longestBlock(t, data); over > 0 {
					t.Errorf("%v: kept %v and more than a block", span, over)
				}
				if span == time.Hour && !bytes.Equal(got, data) && len(kept) != len(all) {
					t.Errorf("the complete ring has %d events of %d", len(kept), len(all))
				}
			}
		})
	}
}

// missing counts the dropped events in the span.
func missing(given []plain, part record.Part, span time.Duration) (n int) {
	for _, e := range given {
		if e.time+uint64(span) >= part.Last {
			n++
		}
	}
	return n
}

// longestBlock is the longest time between two events of a block.
func longestBlock(t *testing.T, data []byte) (longest time.Duration) {
	r := codec.NewBytesBlockReader(data, codec.Options{})
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		if b.Kind == wire.KindEvent {
			longest = max(longest, time.Duration(b.MaxTimestamp-b.MinTimestamp))
		}
	}
	return longest
}

// TestRingSize: the ring and the trace written from it stay within the size.
func TestRingSize(t *testing.T) {
	for _, name := range ringTraces {
		t.Run(name, func(t *testing.T) {
			data := shared.Trace(t, name)
			for size := int64(500_000); size < 700_000; size += 25_000 {
				ring := &record.MeasuredRing{Ring: record.NewRing(record.RingOptions{Size: size})}
				_, err := record.New(record.Options{}).Run(t.Context(), bytes.NewReader(data), ring)
				expect.NoError(t, err)
				expect.AtMost(t, "peak of the bytes held", ring.Peak, size)
				expect.AtMost(t, "bytes held", ring.Bytes(), size)
				expect.NotZero(t, "bytes held", ring.Bytes())
				got, part := written(t, ring.Ring, nil)
				kept, rundown := recordedBytes(got)
				expect.AtMost(t, "bytes written", kept, size)
				expect.AtMost(t, "bytes of rundown written", rundown, ring.Rundown())
				_, lost := plainEvents(t, got)
				expect.Equal(t, "lost", lost, 0)
				if len(data) > int(size+ring.Rundown()) && part.Events == 0 {
					t.Errorf("%d lost, %+v", lost, part)
				}
			}
		})
	}
}

// recordedBytes counts the bytes of blocks, separately for blocks that have only
// a rundown or the event that describes the process. That event is usually in a
// block with recorded events.
func recordedBytes(data []byte) (kept, rundown int64) {
	r := codec.NewBytesBlockReader(data, codec.Options{})
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		others := b.Kind != wire.KindEvent
		for e, ok := r.NextEvent(); ok; e, ok = r.NextEvent() {
			others = others || e.Provider() != "Microsoft-Windows-DotNETRuntimeRundown" && e.Provider() != "Microsoft-DotNETCore-EventPipe"
		}
		if others {
			kept += b.Size
		} else {
			rundown += b.Size
		}
	}
	return kept, rundown
}

// TestRingLost: losses in the kept part stay, those before it are dropped.
func TestRingLost(t *testing.T) {
	data := shared.Trace(t, "net10-burst-dropped.v4")
	ring, report := ringOf(t, data, record.RingOptions{Time: time.Hour})
	if got, _ := written(t, ring, nil); report.Lost == 0 {
		t.Error("the trace has losses")
	} else if _, lost := plainEvents(t, got); lost != report.Lost {
		t.Errorf("uncut: %d lost, want %d", lost, report.Lost)
	}
	ring, _ = ringOf(t, data, record.RingOptions{Size: 300_000})
	got, part := written(t, ring, nil)
	if _, lost := plainEvents(t, got); lost >= report.Lost || part.Events == 0 {
		t.Errorf("dropped: %d lost of %d, %+v", lost, report.Lost, part)
	}
}

// TestRingNames appends the rundown of one session to the events of another: of
// the same process it would name them.
func TestRingNames(t *testing.T) {
	data, names := shared.Trace(t, "net10-mix-cpu.v4"), shared.Trace(t, "net10-deep.v4")
	all, _ := plainEvents(t, data)
	more, _ := plainEvents(t, names)
	ring, _ := ringOf(t, data, record.RingOptions{Time: time.Second})
	got, part := written(t, ring, names)
	kept, lost := plainEvents(t, got)
	sameName := func(a, b plain) bool { return a.provider == b.provider && a.id == b.id && a.payload == b.payload }
	if lost != 0 || !slices.EqualFunc(kept[len(kept)-len(more):], more, sameName) {
		t.Errorf("%d lost; the last %d events are not those of the names", lost, len(more))
	}
	if kept = kept[:len(kept)-len(more)]; !slices.Equal(kept, all[len(all)-len(kept):]) {
		t.Error("the events before are not the last ones")
	}
	if part.Frames == 0 {
		t.Errorf("no frames: %+v", part)
	}
	if _, err := snapshotOf(t, ring).Write(&bytes.Buffer{}, bytes.NewReader(names[:len(names)/2])); !errors.Is(err, codec.ErrTruncated) {
		t.Errorf("truncated names: %v", err)
	}
}

// TestRingNamesAreClean: names that were read before or after the kept events do not break the
// format, although their types of events are those of the kept ones.
func TestRingNamesAreClean(t *testing.T) {
	one, other := shared.Trace(t, "net10-mix-cpu.v4"), shared.Trace(t, "net10-deep.v4")
	for _, c := range [][2][]byte{{one, other}, {other, one}} {
		ring, _ := ringOf(t, c[0], record.RingOptions{Time: time.Second})
		got, _ := written(t, ring, c[1])
		report, err := check.Stream(bytes.NewReader(got), check.Options{})
		expect.NoError(t, err)
		for _, f := range report.Findings {
			t.Errorf("%v: %v", f.Rule, f)
		}
	}
}

func snapshotOf(t *testing.T, ring *record.Ring) *record.Snapshot {
	t.Helper()
	s, err := ring.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// slowly is a reader that waits longer before each read than a File waits for blocks.
type slowly struct{ io.Reader }

func (r slowly) Read(b []byte) (int, error) {
	time.Sleep(time.Second)
	return r.Reader.Read(b)
}

// TestSnapshotSlow: a file of a snapshot has the same bytes however long writing it
// takes, so that a measured size is that of the file.
func TestSnapshotSlow(t *testing.T) {
	data, names := shared.Trace(t, "net10-mix-cpu.v4"), shared.Trace(t, "net10-deep.v4")
	ring, _ := ringOf(t, data, record.RingOptions{Time: time.Hour})
	packed := func(names io.Reader) []byte {
		var out bytes.Buffer
		file, err := record.NewStream(&out, record.Zstd)
		expect.NoError(t, err)
		_, err = snapshotOf(t, ring).WriteFile(file, names)
		expect.NoError(t, err)
		expect.NoError(t, file.Close())
		return out.Bytes()
	}
	at := packed(bytes.NewReader(names))
	synctest.Test(t, func(t *testing.T) {
		expect.Bytes(t, "file", packed(slowly{bytes.NewReader(names)}), at)
	})
}

// TestRingFrames: in a recording with a rundown all frames have names.
func TestRingFrames(t *testing.T) {
	for _, name := range []string{"net10-mix-cpu.v4", "net10-deep.v4"} {
		t.Run(name, func(t *testing.T) {
			ring, _ := ringOf(t, shared.Trace(t, name), record.RingOptions{Time: 500 * time.Millisecond})
			if _, part := written(t, ring, nil); part.Frames == 0 || part.Unnamed > part.Frames/100 {
				t.Errorf("%+v", part)
			}
		})
	}
	ring, _ := ringOf(t, shared.Trace(t, "net10-killed.v4"), record.RingOptions{Time: 500 * time.Millisecond})
	if _, part := written(t, ring, nil); part.Unnamed < part.Frames/2 {
		t.Errorf("without a rundown: %+v", part)
	}
}

// TestRingCut: the rows of a block in which the stream ends are kept.
func TestRingCut(t *testing.T) {
	data := shared.Trace(t, "net10-killed-cut.v4")
	ring, report := ringOf(t, data, record.RingOptions{Time: time.Hour})
	got, _ := written(t, ring, nil)
	if kept, _ := plainEvents(t, got); int64(len(kept)) != completeRows(t, data) || report.Complete() {
		t.Errorf("%d events, %d complete rows; %+v", len(kept), completeRows(t, data), report)
	}
}

// TestRingVersion: other versions are refused, and read to their end.
func TestRingVersion(t *testing.T) {
	for _, name := range []string{"onecollect-small.v6", "net10-netperf.v3"} {
		t.Run(name, func(t *testing.T) {
			ring, report := ringOf(t, shared.Trace(t, name), record.RingOptions{Time: time.Second})
			var version *record.RingVersionError
			if !errors.As(report.Full, &version) || !report.Ended {
				t.Errorf("%+v", report)
			}
			if _, err := ring.Snapshot(); !errors.Is(err, record.ErrNoStream) {
				t.Error(err)
			}
		})
	}
}

// TestSnapshotClone: a copy of a snapshot is written as the snapshot is, with the rows of a
// truncated last block.
func TestSnapshotClone(t *testing.T) {
	data := shared.Trace(t, "net10-mix-cpu.v4")
	ring, _ := ringOf(t, data[:len(data)*2/3], record.RingOptions{Size: 500_000})
	snapshot, err := ring.Snapshot()
	expect.NoError(t, err)
	var first, second bytes.Buffer
	_, err = snapshot.Clone().Write(&first, nil)
	expect.NoError(t, err)
	_, err = snapshot.Write(&second, nil)
	expect.NoError(t, err)
	expect.Bytes(t, "written snapshot", second.Bytes(), first.Bytes())
}

// TestRingCompressed: a ring without zeros writes the same trace, and keeps more events in
// the same memory.
func TestRingCompressed(t *testing.T) {
	data := shared.Trace(t, "net10-deep.v4")
	write := func(size int, compressed bool) ([]byte, record.Part) {
		ring, _ := ringOf(t, data, record.RingOptions{Size: int64(size), Compressed: compressed})
		return written(t, ring, nil)
	}
	want, _ := write(2*len(data), false)
	got, _ := write(2*len(data), true)
	expect.Equal(t, "the trace is the same", bytes.Equal(got, want), true)
	_, plain := write(len(data)/4, false)
	_, compressed := write(len(data)/4, true)
	expect.AtLeast(t, "events", compressed.Events, plain.Events*3)
}
