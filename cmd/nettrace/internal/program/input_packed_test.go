package program_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/internal/expect"
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
	n   atomic.Int64 // the program may read ahead after it has ended
}

func (c *countedSource) Read(p []byte) (int, error) {
	n, err := c.src.Read(p)
	c.n.Add(int64(n))
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
			if code := programtest.RunContext(t.Context(), []string{command, "-"}, src, io.Discard, io.Discard); code != exit.Broken {
				t.Errorf("exit %d, want %d", code, exit.Broken)
			}
			if read := src.n.Load(); read > 8<<20 {
				t.Errorf("%d of %d bytes were read", read, len(packed))
			}
		})
	}
	t.Run("size of a file", func(t *testing.T) {
		r := programtest.Run(t, nil, "info", "--json", testfile.New(t, "noise.zst", packed))
		if r.Code != exit.Broken || strings.Contains(r.Out, `"bytes"`) {
			t.Errorf("exit %d, %s: the size is not known", r.Code, r.Out)
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
			r := programtest.Run(t, c.frame, "info", "-")
			r.Exits(t, exit.Broken)
			expect.Contains(t, "stderr", r.Stderr, c.want)
			expect.Lacks(t, "stderr", r.Stderr, "damaged")
		})
	}
}

// TestCheckLargeWindow: check reports of a file that cannot be read to its end
// that it was not, in every format, and never that there is no finding.
func TestCheckLargeWindow(t *testing.T) {
	const window = "\x28\xB5\x2F\xFD\x00\x98\x01\x00\x00" // of 512 MiB, which is refused
	name := testfile.New(t, "window.zst", []byte(window))
	for format, want := range map[string]string{
		"text": "not read to its end (0 blocks, 0 events)", "json": `"complete":false,"error":`,
		"sarif": `"executionSuccessful": false`, "junit": `errors="1"`,
	} {
		t.Run(format, func(t *testing.T) {
			r := programtest.Run(t, nil, "check", "--format", format, name)
			if r.Code != exit.Broken {
				t.Errorf("exit code %d, want %d", r.Code, exit.Broken)
			}
			expect.Contains(t, "stdout", r.Out, want)
			expect.Lacks(t, "stdout", r.Out, "no finding", "conforms")
			if !strings.Contains(r.Stderr, "window") {
				t.Errorf("stderr %q, want the zstd window", r.Stderr)
			}
		})
	}
	t.Run("table", func(t *testing.T) {
		r := programtest.Run(t, nil, "check", name, name)
		if !strings.Contains(r.Out, "not read\n") {
			t.Errorf("stdout %q, want a table that says not read", r.Out)
		}
	})
}

// TestNestedTypes: info reads types that nest as deep as check reads them, so that
// both name the same rule, and none that check passes.
func TestNestedTypes(t *testing.T) {
	name := testfile.New(t, "deep.nettrace", cases.Match("either/metadata/types-too-deep.v6")[0].Trace)
	for _, command := range []string{"info", "check"} {
		t.Run(command, func(t *testing.T) {
			if r := programtest.Run(t, nil, command, name); r.Code != exit.Done || strings.Contains(r.Out+r.Stderr, "LIM-004") {
				t.Errorf("exit code %d, stderr %q", r.Code, r.Stderr)
			}
		})
	}
}
