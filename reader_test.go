package nettrace_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/corpora"
)

// TestOpen checks that all events of a trace are read, whatever compresses it.
func TestOpen(t *testing.T) {
	const events = 361
	plain := unpacked(t, "net10-counters.v4")
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	archive, err := os.ReadFile("corpora/net10-counters.v4.nettrace.zst")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		stream []byte
	}{{"uncompressed", plain}, {"gzip", packed.Bytes()}, {"zstd", archive}} {
		t.Run("Open "+c.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "trace")
			if err := os.WriteFile(name, c.stream, 0o666); err != nil {
				t.Fatal(err)
			}
			r, err := nettrace.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			if n := count(t, r); n != events {
				t.Errorf("%d events, want %d", n, events)
			}
		})
		t.Run("NewReader "+c.name, func(t *testing.T) {
			r, err := nettrace.NewReader(bytes.NewReader(c.stream))
			if err != nil {
				t.Fatal(err)
			}
			if n := count(t, r); n != events {
				t.Errorf("%d events, want %d", n, events)
			}
		})
	}
}

// unpacked returns the bytes of a trace of the repository, uncompressed.
func unpacked(t *testing.T, name string) []byte {
	t.Helper()
	plain, err := corpora.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// count reads all events and closes the reader, twice.
func count(t *testing.T, r *nettrace.Reader) int {
	t.Helper()
	n := 0
	for _, err := range r.Events() {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	for range 2 {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	return n
}

// TestOpenFails checks the errors of Open, and that it leaves no file open.
func TestOpenFails(t *testing.T) {
	dir := t.TempDir()
	damaged := filepath.Join(dir, "damaged.gz")
	if err := os.WriteFile(damaged, []byte{0x1F, 0x8B, 8, 0}, 0o666); err != nil {
		t.Fatal(err)
	}
	t.Run("no file", func(t *testing.T) {
		if _, err := nettrace.Open(filepath.Join(dir, "missing")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v, want %v", err, fs.ErrNotExist)
		}
	})
	t.Run("folder", func(t *testing.T) {
		var path *fs.PathError
		if _, err := nettrace.Open(dir); !errors.As(err, &path) {
			t.Errorf("%v, want an *fs.PathError", err)
		}
	})
	t.Run("damaged", func(t *testing.T) {
		var data *nettrace.DamagedError
		if _, err := nettrace.Open(damaged); !errors.As(err, &data) {
			t.Errorf("%v, want a *DamagedError", err)
		}
	})
}

// TestNoTrace checks that what is no trace is refused by the first read.
func TestNoTrace(t *testing.T) {
	for _, c := range []struct{ name, stream, compression string }{
		{"text", "This is no trace.", ""},
		{"zip", "PK\x03\x04 and more", "a zip archive"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := nettrace.NewReader(bytes.NewReader([]byte(c.stream)))
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			_, err = r.Trace()
			if !errors.Is(err, codec.ErrNotNetTrace) {
				t.Errorf("%v, want %v", err, codec.ErrNotNetTrace)
			}
			var packed *codec.CompressedError
			if errors.As(err, &packed) != (c.compression != "") || packed != nil && packed.Other != c.compression {
				t.Errorf("%v, want %q in it", err, c.compression)
			}
		})
	}
}

// TestCloseEarly checks that Close inside a loop ends it with an error after the
// events that were decoded already.
func TestCloseEarly(t *testing.T) {
	r, err := nettrace.Open("corpora/net10-mix-cpu.v4.nettrace.zst")
	if err != nil {
		t.Fatal(err)
	}
	n, last := 0, error(nil)
	for _, err := range r.Events() {
		if err != nil {
			last = err
			break
		}
		if n++; n == 1 {
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !errors.Is(last, os.ErrClosed) || n == 57404 {
		t.Errorf("%d events, then %v, want %v", n, last, os.ErrClosed)
	}
}

// TestClosedReader checks that a closed Reader reads no more of its source.
func TestClosedReader(t *testing.T) {
	r, err := nettrace.NewReader(bytes.NewReader(unpacked(t, "net10-counters.v4")))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Trace(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("%v, want %v", err, os.ErrClosed)
	}
}
