package summary_test

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tier"
	"github.com/nettrace-go/nettrace/summary"
)

// TestHostileMemory: a small file cannot make Decode allocate much memory.
func TestHostileMemory(t *testing.T) {
	tier.NeedsCheck(t) // it measures the memory of the process
	z, err := zstd.NewWriter(nil)
	expect.NoError(t, err)
	for _, c := range []struct {
		name string
		data []byte
	}{
		{"32 MB of spaces", z.EncodeAll(bytes.Repeat([]byte(" "), 32<<20), nil)},
		{"empty objects", z.EncodeAll([]byte(`{"version":1,"stacks":{},"durations":[`+strings.Repeat("{},", 300_000)+`{}]}`), nil)},
		{"content size of 512 MB", []byte("\x28\xb5\x2f\xfd\xa0\x00\x00\x00\x20\x01\x00\x00")},
		{"window of 512 MB", []byte("\x28\xb5\x2f\xfd\x00\x98\x01\x00\x00")},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := summary.Decode(c.data)
			runtime.ReadMemStats(&after)
			expect.Equal(t, "not a summary", errors.Is(err, summary.ErrFormat), true)
			expect.AtMost(t, "bytes", after.TotalAlloc-before.TotalAlloc, 32<<20)
		})
	}
}

// TestHighRatio: Decode reads each Summary that Encode writes.
func TestHighRatio(t *testing.T) {
	b := summary.NewBuilder(summary.Options{})
	b.AddFailure(summary.Failure{File: strings.Repeat("a", 8<<20)})
	data, err := b.Summary().Encode()
	expect.NoError(t, err)
	s, err := summary.Decode(data)
	expect.NoError(t, err)
	expect.Stop(t)
	expect.Len(t, "failures", s.Failures, 1)
	plain, err := zstd.NewReader(bytes.NewReader(data))
	expect.NoError(t, err)
	n, err := plain.WriteTo(new(bytes.Buffer))
	expect.NoError(t, err)
	expect.AtLeast(t, "uncompressed bytes", n, int64(8<<20))
}
