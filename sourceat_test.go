package nettrace_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// framesOf compresses plain as frames of n bytes.
func framesOf(t *testing.T, plain []byte, n int) (file []byte) {
	t.Helper()
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	expect.NoError(t, err)
	for part := range slices.Chunk(plain, n) {
		file = w.EncodeAll(part, file)
	}
	return file
}

// TestSourceAt: an index of a compressed file has the events of the plain one.
func TestSourceAt(t *testing.T) {
	plain := unpacked(t, "net10-counters.v4")
	file := framesOf(t, plain, 10_000)
	src, err := nettrace.NewSourceAt(bytes.NewReader(file), int64(len(file)))
	expect.NoError(t, err)
	expect.Stop(t)
	defer src.Close()
	expect.Equal(t, "size", src.Size(), int64(len(plain)))
	index, err := codec.NewIndex(src, src.Size(), codec.Options{})
	expect.NoError(t, err)
	events := 0
	for _, err := range index.Between(codec.TimeRange{}).Events() {
		expect.NoError(t, err)
		events++
	}
	expect.Equal(t, "events", events, 361)
}

// TestSourceAtErrors: what is wrong with a frame is found when it is read.
func TestSourceAtErrors(t *testing.T) {
	plain := unpacked(t, "net10-counters.v4")
	file := framesOf(t, plain, 10_000)
	file[len(file)/2] ^= 0x55
	src, err := nettrace.NewSourceAt(bytes.NewReader(file), int64(len(file)))
	expect.NoError(t, err)
	expect.Stop(t)
	defer src.Close()
	_, err = io.Copy(io.Discard, io.NewSectionReader(src, 0, src.Size()))
	var damaged *nettrace.DamagedError
	expect.Equal(t, "is a DamagedError", errors.As(err, &damaged), true)

	_, err = nettrace.NewSourceAt(bytes.NewReader(plain), int64(len(plain)))
	expect.ErrorIs(t, err, nettrace.ErrNotSeekable)

	wide := []byte{0x28, 0xB5, 0x2F, 0xFD, 0x80, 19 << 3, 5, 0, 0, 0, 41, 0, 0, 'h', 'e', 'l', 'l', 'o'} // a window of 512 MiB
	wide = slices.Concat(wide, wide)
	src, err = nettrace.NewSourceAt(bytes.NewReader(wide), int64(len(wide)))
	expect.NoError(t, err)
	expect.Stop(t)
	defer src.Close()
	_, err = src.ReadAt(make([]byte, 5), 0)
	var window *nettrace.WindowError
	expect.Equal(t, "is a WindowError", errors.As(err, &window), true)
}
