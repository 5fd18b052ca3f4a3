package codec_test

import (
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/internal/traces"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// span is a part of a stream: a block, or an event row.
type span struct{ start, end int64 }

// row is a row of an event or metadata block.
type row struct {
	span
	event bool
}

// layout has the positions of the blocks and the event rows of a stream.
type layout struct {
	blocks []span
	rows   [][]row // of each block
	header int64
}

// layoutOf reads a complete stream. A row ends where the next one starts, the
// last one with its block's body.
func layoutOf(t *testing.T, stream []byte) layout {
	t.Helper()
	var l layout
	eachBlock(t, stream, func(r *codec.BlockReader, b *codec.Block) {
		if len(l.blocks) > 0 {
			l.blocks[len(l.blocks)-1].end = b.Offset
		} else {
			l.header = b.Offset
		}
		l.blocks = append(l.blocks, span{b.Offset, int64(len(stream))})
		var rows []row
		for {
			e, ok := r.NextEvent()
			if !ok {
				break
			}
			rows = append(rows, row{span{e.Offset(), 0}, true})
		}
		for _, m := range b.Metadata { // v3 has them between the events
			rows = append(rows, row{span{m.Offset, 0}, false})
		}
		slices.SortFunc(rows, func(a, b row) int { return int(a.start - b.start) })
		for i := range rows {
			rows[i].end = b.BodyOffset + b.Size
			if i+1 < len(rows) {
				rows[i].end = rows[i+1].start
			}
		}
		l.rows = append(l.rows, rows)
	})
	return l
}

// at is the expected result for a stream truncated at n bytes: the complete event
// rows, and the truncated block.
func (l *layout) at(n int64) (events int, block span, cut int) {
	block = span{0, l.header}
	for i, b := range l.blocks {
		cut = i - 1
		if b.start > n {
			break
		}
		block, cut = b, i
		whole, _ := completeRows(l.rows[i], n)
		events += whole
	}
	return events, block, cut
}

// TestPrefixes truncates a small trace of each version at every byte.
func TestPrefixes(t *testing.T) {
	for name, stream := range map[string][]byte{
		"v3":              traces.Read(t, "net10-netperf.v3"),
		"v4":              traces.Read(t, "net10-empty.v4"),
		"v4 uncompressed": newV4(4, 4).metadata(1, "E", uint32(0)).block("EventBlock", eventBlock(0, rowV4(1, 1, 2000, "four", 0, 0), rowV4(1, 2, 2001, "five5", 3, 3))).end(),
		"v5":              newV4(4, 4).metadata(1, "E", uint32(0), uint32(1), byte(wire.TagOpcode), byte(9)).block("EventBlock", eventBlock(0, rowV4(1, 1, 2000, "", 0, 0))).end(),
		"v6":              traces.Read(t, "onecollect-small.v6"),
		"v6 uncompressed": newV6("a", "b").metadata(1, "E").thread(0, 1, 1).block(wire.KindEvent, eventBlock(0, rowV6(1, 1, 0, 0, 0, 2000, 0, "x"), rowV6(1, 2, 0, 0, 0, 2001, 0, "yz"))).end(),
	} {
		t.Run(name, func(t *testing.T) {
			dense := int64(1 << 20)
			switch name {
			case "v3":
				dense = 16 << 10 // the trace is 100 times the size of the others
			}
			if !traces.Check {
				dense /= 64
			}
			l := layoutOf(t, stream)
			r := codec.NewBytesReader(nil, codec.Options{})
			for n := int64(0); n < int64(len(stream)); n++ {
				if n > dense {
					n += 96
				}
				checkPrefix(t, r, stream[:min(n, int64(len(stream))-1)], &l)
			}
		})
	}
}

// truncations are the rules that a prefix of a stream breaks.
var truncations = []rule.ID{rule.HDR002, rule.EOS001, rule.EOS004, rule.EOS006, rule.BLK001, rule.NP001}

func checkPrefix(t *testing.T, r *codec.Reader, prefix []byte, l *layout) {
	t.Helper()
	n := int64(len(prefix))
	want, block, cut := l.at(n)
	for _, reset := range []func(){func() { r.ResetBytes(prefix) }, func() { r.Reset(&chopper{b: prefix}) }} {
		reset()
		got := 0
		var err error
		for _, e := range r.Events() {
			if err = e; err == nil {
				got++
			}
		}
		var e *codec.Error
		if !errors.As(err, &e) {
			t.Fatalf("truncated at %d: got %v, want a %T", n, err, e)
		}
		expect.ErrorIs(t, err, codec.ErrTruncated)
		expect.ErrorIs(t, err, io.ErrUnexpectedEOF)
		if t.Failed() {
			t.Fatalf("truncated at %d: %v", n, err)
		}
		if got != want {
			t.Fatalf("truncated at %d: %d events, want %d", n, got, want)
		}
		expect.Equal(t, "e.Offset", e.Offset, n)
		expect.Equal(t, "e.BlockOffset", e.BlockOffset, block.start)
		if !slices.Contains(truncations, e.Rule) {
			t.Errorf("Rule: got %v, want one of %v", e.Rule, truncations)
		}
		if t.Failed() {
			t.Fatalf("truncated at %d in the block at %d: %v", n, block.start, err)
		}
		if cut >= 0 && len(l.rows[cut]) > 0 {
			_, row := completeRows(l.rows[cut], n)
			if n <= l.rows[cut][0].start && !e.InRow() {
				row = codec.NoRow // before the body of the block
			}
			if e.Row != row {
				t.Fatalf("truncated at %d: row %d, want %d", n, e.Row, row)
			}
		}
	}
}

// completeRows counts the rows that end within n bytes.
func completeRows(rows []row, n int64) (events, all int) {
	for _, r := range rows {
		if r.end > n {
			break
		}
		all++
		if r.event {
			events++
		}
	}
	return events, all
}

// chopper returns its bytes in pieces of varying small sizes.
type chopper struct {
	b     []byte
	calls int
}

func (c *chopper) Read(p []byte) (int, error) {
	if len(c.b) == 0 {
		return 0, io.EOF
	}
	c.calls++
	n := min(len(p), len(c.b), 1+c.calls*7%61)
	copy(p, c.b[:n])
	c.b = c.b[n:]
	return n, nil
}
