package edit_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// incomplete are the traces without a complete end.
var incomplete = []string{"net10-killed.v4", "net10-killed-cut.v4", "onecollect-overflow.v6"}

// TestPreserve: every complete trace of v4 to v6 comes out with the same bytes.
func TestPreserve(t *testing.T) {
	for _, name := range shared.Small(t) {
		t.Run(name, func(t *testing.T) {
			if strings.HasSuffix(name, ".v3") || slices.Contains(incomplete, name) {
				return
			}
			data := shared.Trace(t, name)
			hash := sha256.New()
			if err := edit.Preserve(context.Background(), hash, codec.NewBytesBlockReader(data, codec.Options{})); err != nil {
				t.Error(err)
				return
			}
			if want := sha256.Sum256(data); !bytes.Equal(hash.Sum(nil), want[:]) {
				t.Error("other bytes")
			}
		})
	}
}

// TestPreserveCut: the copy of a truncated trace has everything that is complete,
// and an end mark.
func TestPreserveCut(t *testing.T) {
	data := shared.Trace(t, "net10-killed-cut.v4")
	var out bytes.Buffer
	src := codec.NewBytesBlockReader(data, codec.Options{})
	if err := edit.Preserve(context.Background(), &out, src); err != nil {
		t.Fatal(err)
	}
	if src.Err() == nil {
		t.Error("the source does not report that it is truncated")
	}
	if n, err := count(out.Bytes()); n != 9665 || err != nil {
		t.Errorf("%d events, %v; want 9665", n, err)
	}
}

// TestPreserveNothing: without a Trace block nothing is written.
func TestPreserveNothing(t *testing.T) {
	data := shared.Trace(t, "net10-empty.v4")
	for _, n := range []int{0, 10, 32, 60, 100} {
		t.Run(fmt.Sprintf("n=%v", n), func(t *testing.T) {
			var out bytes.Buffer
			src := codec.NewBytesBlockReader(data[:n], codec.Options{})
			if err := edit.Preserve(context.Background(), &out, src); err == nil || out.Len() > 0 {
				t.Errorf("%v, %d bytes written", err, out.Len())
			}
		})
	}
	var out bytes.Buffer
	if err := edit.Preserve(context.Background(), &out, codec.NewBytesBlockReader(shared.Trace(t, "net10-netperf.v3"), codec.Options{})); err != edit.ErrNotWritten || out.Len() > 0 {
		t.Errorf("v3: %v, %d bytes written", err, out.Len())
	}
}

// TestPreserveDecodes: no body is copied. One value is changed between decode
// and encode, and exactly its bytes are others.
func TestPreserveDecodes(t *testing.T) {
	changes := map[string]struct {
		kind   wire.Kind
		change func(*codec.BlockRows)
		bytes  int // from its first byte to the end of the last one, at most
	}{
		"event-timestamp": {wire.KindEvent, func(b *codec.BlockRows) { b.Events[len(b.Events)-1].Timestamp++ }, 10},
		"event-payload":   {wire.KindEvent, changePayload, 1},
		"min-timestamp":   {wire.KindEvent, func(b *codec.BlockRows) { b.MinTimestamp ^= 1 }, 1},
		"point-number":    {wire.KindSequencePoint, func(b *codec.BlockRows) { b.SequencePoint.Threads[0].Sequence ^= 1 }, 1},
		"stack-address":   {wire.KindStack, func(b *codec.BlockRows) { b.Stacks[len(b.Stacks)-1].Addresses[0] ^= 1 }, 1},
		"metadata-level":  {wire.KindMetadata, func(b *codec.BlockRows) { m := *b.Metadata[0].Metadata; m.Level ^= 1; b.Metadata[0].Metadata = &m }, 1},
	}
	for _, name := range []string{"net10-counters.v4", "onecollect-small.v6"} {
		t.Run(name, func(t *testing.T) {
			data := shared.Trace(t, name)
			for what, c := range changes {
				if name == "onecollect-small.v6" && (what == "point-number" || what == "metadata-level") {
					continue // its points list no threads, its metadata rows have no level
				}
				at, out := rewrite(t, data, c.kind, c.change)
				if len(out) < len(data)-1 || len(out) > len(data)+10 {
					t.Errorf("%s: %d bytes, were %d", what, len(out), len(data))
					continue
				}
				first, last := differing(data, out)
				if first < at || last-first > c.bytes {
					t.Errorf("%s: differs from %d to %d, the block is at %d", what, first, last, at)
				}
			}
		})
	}
}

func changePayload(b *codec.BlockRows) {
	i := slices.IndexFunc(b.Events, func(e codec.EventRow) bool { return len(e.Payload) > 0 })
	e := &b.Events[i]
	e.Payload = bytes.Clone(e.Payload)
	e.Payload[0] ^= 1
}

// rewrite copies a stream and changes the first block of a kind that has enough
// rows. It returns the block's offset.
func rewrite(t *testing.T, data []byte, kind wire.Kind, change func(*codec.BlockRows)) (at int, out []byte) {
	t.Helper()
	r := codec.NewBytesBlockReader(data, codec.Options{})
	var b bytes.Buffer
	var rows codec.BlockRows
	var w *codec.BlockWriter
	at = -1
	for block, ok := r.Next(); ok; block, ok = r.Next() {
		if r.Rows(&rows); w == nil {
			format := wire.V5
			if rows.Trace.Format.HasThreadTable() {
				format = wire.V6
			}
			w = codec.NewBlockWriter(&b, codec.BlockWriterOptions{Format: format, Preserve: true})
		}
		if at < 0 && rows.Kind == kind {
			at = int(block.Offset)
			change(&rows)
		}
		if err := w.WriteBlock(&rows); err != nil {
			t.Fatal(err)
		}
	}
	return at, b.Bytes()
}

// differing returns the range in which two streams differ, from the front and
// from the back. Sizes of blocks may differ with them: they are small here.
func differing(a, b []byte) (first, last int) {
	for first < min(len(a), len(b)) && a[first] == b[first] {
		first++
	}
	n := 0
	for n < min(len(a), len(b))-first && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return first, len(a) - n
}

// count reads a stream to its end.
func count(data []byte) (int64, error) {
	r := codec.NewBytesReader(data, codec.Options{})
	for _, err := range r.Events() {
		if err != nil {
			return r.Count(), err
		}
	}
	return r.Count(), nil
}
