package codectest_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// columnsRow formats the columns of a row, and its references in the Reader.
func columnsRow(r *codec.BlockReader, c *codec.Columns, i int) string {
	return fmt.Sprintf("@%d t=%d meta=%d,%v seq=%d cpu=%d thread=%d,%v capture=%d stack=%d labels=%v flags=%d payload=%x",
		c.Block.BodyOffset+int64(c.Offset[i]), c.Timestamp[i], c.MetadataID[i], r.Metadata(c.MetadataID[i]) != nil, c.Sequence[i],
		c.Processor[i], c.ThreadIndex[i], r.Thread(c.ThreadIndex[i]) != nil, c.CaptureThreadIndex[i], c.StackID[i],
		r.LabelList(c.LabelListID[i]), c.Flags[i], c.Payload(i))
}

// blockRow formats an event in the same way.
func blockRow(r *codec.BlockReader, e *codec.Event) string {
	return fmt.Sprintf("@%d t=%d meta=%d,%v seq=%d cpu=%d thread=%d,%v capture=%d stack=%d labels=%v flags=%d payload=%x",
		e.Offset(), e.Timestamp, e.MetadataID, e.Metadata() != nil, e.Sequence,
		e.Processor, e.ThreadIndex, r.Thread(e.ThreadIndex) != nil, e.CaptureThreadIndex, e.StackID,
		e.Labels(), e.RowFlags(), e.Payload())
}

// TestColumns compares the columns with the events, on real traces and on small
// streams, valid and malformed: the same rows, losses, defects and errors, from
// memory and from a source with short reads.
func TestColumns(t *testing.T) {
	var streams = map[string][]byte{}
	for _, name := range shared.Small(t) {
		streams[name] = shared.Trace(t, name)
	}
	for _, name := range shared.Streams(t) {
		streams[name] = shared.Stream(t, name)
	}
	rows := 0
	for name, b := range streams {
		for _, policy := range []codec.ErrorPolicy{codec.Stop, codec.Skip} {
			t.Run(fmt.Sprint(policy), func(t *testing.T) {
				opt := codec.Options{OnError: policy}
				want := codec.NewBytesBlockReader(b, opt)
				got := codec.NewBytesBlockReader(b, opt)
				if policy == codec.Skip {
					got = codec.NewBlockReader(oneKB{bytes.NewReader(b)}, opt)
				}
				if err := sameColumns(want, got, &rows); err != nil {
					t.Errorf("%s, policy %d: %v", name, policy, err)
				}
			})
		}
	}
	if rows < 10000 {
		t.Errorf("only %d rows were compared", rows)
	}
}

// oneKB returns at most 1 KB at a time.
type oneKB struct{ r io.Reader }

func (r oneKB) Read(p []byte) (int, error) { return r.r.Read(p[:min(len(p), 1024)]) }

// nextColumns reads the next block that has event rows.
func nextColumns(r *codec.BlockReader, dst *codec.Columns) bool {
	for _, ok := r.Next(); ok; _, ok = r.Next() {
		if r.Columns(dst); dst.Len() > 0 {
			return true
		}
	}
	return false
}

func sameColumns(want, got *codec.BlockReader, rows *int) error {
	var c codec.Columns
	at := 0
	for _, ok := want.Next(); ok; _, ok = want.Next() {
		for e, ok := want.NextEvent(); ok; e, ok = want.NextEvent() {
			if at == c.Len() {
				if !nextColumns(got, &c) {
					return fmt.Errorf("no block for the event at %d: %w", e.Offset(), got.Err())
				}
				at = 0
			}
			if a, b := blockRow(want, e), columnsRow(got, &c, at); a != b {
				return fmt.Errorf("event\n%s\nrow\n%s", a, b)
			}
			at++
			*rows++
		}
	}
	if at < c.Len() || nextColumns(got, &c) {
		return fmt.Errorf("more rows than events")
	}
	switch {
	case fmt.Sprint(want.Err()) != fmt.Sprint(got.Err()):
		return fmt.Errorf("events end with %v, columns with %v", want.Err(), got.Err())
	case want.Lost() != got.Lost(), fmt.Sprint(want.Defects()) != fmt.Sprint(got.Defects()), want.Count() != got.Count():
		return fmt.Errorf("lost %d, %d; defects %v, %v; events %d, %d", want.Lost(), got.Lost(), want.Defects(), got.Defects(), want.Count(), got.Count())
	}
	return nil
}

// TestColumnsAllocate: a second pass over a trace allocates nothing.
func TestColumnsAllocate(t *testing.T) {
	if shared.Race {
		t.Skip("the race detector allocates")
	}
	b := shared.Trace(t, "net10-http.v4")
	r := codec.NewBytesBlockReader(b, codec.Options{})
	var c codec.Columns
	n := 0
	pass := func() {
		r.ResetBytes(b)
		for n = 0; nextColumns(r, &c); n += c.Len() {
		}
	}
	if allocs := testing.AllocsPerRun(3, pass); allocs > 8 {
		t.Errorf("%.0f allocations a pass", allocs)
	}
	if n != 4230 {
		t.Errorf("%d rows, want 4230", n)
	}
}
