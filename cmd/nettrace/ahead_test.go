package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/iotest"
	"time"
)

// TestAhead: the bytes and the error of the source come as they are, and the
// error again and again.
func TestAhead(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789"), 400_000)
	broken := errors.New("broken")
	for name, src := range map[string]func() io.Reader{
		"whole": func() io.Reader { return bytes.NewReader(data) },
		"bytewise": func() io.Reader {
			return io.MultiReader(iotest.OneByteReader(bytes.NewReader(data[:5000])), bytes.NewReader(data[5000:]))
		},
		"with end": func() io.Reader { return iotest.DataErrReader(bytes.NewReader(data)) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, end := range []error{io.EOF, broken} {
				t.Run(fmt.Sprint(end), func(t *testing.T) {
					ended := false
					a := readAhead(io.MultiReader(src(), iotest.ErrReader(end)), func() { ended = true })
					got, err := io.ReadAll(a)
					if !bytes.Equal(got, data) || (end == broken) != errors.Is(err, broken) {
						t.Errorf("%d bytes, %v", len(got), err)
					}
					if n, err := a.Read(make([]byte, 1)); n != 0 || err != end {
						t.Errorf("behind the end %d, %v", n, err)
					}
					if a.Close(true); !ended {
						t.Error("the source was not closed")
					}
				})
			}
		})
	}
}

// TestAheadLeft: who stops early leaves no goroutine, also where nobody reads,
// and does not wait for a source that blocks. What has come is there at once.
func TestAheadLeft(t *testing.T) {
	a := readAhead(bytes.NewReader(make([]byte, 10*aheadChunk)), func() {})
	if _, err := a.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	a.Close(true)

	r, w := io.Pipe()
	a = readAhead(r, func() {})
	go func() { _, _ = w.Write([]byte("some")) }()
	b := make([]byte, 100)
	if n, err := a.Read(b); string(b[:n]) != "some" || err != nil {
		t.Errorf("%q, %v", b[:n], err)
	}
	a.Close(false)
	w.Close()
	select {
	case <-a.done:
	case <-time.After(time.Minute):
		t.Error("the goroutine goes on")
	}
}
