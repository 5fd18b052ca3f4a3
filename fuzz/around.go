package fuzz

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
)

// packedWindow is the window of the decoder, and unpacked the maximum number of
// decompressed bytes that are read.
const (
	packedWindow = 8 << 20
	unpacked     = 1 << 20
)

// damagedBy changes bytes of b, as made does.
func damagedBy(b, damage []byte) []byte {
	for ; len(damage) >= 3; damage = damage[3:] {
		b[(int(damage[0])|int(damage[1])<<8)%len(b)] ^= damage[2]
	}
	return b
}

func unpackedAgrees(d *zstd.Decoder, b, packed []byte) error {
	opt := codec.Options{OnError: codec.Skip}
	want, err := newReading(opt).memory(b).through(byEvents)
	if err != nil {
		return err
	}
	if err := d.Reset(bytes.NewReader(packed)); err != nil {
		return err
	}
	got, err := newReading(opt).source(d).through(byNext)
	if err != nil {
		return err
	}
	return differ("packed", want, got)
}

func readPacked(d *zstd.Decoder, packed []byte) error {
	if err := d.Reset(bytes.NewReader(packed)); err != nil {
		return nil
	}
	var last error
	heavy := weigh(unpacked, allowance(unpacked)+4*packedWindow, func() {
		r := codec.NewReader(io.LimitReader(d, unpacked), codec.Options{OnError: codec.Skip})
		for range r.Events() {
		}
		last = r.Err()
	})
	if heavy != nil {
		return heavy
	}
	if last == nil || cause(last) != nil {
		return nil
	}
	if again := d.Reset(bytes.NewReader(packed)); again == nil {
		if _, err := io.Copy(io.Discard, io.LimitReader(d, unpacked)); err == nil || err.Error() != last.Error() {
			return fmt.Errorf("the source's error is %v, the reader returns %v", err, last)
		}
	}
	return nil
}

// printed prints a stream twice; form chooses the options of the lines.
func printed(b []byte, form byte) error {
	opt := ndjson.Options{Payload: form&1 != 0, Fields: form&2 != 0, Stacks: form&4 != 0, Rows: form&8 != 0}
	var out, other bytes.Buffer
	read := codec.Options{OnError: codec.Skip, Schemas: clr.Schemas}
	events, err := printLines(&out, codec.NewBytesBlockReader(b, read), opt)
	if err != nil {
		return err
	}
	if _, err := printLines(&other, codec.NewBlockReader(crumble(b, diceOf(b)), read), opt); err != nil {
		return err
	}
	if !bytes.Equal(out.Bytes(), other.Bytes()) {
		return fmt.Errorf("from memory\n%s\nfrom a source\n%s", out.Bytes(), other.Bytes())
	}
	for line := range bytes.Lines(out.Bytes()) {
		if !json.Valid(line) || !utf8.Valid(line) || !bytes.HasSuffix(line, []byte("}\n")) {
			return fmt.Errorf("no JSON object: %s", line)
		}
		if bytes.HasPrefix(line, []byte(`{"type":"event",`)) {
			events--
		}
	}
	if events != 0 {
		return fmt.Errorf("%d events have no line", events)
	}
	return nil
}

// printLines prints a stream like the program, and counts its events.
func printLines(dst io.Writer, r *codec.BlockReader, opt ndjson.Options) (events int, err error) {
	trace, err := r.Trace()
	if err != nil {
		return 0, nil
	}
	w := ndjson.NewWriter(dst, opt)
	_ = w.Trace(trace)
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		_ = w.Rows(b)
		for e, ok := r.NextEvent(); ok; e, ok = r.NextEvent() {
			_ = w.Rows(b)
			_ = w.Event(e)
			events++
		}
		_ = w.Rows(b)
	}
	return events, w.End(errors.Is(r.Err(), codec.ErrTruncated))
}

// fuzzNDJSON is the function of FuzzNDJSON.
func fuzzNDJSON(t testing.TB, data, damage []byte, form byte) {
	b, _ := sourceOf(data, damage)
	if len(b) > longestInput {
		return
	}
	defer guard()()
	if err := printed(b, form); err != nil {
		t.Fatalf("%v\nstream: %x", err, b)
	}
}

// fuzzZstd returns the function of FuzzZstd.
func fuzzZstd() func(t testing.TB, data, damage, packed []byte) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // an option is wrong
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(packedWindow))
	if err != nil {
		panic(err)
	}
	return func(t testing.TB, data, damage, packed []byte) {
		if len(packed) > longestInput {
			return
		}
		defer guard()()
		if len(data) > 0 {
			b, _ := made(data, damage)
			complete := w.EncodeAll(b, nil)
			if err := unpackedAgrees(d, b, complete); err != nil {
				t.Fatalf("%v\nstream: %x", err, b)
			}
			packed = damagedBy(complete, packed)
		}
		if err := readPacked(d, packed); err != nil {
			t.Fatalf("%v\npacked: %x", err, packed)
		}
	}
}
