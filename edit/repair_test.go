package edit_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/corpora"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// largeLimits are limits for a stream with 44 MB of stacks in a region.
var largeLimits = codec.Options{Limits: codec.Limits{Block: 64 << 20, Stacks: 256 << 20, Total: 512 << 20}}

// moment is a sync time.
var moment = time.Unix(1e9, 0)

func repair(t *testing.T, data []byte) ([]byte, string) {
	t.Helper()
	var out bytes.Buffer
	list, err := edit.Repair(context.Background(), &out, bytes.NewReader(data), largeLimits)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), fmt.Sprint(list)
}

// TestRepair corrects the faults of real traces.
func TestRepair(t *testing.T) {
	for _, c := range []struct {
		name   string
		events int64
		did    string
	}{
		{"net10-killed.v4", 9679, "[end marks added: 1]"},
		{"net10-killed-cut.v4", 9665, "[end marks added: 1]"},
		{"onecollect-overflow.v6", 60005, "[days of the week corrected: 1 strings declared as counted: 5 " +
			"blocks whose size overflowed split: 1 label lists with numbers in zig-zag form: 2 times of event blocks corrected: 1]"},
		{"onecollect-small.v6", 25, "[days of the week corrected: 1 strings declared as counted: 5 " +
			"label lists with numbers in zig-zag form: 1 times of event blocks corrected: 1]"},
		{"onecollect-noend.v6", 26, "[days of the week corrected: 1 strings declared as counted: 5 label lists with numbers " +
			"in zig-zag form: 1 times of event blocks corrected: 1 times of sequence points added: 1]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := shared.Trace(t, c.name)
			out, did := repair(t, data)
			if did != c.did {
				t.Errorf("%s, want %s", did, c.did)
			}
			r := codec.NewBytesReader(out, codec.Options{Strict: true, Limits: largeLimits.Limits})
			for range r.Events() {
			}
			if r.Count() != c.events || r.Err() != nil {
				t.Errorf("%d events, %v; want %d", r.Count(), r.Err(), c.events)
			}
			if _, did := repair(t, out); did != "[]" {
				t.Errorf("repaired twice: %s", did)
			}
		})
	}
}

// TestRepairSound: a valid trace is not changed.
func TestRepairSound(t *testing.T) {
	for _, name := range []string{"net10-counters.v4", "perfview-net5-arraytypes.v5", "dotnetdiag-net5-single.v4"} {
		t.Run(name, func(t *testing.T) {
			data := shared.Trace(t, name)
			if out, did := repair(t, data); did != "[]" || !bytes.Equal(out, data) {
				t.Errorf("%s, %d bytes, were %d", did, len(out), len(data))
			}
		})
	}
	v6, _ := convert(t, shared.Trace(t, "net10-mix-cpu.v4"), edit.ConvertOptions{})
	if out, did := repair(t, v6); did != "[]" || !bytes.Equal(out, v6) {
		t.Errorf("v6: %s, %d bytes, were %d", did, len(out), len(v6))
	}
}

// TestRepairOverflow makes a block overflow that is not the last one, read in
// small steps.
func TestRepairOverflow(t *testing.T) {
	var b bytes.Buffer
	w := codec.NewBlockWriter(&b, codec.BlockWriterOptions{Format: wire.V6})
	trace := codec.BlockRows{Kind: wire.KindTrace, Trace: &codec.Trace{SyncTime: moment, TickFrequency: 1, PointerSize: 8}}
	metadata := codec.BlockRows{Kind: wire.KindMetadata, Metadata: []codec.MetadataBytes{{Metadata: &codec.Metadata{ID: 1, Provider: "P"}}}}
	threads := codec.BlockRows{Kind: wire.KindThread, Threads: []codec.ThreadBytes{{Thread: &codec.Thread{Index: 1}}}}
	for _, block := range []*codec.BlockRows{&trace, &metadata, &threads} {
		if err := w.WriteBlock(block); err != nil {
			t.Fatal(err)
		}
	}
	const stacks, depth = 25000, 92
	body := binary.LittleEndian.AppendUint32(nil, 7)
	body = binary.LittleEndian.AppendUint32(body, stacks)
	for i := range stacks {
		body = binary.LittleEndian.AppendUint32(body, 8*depth)
		for j := range depth {
			body = binary.LittleEndian.AppendUint64(body, uint64(i)<<8|uint64(j))
		}
	}
	stream := binary.LittleEndian.AppendUint32(b.Bytes(), uint32(len(body))|uint32(wire.KindStack)<<24)
	stream = append(stream, body...)
	b.Reset()
	w = codec.NewBlockWriter(&b, codec.BlockWriterOptions{Format: wire.V6})
	if err := w.WriteBlock(&trace); err != nil {
		t.Fatal(err)
	}
	before := b.Len()
	events := codec.BlockRows{Kind: wire.KindEvent, Flags: wire.BlockCompressed, MinTimestamp: 5, MaxTimestamp: 5}
	for i := range 3 {
		events.Events = append(events.Events, codec.EventRow{
			MetadataID: 1, Sequence: uint32(i + 1), ThreadIndex: 1, CaptureThreadIndex: 1, Timestamp: 5, StackID: uint32(7 + i*12499),
		})
	}
	if err := w.WriteBlock(&events); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	stream = append(stream, b.Bytes()[before:]...)

	var out bytes.Buffer
	list, err := edit.Repair(context.Background(), &out, iotest.HalfReader(bytes.NewReader(stream)), largeLimits)
	if err != nil || fmt.Sprint(list) != "[blocks whose size overflowed split: 1]" {
		t.Fatal(list, err)
	}
	opt := largeLimits
	opt.Strict = true
	r := codec.NewBytesReader(out.Bytes(), opt)
	for e, err := range r.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if s := e.Stack(); len(s) != depth || s[1] != uint64(e.StackID-7)<<8|1 {
			t.Errorf("event %d has a stack of %d addresses, %x", e.Sequence, len(s), s[1])
		}
	}
	if r.Count() != 3 {
		t.Errorf("%d events", r.Count())
	}
}

// TestRepairEveryCut: whatever the length of a prefix, the repaired stream is
// complete and has each event of the prefix.
func TestRepairEveryCut(t *testing.T) {
	for _, name := range []string{"onecollect-small.v6", "net10-counters.v4"} {
		t.Run(name, func(t *testing.T) {
			data := shared.Trace(t, name)
			for n := 200; n < len(data); n += 1 + len(data)/less(1500, 100) {
				var out bytes.Buffer
				if _, err := edit.Repair(context.Background(), &out, bytes.NewReader(data[:n]), codec.Options{}); err != nil {
					t.Fatalf("%d bytes: %v", n, err)
				}
				want, _ := count(data[:n])
				if got, err := count(out.Bytes()); got != want || err != nil {
					t.Fatalf("%d bytes: %d events, %v; want %d", n, got, err, want)
				}
			}
		})
	}
}

// TestRepairNothing: without a Trace block nothing is written.
func TestRepairNothing(t *testing.T) {
	for _, data := range [][]byte{nil, []byte("#!/bin/sh"), shared.Trace(t, "onecollect-small.v6")[:60], shared.Trace(t, "net10-netperf.v3")} {
		t.Run(fmt.Sprintf("%d bytes", len(data)), func(t *testing.T) {
			var out bytes.Buffer
			if list, err := edit.Repair(context.Background(), &out, bytes.NewReader(data), codec.Options{}); err == nil || out.Len() > 0 {
				t.Errorf("bytes: %v, %v, %d bytes written", list, err, out.Len())
			}
		})
	}
}

// TestRepairDamage: events after a fault in the framing of v4 are kept.
func TestRepairDamage(t *testing.T) {
	data := shared.Trace(t, "net10-counters.v4")
	r := codec.NewBytesBlockReader(data, codec.Options{})
	var offsets, rows []int
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		offsets = append(offsets, int(b.Offset))
		n := 0
		for _, ok := r.NextEvent(); ok; _, ok = r.NextEvent() {
			n++
		}
		rows = append(rows, n)
	}
	block := len(rows) / 2 // an event block in the middle
	for rows[block] == 0 {
		block++
	}
	at := offsets[block]
	for _, c := range []struct {
		name   string
		damage func([]byte) []byte
		lost   int // maximum number of events
		did    string
	}{
		{"size-too-small", func(b []byte) []byte { b[at+26]--; return b }, 0, "[objects with a wrong size, which reach to the next one: 1]"},
		{"size-too-large", func(b []byte) []byte { b[at+28] = 1; return b }, 0, "[objects with a wrong size, which reach to the next one: 1]"},
		{"size-negative", func(b []byte) []byte { b[at+29] = 0x80; return b }, 0, "[objects with a wrong size, which reach to the next one: 1]"},
		{"no-end-tag", func(b []byte) []byte { b[offsets[block+1]-1] = 0; return b }, 0, "[objects with a wrong size, which reach to the next one: 1"},
		{"no-begin-tag", func(b []byte) []byte { b[at] = 0; return b }, rows[block], "[bytes between objects left out: "},
		{"bytes-missing", func(b []byte) []byte { return append(b[:at+70], b[at+73:]...) }, rows[block], "[objects with a wrong size"},
		{"block-missing", func(b []byte) []byte { return append(b[:at], b[offsets[block+1]:]...) }, rows[block], "[]"},
		{"garbage", func(b []byte) []byte {
			return append(append(bytes.Clone(b[:at]), "garbage"...), b[at:]...)
		}, 0, "[bytes between objects left out: 7]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, did := repair(t, c.damage(bytes.Clone(data)))
			n, err := count(out)
			expect.AtLeast(t, "n", int(n), 361-c.lost)
			expect.AtMost(t, "n", n, 361)
			expect.NoError(t, err)
			if !strings.HasPrefix(did, c.did) {
				t.Errorf("repairs: got %s, want %s", did, c.did)
			}
		})
	}
}

// TestRepairBytesBefore: bytes before the stream, such as a byte order mark, are left out.
func TestRepairBytesBefore(t *testing.T) {
	data, err := corpora.Open("net10-deep.v4")
	if err != nil {
		t.Fatal(err)
	}
	for _, before := range []string{"\xEF\xBB\xBF", "recording ...\n", strings.Repeat("x", 50_000)} {
		var out bytes.Buffer
		changes, err := edit.Repair(t.Context(), &out, strings.NewReader(before+string(data)), codec.Options{})
		if err != nil || len(changes) != 1 || changes[0].Count != int64(len(before)) || out.Len() == 0 {
			t.Errorf("%d bytes before: %v, %v, %d bytes", len(before), changes, err, out.Len())
		}
	}
}
