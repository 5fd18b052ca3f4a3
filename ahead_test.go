package nettrace

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

// TestAhead checks that the bytes and the error of the source are returned
// unchanged, and the error again.
func TestAhead(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789"), 400_000)
	failed := errors.New("failed")
	for _, source := range []struct {
		name string
		open func() io.Reader
	}{
		{"in memory", func() io.Reader { return bytes.NewReader(data) }},
		{"bytewise", func() io.Reader {
			return io.MultiReader(iotest.OneByteReader(bytes.NewReader(data[:5000])), bytes.NewReader(data[5000:]))
		}},
		{"data with the end", func() io.Reader { return iotest.DataErrReader(bytes.NewReader(data)) }},
	} {
		for _, end := range []error{io.EOF, failed} {
			t.Run(source.name+", "+end.Error(), func(t *testing.T) {
				closed := false
				a := newAhead(io.MultiReader(source.open(), iotest.ErrReader(end)), func() { closed = true })
				got, err := io.ReadAll(a)
				if !bytes.Equal(got, data) || (end == failed) != errors.Is(err, failed) {
					t.Errorf("%d bytes, %v", len(got), err)
				}
				if n, err := a.Read(make([]byte, 1)); n != 0 || err != end {
					t.Errorf("after the end: %d, %v", n, err)
				}
				if a.Close(); !closed {
					t.Error("the source was not closed")
				}
			})
		}
	}
}

// TestAheadStopped checks that Close ends the goroutine before the source ends.
func TestAheadStopped(t *testing.T) {
	a := newAhead(bytes.NewReader(make([]byte, 10*aheadChunk)), func() {})
	if _, err := a.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	a.Close()
}

// TestAheadWaiting checks that bytes are returned before the source has more, and
// that Close waits for the source.
func TestAheadWaiting(t *testing.T) {
	r, w := io.Pipe()
	ended := false
	a := newAhead(r, func() { ended = true })
	go func() { _, _ = w.Write([]byte("some")) }()
	b := make([]byte, 100)
	if n, err := a.Read(b); string(b[:n]) != "some" || err != nil {
		t.Errorf("%q, %v", b[:n], err)
	}
	go w.Close()
	if a.Close(); !ended {
		t.Error("the goroutine has not ended")
	}
}
