package fuzz

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/internal/seekable"
)

// seekableFile compresses b as frames of at most size bytes with a seek table.
func seekableFile(w *zstd.Encoder, b []byte, size int) []byte {
	var file []byte
	var table seekable.Table
	for len(b) > 0 {
		n, before := min(len(b), size), len(file)
		file = w.EncodeAll(b[:n], file)
		table.Add(len(file)-before, n)
		b = b[n:]
	}
	return table.AppendTo(file)
}

// seekableAgrees reads a file at offsets. If that gives no error, the bytes are those of
// a decompressor.
func seekableAgrees(d *zstd.Decoder, file []byte) error {
	var different error
	heavy := weigh(unpacked, allowance(unpacked)+4*packedWindow, func() { different = sameBytes(d, file) })
	if heavy != nil {
		return heavy
	}
	return different
}

func sameBytes(d *zstd.Decoder, file []byte) error {
	src, err := nettrace.NewSourceAt(bytes.NewReader(file), int64(len(file)))
	if errors.Is(err, nettrace.ErrNotSeekable) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the error is %w, want ErrNotSeekable", err)
	}
	defer src.Close()
	if src.Size() > unpacked {
		return nil
	}
	got, err := io.ReadAll(io.NewSectionReader(src, 0, src.Size()))
	if err != nil {
		return nil
	}
	if err := d.Reset(bytes.NewReader(file)); err != nil {
		return err
	}
	want, err := io.ReadAll(io.LimitReader(d, unpacked+1))
	if err != nil || !bytes.Equal(got, want) {
		return fmt.Errorf("%d bytes at offsets, %d from the start with the error %v", len(got), len(want), err)
	}
	return nil
}

// fuzzSeekable returns the function of FuzzSeekable.
func fuzzSeekable() func(t testing.TB, data, damage, file []byte) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // an option is wrong
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic(err)
	}
	return func(t testing.TB, data, damage, file []byte) {
		if len(file) > longestInput {
			return
		}
		defer guard()()
		if len(data) > 0 {
			b, _ := made(data, nil)
			complete := seekableFile(w, b, len(b)/4+1)
			if err := seekableAgrees(d, complete); err != nil {
				t.Fatalf("%v\nstream: %x", err, b)
			}
			file = damagedFromEnd(complete, damage)
		}
		if err := seekableAgrees(d, file); err != nil {
			t.Fatalf("%v\nfile: %x", err, file)
		}
	}
}

// damagedFromEnd changes bytes of b as damagedBy does, with places from the end, where
// the table is.
func damagedFromEnd(b, damage []byte) []byte {
	for ; len(damage) >= 3; damage = damage[3:] {
		b[len(b)-1-(int(damage[0])|int(damage[1])<<8)%len(b)] ^= damage[2]
	}
	return b
}
