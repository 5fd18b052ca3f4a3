package chunks

import (
	"bytes"
	"io"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// countingAt counts the bytes that are read.
type countingAt struct {
	at    io.ReaderAt
	bytes int64
}

func (c *countingAt) ReadAt(b []byte, offset int64) (int, error) {
	n, err := c.at.ReadAt(b, offset)
	c.bytes += int64(n)
	return n, err
}

// TestIndexReadsOnce: the index of a file needs each of its headers once.
func TestIndexReadsOnce(t *testing.T) {
	stream := shared.Trace(t, "onecollect-small.v6")
	once := &countingAt{at: bytes.NewReader(stream)}
	_, err := codec.NewIndex(once, int64(len(stream)), codec.Options{})
	expect.NoError(t, err)
	file := &countingAt{at: bytes.NewReader(stream)}
	expect.Equal(t, "has an index", NewIndex(file, int64(len(stream)), codec.Options{Limits: codec.Limits{Total: 1 << 30}}) != nil, true)
	expect.Equal(t, "bytes that are read", file.bytes, once.bytes)
}

// TestIndex: a file of 600,000 blocks without content is not read in chunks, because
// its index would have 77 MB.
func TestIndex(t *testing.T) {
	stream := shared.Trace(t, "onecollect-small.v6")
	index, err := codec.NewIndex(bytes.NewReader(stream), int64(len(stream)), codec.Options{})
	expect.NoError(t, err)
	at := index.Blocks()[0].Offset
	unknown := bytes.Repeat([]byte{0, 0, 0, 99}, 600_000) // blocks of size 0 and kind 99
	tiny := slices.Concat(stream[:at], unknown, stream[at:])
	for _, c := range []struct {
		name   string
		stream []byte
		want   bool
	}{{"as recorded", stream, true}, {"tiny blocks", tiny, false}} {
		t.Run(c.name, func(t *testing.T) {
			got := NewIndex(bytes.NewReader(c.stream), int64(len(c.stream)), codec.Options{Limits: codec.Limits{Total: 1 << 30}})
			expect.Equal(t, "in chunks", got != nil, c.want)
		})
	}
}
