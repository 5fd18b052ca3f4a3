package nettrace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace/codec"
)

func packZstd(t *testing.T, plain string) string {
	t.Helper()
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true))
	if err != nil {
		t.Fatal(err)
	}
	return pack(t, w, &out, plain)
}

func packGzip(t *testing.T, plain string) string {
	t.Helper()
	var out bytes.Buffer
	return pack(t, gzip.NewWriter(&out), &out, plain)
}

func pack(t *testing.T, w io.WriteCloser, out *bytes.Buffer, plain string) string {
	t.Helper()
	if _, err := io.WriteString(w, plain); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// skippable returns a zstd frame that a reader skips.
func skippable(content string) string {
	return string(binary.LittleEndian.AppendUint32([]byte("\x5A\x2A\x4D\x18"), uint32(len(content)))) + content
}

// eachOption runs a test with and without reading ahead.
func eachOption(t *testing.T, test func(t *testing.T, opt SourceOptions)) {
	t.Run("read ahead", func(t *testing.T) { test(t, SourceOptions{ReadAhead: true}) })
	t.Run("synchronous", func(t *testing.T) { test(t, SourceOptions{}) })
}

// TestSource checks that what is not compressed is returned unchanged, and the
// rest uncompressed, from a source that returns one byte at a time too.
func TestSource(t *testing.T) {
	text := strings.Repeat("uncompressed ", 100_000)
	for _, c := range []struct {
		name, stream, want string
		compression        codec.CompressedError
	}{
		{name: "empty"},
		{name: "three bytes", stream: "abc", want: "abc"},
		{name: "uncompressed", stream: text, want: text},
		{name: "zip", stream: "PK\x03\x04 ...", want: "PK\x03\x04 ...", compression: codec.CompressedError{Other: "a zip archive"}},
		{name: "zstd", stream: packZstd(t, text), want: text, compression: codec.CompressedError{Compression: "zstd"}},
		{name: "empty zstd frame", stream: packZstd(t, ""), compression: codec.CompressedError{Compression: "zstd"}},
		{name: "two zstd frames", stream: packZstd(t, "a") + packZstd(t, text), want: "a" + text, compression: codec.CompressedError{Compression: "zstd"}},
		{name: "skippable zstd frames", stream: skippable("x") + packZstd(t, "a") + skippable("") + packZstd(t, "b") + skippable("y"),
			want: "ab", compression: codec.CompressedError{Compression: "zstd"}},
		{name: "gzip", stream: packGzip(t, text), want: text, compression: codec.CompressedError{Compression: "gzip"}},
		{name: "empty gzip member", stream: packGzip(t, ""), compression: codec.CompressedError{Compression: "gzip"}},
		{name: "two gzip members", stream: packGzip(t, "a") + packGzip(t, text), want: "a" + text, compression: codec.CompressedError{Compression: "gzip"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachOption(t, func(t *testing.T, opt SourceOptions) {
				s, err := NewSource(iotest.OneByteReader(strings.NewReader(c.stream)), opt)
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(s)
				if string(got) != c.want || err != nil {
					t.Errorf("%d bytes, %v, want %d bytes", len(got), err, len(c.want))
				}
				if s.Compression() != c.compression {
					t.Errorf("compression %+v, want %+v", s.Compression(), c.compression)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				if n, err := s.Read(make([]byte, 1)); n != 0 || err != os.ErrClosed {
					t.Errorf("after Close: %d, %v", n, err)
				}
				if err := s.Close(); err != nil {
					t.Errorf("second Close: %v", err)
				}
			})
		})
	}
}

// readAll reads a Source to its end or its first error.
func readAll(src io.Reader, opt SourceOptions) error {
	s, err := NewSource(src, opt)
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = io.Copy(io.Discard, s)
	return err
}

// TestDamaged checks the type of the error for data that cannot be decompressed.
func TestDamaged(t *testing.T) {
	text := strings.Repeat("uncompressed ", 1000)
	packedZstd, packedGzip := packZstd(t, text), packGzip(t, text)
	for _, c := range []struct {
		name, stream, compression string
		truncated                 bool
	}{
		{"truncated zstd", packedZstd[:len(packedZstd)-5], "zstd", true},
		{"zstd and other bytes", packedZstd + "no frame at all", "zstd", false},
		{"header of gzip", packedGzip[:5], "gzip", true},
		{"truncated gzip", packedGzip[:len(packedGzip)-5], "gzip", true},
		{"gzip and other bytes", packedGzip + "no member at all", "gzip", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachOption(t, func(t *testing.T, opt SourceOptions) {
				err := readAll(strings.NewReader(c.stream), opt)
				var damaged *DamagedError
				if !errors.As(err, &damaged) || damaged.Compression != c.compression {
					t.Fatalf("%v, want damaged %s data", err, c.compression)
				}
				if errors.Is(err, io.ErrUnexpectedEOF) != c.truncated {
					t.Errorf("%v: truncated should be %v", err, c.truncated)
				}
			})
		})
	}
}

// TestWindow checks that a frame with a window above the limit is refused, and its
// size reported.
func TestWindow(t *testing.T) {
	frame := func(descriptor byte) string { return string([]byte{0x28, 0xB5, 0x2F, 0xFD, 0, descriptor, 1, 0, 0}) }
	for _, c := range []struct {
		name, stream string
		want         uint64
	}{
		{"512 MiB", frame(19 << 3), 512 << 20},
		{"288 MiB", frame(18<<3 | 1), 288 << 20},
		{"second frame", packZstd(t, "a") + frame(19<<3), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachOption(t, func(t *testing.T, opt SourceOptions) {
				err := readAll(strings.NewReader(c.stream), opt)
				var window *WindowError
				if !errors.As(err, &window) || window.Size != c.want {
					t.Errorf("%v, want a window of %d bytes", err, c.want)
				}
			})
		})
	}
}

// TestSourceError checks that an error of the stream that is read is returned
// unchanged.
func TestSourceError(t *testing.T) {
	failed := errors.New("failed")
	text := strings.Repeat("uncompressed ", 1000)
	for _, c := range []struct{ name, stream string }{
		{"first bytes", "ab"}, {"uncompressed", text}, {"zstd", packZstd(t, text)[:20]},
		{"header of gzip", packGzip(t, text)[:5]}, {"gzip", packGzip(t, text)[:20]},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachOption(t, func(t *testing.T, opt SourceOptions) {
				if err := readAll(io.MultiReader(strings.NewReader(c.stream), iotest.ErrReader(failed)), opt); err != failed {
					t.Errorf("%v, want %v", err, failed)
				}
			})
		})
	}
}
