package main

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// packZstd compresses what src gives, with a window of the given size in bytes.
func packZstd(t *testing.T, src io.Reader, window int) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out, zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(w, src); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// countedSource is a source that counts the bytes it gave out.
type countedSource struct {
	src io.Reader
	n   int64
}

func (c *countedSource) Read(p []byte) (int, error) {
	n, err := c.src.Read(p)
	c.n += int64(n)
	return n, err
}

// TestRefusedBeforeTheEnd: data that is not NetTrace is refused without being read
// to its end.
func TestRefusedBeforeTheEnd(t *testing.T) {
	noise := rand.NewChaCha8([32]byte{})
	packed := packZstd(t, io.MultiReader(strings.NewReader("no trace"), io.LimitReader(noise, 16<<20)), 1<<20)
	for _, command := range []string{"info", "check", "events", "blocks", "bench", "top"} {
		t.Run(command, func(t *testing.T) {
			src := &countedSource{src: bytes.NewReader(packed)}
			if code := run([]string{command, "-"}, src, io.Discard, io.Discard); code != exitBroken {
				t.Errorf("exit %d, want %d", code, exitBroken)
			}
			if src.n > 8<<20 {
				t.Errorf("%d of %d bytes were read", src.n, len(packed))
			}
		})
	}
	t.Run("size of a file", func(t *testing.T) {
		r := nettrace(t, nil, "info", "--json", file(t, "noise.zst", packed))
		if r.code != exitBroken || strings.Contains(r.out, `"bytes"`) {
			t.Errorf("exit %d, %s: the size is not known", r.code, r.out)
		}
	})
}

// TestLargeWindow: the error for a zstd window that is too large names the option
// that unpacks the file.
func TestLargeWindow(t *testing.T) {
	for _, c := range []struct {
		name, want string
		frame      []byte
	}{
		{"512 MiB", `the zstd window of 512 MiB is above the limit of 256 MiB: unpack the file with "zstd -d --long=29" first`, []byte{0x28, 0xB5, 0x2F, 0xFD, 0, 19 << 3, 1, 0, 0}},
		{"576 MiB", `"zstd -d --long=30"`, []byte{0x28, 0xB5, 0x2F, 0xFD, 0, 19<<3 | 1, 1, 0, 0}},
		{"2 GiB", `"zstd -d --long=31"`, []byte{0x28, 0xB5, 0x2F, 0xFD, 0, 21 << 3, 1, 0, 0}},
		{"4 GiB", `above the 2048 MiB that zstd unpacks`, []byte{0x28, 0xB5, 0x2F, 0xFD, 0, 22 << 3, 1, 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := nettrace(t, c.frame, "info", "-")
			if r.code != exitBroken || !strings.Contains(r.stderr, c.want) || strings.Contains(r.stderr, "damaged") {
				t.Errorf("exit %d, stderr %q, want %q", r.code, r.stderr, c.want)
			}
		})
	}
}
