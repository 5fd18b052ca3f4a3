package edit

import (
	"bytes"
	"io"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/wire"
)

const readAtOnce = 64 << 10

// framing reads a stream in which blocks may not follow each other directly, and
// returns one in which they do. It holds one or two blocks for examination.
type framing struct {
	src     io.Reader
	changes *changes
	most    int   // the bytes under examination
	given   int64 // bytes that Read returns

	buf     []byte // buf[start:] is read from src, but not returned by Read
	start   int
	taken   int64 // bytes of the source before start
	err     error // of src
	out     []byte
	held    int         // bytes to skip after out
	advance func() bool // sets out, or reports the end
}

func newFraming(src io.Reader, limits *codec.Limits, c *changes) *framing {
	f := &framing{src: src, changes: c, most: int(limits.Block)}
	if f.most == 0 {
		f.most = 64 << 20
	}
	f.advance = f.begin
	return f
}

// Read returns bytes of the corrected stream.
func (f *framing) Read(b []byte) (int, error) {
	for len(f.out) == 0 {
		f.skip(f.held)
		if f.held = 0; !f.advance() {
			return 0, f.err
		}
	}
	n := copy(b, f.out)
	f.out = f.out[n:]
	f.given += int64(n)
	return n, nil
}

// begin reads the stream header and chooses the function for the bytes after it.
//
// Spec: "Stream header" of the v6 text; "First Bytes", "Stream Header" of the
// v4/v5 text.
func (f *framing) begin() bool {
	const v6, v4 = "Nettrace\x00\x00\x00\x00", "Nettrace\x14\x00\x00\x00!FastSerialization.1"
	const v6Size = len(v6) + 8 // with the version
	f.advance = f.rest
	f.skipTo("Nettrace")
	switch f.fill(len(v4)); {
	case bytes.HasPrefix(f.have(), []byte(v6)):
		o := &overflows{framing: f, walker: layout.NewWalker(layout.Options{Format: wire.V6}), threads: map[uint64]bool{}}
		f.advance = o.advance
		f.pass(v6Size)
		return true
	case bytes.HasPrefix(f.have(), []byte(v4)):
		o := &objects{framing: f}
		f.advance = o.advance
		f.pass(len(v4))
		return true
	}
	return f.rest()
}

// skipTo leaves out what is before the magic number of a stream, such as a byte order mark or
// text that a program printed, if it is near.
func (f *framing) skipTo(magic string) {
	f.fill(readAtOnce)
	if at := bytes.Index(f.have(), []byte(magic)); at > 0 {
		f.changes.add("bytes before the stream left out", at)
		f.skip(at)
	}
}

// rest returns the remaining bytes unchanged.
func (f *framing) rest() bool {
	f.fill(1)
	f.pass(len(f.have()))
	return len(f.out) > 0
}

// have returns the bytes that are read from the source, but not returned by
// Read.
func (f *framing) have() []byte { return f.buf[f.start:] }

func (f *framing) skip(n int) {
	f.start += n
	f.taken += int64(n)
}

// pass returns the next n bytes, or fewer at the end of the source.
func (f *framing) pass(n int) {
	n = min(n, len(f.have()))
	f.replaceNext(f.have()[:n], n)
}

// replaceNext returns other bytes in place of the next bytes of the source.
func (f *framing) replaceNext(out []byte, held int) { f.out, f.held = out, held }

// fill reads until n bytes are available, if the source has them.
func (f *framing) fill(n int) bool {
	for len(f.buf)-f.start < n && f.err == nil {
		if f.start > 0 && f.start >= len(f.buf)/2 {
			f.buf = f.buf[:copy(f.buf, f.have())]
			f.start = 0
		}
		at := len(f.buf)
		if cap(f.buf)-at < readAtOnce {
			f.buf = append(make([]byte, 0, 2*cap(f.buf)+readAtOnce), f.buf...)
		}
		var got int
		got, f.err = f.src.Read(f.buf[at : at+readAtOnce])
		f.buf = f.buf[:at+got]
	}
	return len(f.buf)-f.start >= n
}
