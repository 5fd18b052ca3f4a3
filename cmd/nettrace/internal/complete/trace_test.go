package complete

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// counted counts the bytes that are read.
type counted struct {
	io.Reader
	n int
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += n
	return n, err
}

// zeros is a stream without an end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// TestTypesIn reads the types of events. It reads at most maxBytes, and nothing when the
// time is over.
func TestTypesIn(t *testing.T) {
	const end = 118 // of the header and the trace block
	small := testfile.Plain(t, "onecollect-small.v6")
	large := append(bytes.Clone(small[:end]), 0xFF, 0xFF, 0xFF, small[end+3]) // a metadata block of 16 MiB
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name        string
		ctx         context.Context
		src         io.Reader
		types       int
		least, most int // bytes that are read
	}{
		{"intact", t.Context(), bytes.NewReader(small), 8, len(small), len(small)},
		{"large", t.Context(), io.MultiReader(bytes.NewReader(large), zeros{}), 0, maxBytes, maxBytes},
		{"late", over, bytes.NewReader(small), 0, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := &counted{Reader: c.src}
			expect.Len(t, "types", typesIn(c.ctx, src), c.types)
			expect.AtLeast(t, "bytes read", src.n, c.least)
			expect.AtMost(t, "bytes read", src.n, c.most)
		})
	}
}

// TestMatching checks which words are values.
func TestMatching(t *testing.T) {
	words := []word{{"a", ""}, {"Ab", "with\na line"}, {"a,b", ""}, {"a\tb", ""}, {"a\x1b[2J", ""}, {"", ""}, {"b", ""}}
	got := matching(words, "x,", "A")
	expect.Len(t, "values", got, 2)
	expect.Equal(t, "first", string(got[0]), "x,a")
	expect.Equal(t, "second", string(got[1]), "x,Ab\twith\\u{a}a line")
}
