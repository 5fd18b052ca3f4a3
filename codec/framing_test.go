package codec_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/internal/traces"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// v3Head is the start of a netperf stream up to the version of its Trace
// object.
func v3Head(begin byte, name string, version, minReader uint32) []byte {
	return bytesOf(uint32(20), "!FastSerialization.1", begin, begin, byte(1), version, minReader, uint32(len(name)), name, byte(6))
}

// TestRefused: the error for an unsupported stream names what it is, and what is
// supported.
func TestRefused(t *testing.T) {
	v4row := eventBlock(0, rowV4(1, 1, 2000, "", 0, 0))
	for name, c := range map[string]struct {
		stream []byte
		is     error
		found  uint32 // of a VersionError
	}{
		"v1":                           {v3Head(4, "Trace", 1, 0), codec.ErrVersion, 1},
		"v2":                           {v3Head(4, "Trace", 2, 0), codec.ErrVersion, 2},
		"v1 old name":                  {v3Head(4, "Microsoft.DotNet.Runtime.EventPipeFile", 1, 0), codec.ErrVersion, 1},
		"v2 old name":                  {v3Head(4, "Microsoft.DotNet.Runtime.EventPipeFile", 2, 0), codec.ErrVersion, 2},
		"v7":                           {bytesOf("Nettrace", uint32(0), uint32(7), uint32(0)), codec.ErrVersion, 7},
		"minimum reader 6":             {newV4(6, 6).end(), codec.ErrVersion, 6},
		"event block of reader 3":      {newV4(4, 4).metadata(1, "E", uint32(0)).blockVersion("EventBlock", 3, 3, v4row).end(), codec.ErrVersion, 3},
		"v5 in v6 layout":              {bytesOf("Nettrace", uint32(0), uint32(5), uint32(0)), codec.ErrNotNetTrace, 0},
		"reserved 1":                   {bytesOf("Nettrace", uint32(1), uint32(6), uint32(0)), codec.ErrNotNetTrace, 0},
		"text":                         {[]byte("once upon a time, there was no trace at all"), codec.ErrNotNetTrace, 0},
		"short text":                   {[]byte("on"), codec.ErrNotNetTrace, 0},
		"magic of another case":        {[]byte("NetTrace\x00\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00"), codec.ErrNotNetTrace, 0},
		"nothing":                      {nil, codec.ErrTruncated, 0},
		"half a magic":                 {[]byte("Nettr"), codec.ErrTruncated, 0},
		"first block is not Trace, v6": {bytesOf("Nettrace", uint32(0), uint32(6), uint32(0), uint32(0)), codec.ErrFraming, 0},
		"first block is not Trace, v4": {bytesOf("Nettrace", uint32(20), "!FastSerialization.1", byte(5), byte(5), byte(1), uint32(2), uint32(2), uint32(7), "SPBlock", byte(6)), codec.ErrFraming, 0},
		"begin tag of v3 in v4":        {bytesOf("Nettrace", v3Head(4, "Trace", 4, 4)), codec.ErrFraming, 0},
		"v3 with magic":                {newV4(3, 0).end(), codec.ErrFraming, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, c.stream, codec.Options{OnError: codec.Skip})
			var e *codec.Error
			expect.ErrorIs(t, got.err, c.is)
			if !errors.As(got.err, &e) {
				t.Fatalf("error: got %v, want a %T", got.err, e)
			}
			if e.Rule == rule.None {
				t.Errorf("e.Rule: got %v, want another value than %v", e.Rule, rule.None)
			}
			expect.Stop(t)
			var version *codec.VersionError
			if c.found != 0 && (!errors.As(got.err, &version) || version.Found != c.found) {
				t.Fatalf("%v, want version %d", got.err, c.found)
			}
		})
	}
}

// TestRead: newer or unknown parts that can be read are read.
func TestRead(t *testing.T) {
	row4 := eventBlock(0, rowV4(1, 1, 2000, "", 0, 0))
	row6 := eventBlock(0, rowV6(1, 1, 0, 0, 0, 2000, 0, ""))
	minor := newV6().metadata(1, "E").thread(0, 1, 1).block(wire.KindEvent, row6).end()
	minor[16] = 25
	for name, stream := range map[string][]byte{
		"minor 25":                     minor,
		"newer Trace, old minimum":     newV4(9, 4).metadata(1, "E", uint32(0)).block("EventBlock", row4).end(),
		"newer block, old minimum":     newV4(4, 4).metadata(1, "E", uint32(0)).blockVersion("EventBlock", 3, 2, row4).end(),
		"unknown block kinds":          newV6().block(99, "what").metadata(1, "E").block(200).thread(0, 1, 1).block(wire.KindEvent, row6).end(),
		"unknown object type":          newV4(4, 4).block("Novelty", []byte("what")).metadata(1, "E", uint32(0)).block("EventBlock", row4).end(),
		"longer event header":          newV6().metadata(1, "E").thread(0, 1, 1).block(wire.KindEvent, uint16(28), uint16(0), make([]byte, 24), row6[20:]).end(),
		"longer metadata header":       newV6().block(wire.KindMetadata, sized("skip"), sized(varuint(1), text("P"), varuint(7), text("E"), uint16(0), uint16(0))).thread(0, 1, 1).block(wire.KindEvent, row6).end(),
		"longer metadata row":          newV6().metadataRow(varuint(1), text("P"), varuint(7), text("E"), uint16(0), uint16(0), "tail").thread(0, 1, 1).block(wire.KindEvent, row6).end(),
		"longer field":                 newV6().metadataRow(varuint(1), text("P"), varuint(7), text("E"), uint16(1), sized(text("f"), byte(wire.Byte), "tail"), uint16(0)).thread(0, 1, 1).block(wire.KindEvent, row6).end(),
		"unknown tag and longer tags":  newV4(4, 4).metadata(1, "E", uint32(0), uint32(2), byte(99), "zz", uint32(3), byte(wire.TagOpcode), "\x07zz").block("EventBlock", row4).end(),
		"no field count":               newV4(4, 4).metadata(1, "E").block("EventBlock", row4).end(),
		"end of stream with a payload": append(newV6().metadata(1, "E").thread(0, 1, 1).block(wire.KindEvent, row6).b, 4, 0, 0, 0, 'x', 'x', 'x', 'x'),
	} {
		t.Run(name, func(t *testing.T) {
			if got := read(t, stream, codec.Options{Strict: true}); got.err != nil || len(got.events) != 1 {
				t.Fatalf("%d events, %v", len(got.events), got.err)
			}
		})
	}
}

// TestBrokenBlocks: after a bad block the next one is readable.
func TestBrokenBlocks(t *testing.T) {
	row := rowV6(1, 1, 0, 0, 0, 2000, 0, "")
	good := eventBlock(0, row)
	short := bytesOf(good)
	short[0] = 19
	long := eventBlock(0, row)
	long = append(long, rowV6(1, 2, 0, 0, 0, 2001, 0, "past")[:54]...)
	for name, c := range map[string]struct {
		kind   wire.Kind
		body   []byte
		rule   rule.ID
		events int
	}{
		"event header of 19 bytes":           {wire.KindEvent, short, rule.EVB002, 1},
		"event block of 10 bytes":            {wire.KindEvent, good[:10], rule.EVB001, 1},
		"row past the block":                 {wire.KindEvent, long, rule.UNC003, 2},
		"stack past the block":               {wire.KindStack, bytesOf(uint32(1), uint32(1), uint32(16), "8 bytes.", ""), rule.STK002, 1},
		"stacks with slack":                  {wire.KindStack, bytesOf(uint32(1), uint32(1), uint32(0), "slack"), rule.STK001, 1},
		"stack of 2 GB":                      {wire.KindStack, bytesOf(uint32(1), uint32(1), uint32(1<<31-1)), rule.STK002, 1},
		"stack of -1 bytes":                  {wire.KindStack, bytesOf(uint32(1), uint32(1), uint32(1<<32-1)), rule.STK002, 1},
		"stack ids over 2^32":                {wire.KindStack, bytesOf(uint32(1<<32-1), uint32(2), uint32(0), uint32(0)), rule.STK006, 1},
		"removing an unknown thread":         {wire.KindRemoveThread, bytesOf(varuint(77), varuint(1)), rule.RMT002, 1},
		"thread row past the block":          {wire.KindThread, bytesOf(uint16(9), byte(1)), rule.THR001, 1},
		"label list without an end":          {wire.KindLabelList, bytesOf(uint32(1), uint32(1), byte(9), byte(1)), rule.LBL004, 1},
		"sequence point with 2^32-1 threads": {wire.KindSequencePoint, bytesOf(uint64(0), uint32(0), uint32(1<<32-1)), rule.SQP001, 1},
		"locator of text":                    {wire.KindMetadata, bytesOf(uint16(0), sized(varuint(2), text("P"), varuint(1), text("E"), uint16(1), sized(text("f"), byte(wire.RelLoc), byte(wire.NullTerminatedUTF16String)), uint16(0))), rule.TYP008, 1},
		"types 33 deep":                      {wire.KindMetadata, bytesOf(uint16(0), sized(varuint(2), text("P"), varuint(1), text("E"), uint16(1), sized(text("f"), bytes.Repeat([]byte{byte(wire.Array)}, 33), byte(wire.Byte)), uint16(0))), rule.LIM004, 1},
	} {
		t.Run(name, func(t *testing.T) {
			stream := newV6().metadata(1, "E").thread(0, 1, 1).block(c.kind, c.body).block(wire.KindEvent, good).end()
			got := read(t, stream, codec.Options{OnError: codec.Skip})
			expect.Equal(t, "err", got.err, nil)
			expect.Equal(t, "bad", got.bad, 1)
			expect.Equal(t, "len(got.events)", len(got.events), c.events)
			expect.Stop(t)
			got = read(t, stream, codec.Options{})
			var e *codec.Error
			if !errors.As(got.err, &e) {
				t.Fatalf("error: got %v, want a %T", got.err, e)
			}
			expect.Equal(t, "e.Rule", e.Rule, c.rule)
			expect.Equal(t, "len(got.events)", len(got.events), c.events-1)
			expect.Stop(t)
		})
	}
}

// TestDefects: a complete row with a missing reference is delivered without it.
func TestDefects(t *testing.T) {
	base := func() *streamV6 { return newV6().metadata(1, "E").thread(0, 1, 1) }
	event := func(row []byte) []byte { return eventBlock(0, row) }
	good := rowV6(1, 1, 0, 0, 0, 2000, 0, "")
	for name, c := range map[string]struct {
		stream []byte
		rule   rule.ID
		events int
	}{
		"metadata":                      {base().block(wire.KindEvent, event(rowV6(2, 1, 0, 0, 0, 2000, 0, ""))).end(), rule.REF001, 1},
		"metadata 0":                    {base().block(wire.KindEvent, event(rowV6(0, 1, 0, 0, 0, 2000, 0, ""))).end(), rule.REF001, 1},
		"stack":                         {base().block(wire.KindEvent, event(rowV6(1, 1, 0, 0, 5, 2000, 0, ""))).end(), rule.STK007, 1},
		"thread":                        {base().block(wire.KindEvent, event(rowV6(1, 1, 9, 0, 0, 2000, 0, ""))).end(), rule.THR009, 1},
		"capture thread":                {base().block(wire.KindEvent, event(rowV6(1, 1, 0, 9, 0, 2000, 0, ""))).end(), rule.THR010, 1},
		"label list":                    {base().block(wire.KindEvent, event(rowV6(1, 1, 0, 0, 0, 2000, 3, ""))).end(), rule.LBL006, 1},
		"stack across a sequence point": {base().block(wire.KindStack, uint32(1), uint32(1), uint32(8), "address.").block(wire.KindSequencePoint, make([]byte, 16)).block(wire.KindEvent, event(rowV6(1, 1, 0, 0, 1, 2000, 0, ""))).end(), rule.STK007, 1},
		"other metadata":                {base().metadata(1, "Other").block(wire.KindEvent, event(good)).end(), rule.MD008, 1},
		"other thread":                  {base().thread(0, 1, 2).block(wire.KindEvent, event(good)).end(), rule.THR004, 1},
		"other stack":                   {base().block(wire.KindStack, uint32(1), uint32(1), uint32(8), "address.").block(wire.KindStack, uint32(1), uint32(1), uint32(8), "Address.").block(wire.KindEvent, event(good)).end(), rule.STK005, 1},
		"second Trace":                  {base().block(wire.KindTrace, make([]byte, 40)).block(wire.KindEvent, event(good)).end(), rule.BLK006, 1},
		"no rows":                       {base().block(wire.KindEvent, eventBlock(0)).block(wire.KindEvent, event(good)).end(), rule.EVB005, 1},
		"sequence back":                 {base().block(wire.KindEvent, event(rowV6(1, 2, 0, 0, 0, 2000, 0, "")), good).end(), rule.SEQ002, 2},
		"thread of a sequence point":    {base().block(wire.KindSequencePoint, uint64(1), uint32(0), uint32(1), varuint(4), varuint(0)).block(wire.KindEvent, event(good)).end(), rule.SQP007, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var reported []rule.ID
			got := read(t, c.stream, codec.Options{})
			expect.Equal(t, "err", got.err, nil)
			expect.Equal(t, "len(got.events)", len(got.events), c.events)
			expect.Len(t, "defects", got.defects, 1)
			expect.Equal(t, "defects[0].Rule", got.defects[0].Rule, c.rule)
			expect.Equal(t, "defects[0].Count", got.defects[0].Count, 1)
			expect.Stop(t)
			drain(codec.NewBytesReader(c.stream, codec.Options{OnDefect: func(e *codec.Error) { reported = append(reported, e.Rule) }}))
			if len(reported) != 1 || reported[0] != c.rule {
				t.Errorf("OnDefect saw %v", reported)
			}
			got = read(t, c.stream, codec.Options{Strict: true})
			var e *codec.Error
			if !errors.As(got.err, &e) {
				t.Fatalf("error: got %v, want a %T", got.err, e)
			}
			expect.Equal(t, "e.Rule", e.Rule, c.rule)
			expect.ErrorIs(t, e, codec.ErrDefect)
		})
	}
	same := base().thread(0, 1, 1).metadata(1, "E").block(wire.KindStack, uint32(1), uint32(1), uint32(8), "address.").block(wire.KindStack, uint32(1), uint32(1), uint32(8), "address.").block(wire.KindEvent, event(good)).end()
	if got := read(t, same, codec.Options{Strict: true}); got.err != nil {
		t.Errorf("defining the same again: %v", got.err)
	}
}

// TestSilentSource: a block that has arrived is delivered although the source
// sends nothing more.
func TestSilentSource(t *testing.T) {
	for name, stream := range map[string][]byte{"v4": traces.Read(t, "net10-empty.v4"), "v6": traces.Read(t, "onecollect-small.v6")} {
		t.Run(name, func(t *testing.T) {
			l := layoutOf(t, stream)
			last := 0
			for i := range l.rows {
				if len(l.rows[i]) > 0 && l.rows[i][0].event {
					last = i
				}
			}
			events, _, _ := l.at(l.blocks[last].end)
			pr, pw := io.Pipe()
			go pw.Write(stream[:l.blocks[last].end]) // and then silence
			got := make(chan int)
			go func() {
				r := codec.NewReader(pr, codec.Options{})
				for n := 1; ; n++ {
					if _, ok := r.Next(); !ok {
						return
					}
					got <- n
				}
			}()
			for n := 0; n < events; {
				select {
				case n = <-got:
				case <-time.After(time.Minute):
					t.Fatalf("%d of %d events arrived", n, events)
				}
			}
			pr.Close()
		})
	}
}

// TestSourceErrors: the source's own error is returned unchanged, after every
// complete row.
func TestSourceErrors(t *testing.T) {
	stream := traces.Read(t, "onecollect-small.v6")
	l := layoutOf(t, stream)
	failure := errors.New("the cable")
	for n := range stream {
		src := io.MultiReader(bytes.NewReader(stream[:n]), iotestErr{failure})
		got := drain(codec.NewReader(src, codec.Options{}))
		if want, _, _ := l.at(int64(n)); got.err != failure || len(got.events) != want {
			t.Fatalf("error after %d bytes: %d events, want %d; %v", n, len(got.events), want, got.err)
		}
	}
	if got := drain(codec.NewReader(iotestErr{nil}, codec.Options{})); got.err != io.ErrNoProgress {
		t.Errorf("a source without data: %v", got.err)
	}
}

type iotestErr struct{ err error }

func (e iotestErr) Read([]byte) (int, error) { return 0, e.err }

// TestTrailingBytes: bytes after the end mark are counted, not read.
func TestTrailingBytes(t *testing.T) {
	stream := append(newV6().end(), "more, and more"...)
	for i, r := range []*codec.Reader{codec.NewBytesReader(stream, codec.Options{}), codec.NewReader(bytes.NewReader(stream), codec.Options{})} {
		t.Run([]string{"memory", "source"}[i], func(t *testing.T) {
			if _, ok := r.Next(); ok || r.Err() != nil {
				t.Fatalf("an event, or %v", r.Err())
			}
			if n, err := r.TrailingBytes(); n != 14 || err != nil {
				t.Errorf("%d trailing bytes, %v", n, err)
			}
		})
	}
}
