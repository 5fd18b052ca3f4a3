package summarize_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/summary"
)

// TestSameFailures: the reasons in a summary of the program are those of package summary with
// a Source, so that both have the same bytes.
func TestSameFailures(t *testing.T) {
	archive, err := os.ReadFile(testfile.Archive(t, "net10-mix-gc.v4"))
	expect.NoError(t, err)
	archive[len(archive)/2] ^= 1
	for _, c := range []struct {
		name    string
		content []byte
		code    int
	}{
		{"a damaged zstd archive", archive, exit.Broken},
		{"a truncated zstd archive", archive[:len(archive)/3], exit.Broken},
		{"a damaged header of a gzip archive", []byte("\x1f\x8b\x07\x00"), exit.Broken},
		{"a zip archive", []byte("PK\x03\x04 and more"), exit.Broken},
		{"a large window", []byte("\x28\xb5\x2f\xfd\x00\x98\x01\x00\x00"), exit.Broken},
		{"no trace", []byte("<html>"), exit.Broken},
		{"an empty file", nil, exit.Broken},
		{"a missing file", nil, exit.Usage},
	} {
		t.Run(c.name, func(t *testing.T) {
			name, out := filepath.Join(t.TempDir(), "a.nettrace"), filepath.Join(t.TempDir(), "out.nts")
			if c.code != exit.Usage {
				expect.NoError(t, os.WriteFile(name, c.content, 0o600))
			}
			r := programtest.Run(t, nil, "summarize", name, "-o", out)
			r.Exits(t, c.code)
			r.Complains(t, "a.nettrace: ")
			got, err := os.ReadFile(out)
			expect.NoError(t, err)

			b := summary.NewBuilder(summary.Options{Reader: codec.Options{Schemas: clr.Schemas, OnError: codec.Skip}})
			err = b.AddTrace(t.Context(), summary.File{Name: name, Open: func() (io.ReadCloser, error) {
				f, err := os.Open(name)
				if err != nil {
					return nil, err
				}
				t.Cleanup(func() { f.Close() })
				return nettrace.NewSource(f, nettrace.SourceOptions{})
			}})
			want, _ := b.Summary().Encode()
			s, decodeErr := summary.Decode(got)
			expect.NoError(t, decodeErr)
			expect.Stop(t)
			expect.Len(t, "failures", s.Failures, 1)
			expect.Stop(t)
			expect.Equal(t, "reason", s.Failures[0].Error, err.Error())
			expect.Bytes(t, "summary", got, want)
		})
	}
}
