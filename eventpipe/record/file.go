package record

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/seekable"
)

const (
	// writeEvery is how long a block waits for others, so that small ones go out
	// together.
	writeEvery = 100 * time.Millisecond
	// writeAtOnce is the number of pending bytes that are written without
	// waiting.
	writeAtOnce = 128 << 10
)

var (
	// ErrFull: a write to a File failed, and the File accepts no more blocks.
	// The error chain also has the error of the write.
	ErrFull = errors.New("the rest is left out")
	// ErrChanged: another program truncated the file during the recording.
	ErrChanged = errors.New("another program truncated the file")
)

// File is a trace that is being written. A regular file, compressed or not, is
// complete whenever no write is in progress; a pipe or a device gets its end
// mark from Close.
//
// A File writes a block at most 100 ms after it was added. After a failed write
// it fills the file with the complete rows that fit, adds the end mark, and
// accepts no more blocks. The file is empty only if there was no space for the
// first row. On Linux a regular file keeps space back for the names of methods, which come
// last: see Low.
//
// Only one goroutine may call WriteBlocks and Close.
type File struct {
	dst     destination
	regular bool
	pack    compressor

	mu        sync.Mutex // guards the fields below: a timer writes blocks too
	mark      []byte     // encoded
	head      []byte     // header and Trace block, and the bytes that arrived with them
	pending   []byte
	blockEnds []int           // where blocks end in pending
	packed    []byte          // scratch
	frames    *seekable.Table // of zstd, nil for other compressions
	plain     int64           // bytes of complete blocks that were written
	end       int64           // bytes of dst that hold them
	timer     *time.Timer
	armed     bool
	closed    bool
	err       error
	lost      int64 // plain bytes
	reserve   reserve
}

// destination has the methods of the underlying file that a File needs.
type destination interface {
	io.Writer
	io.WriterAt
	Truncate(size int64) error
	Size() (int64, error)
	Reserve(from, size int64) error
	Free() (int64, error)
}

// osFile is a destination on disk.
type osFile struct{ *os.File }

func (f osFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// NewFile returns a File that writes to f, from the start if f is a regular
// file, which should be empty. The caller closes f.
func NewFile(f *os.File, compression Compression) (*File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return newFile(osFile{f}, info.Mode().IsRegular(), compression)
}

// NewStream returns a File that writes to w sequentially, even if w is a
// regular file.
func NewStream(w io.Writer, compression Compression) (*File, error) {
	return newFile(stream{w}, false, compression)
}

// stream is a destination without seeking.
type stream struct{ io.Writer }

func (stream) WriteAt([]byte, int64) (int, error) { return 0, os.ErrInvalid }

func (stream) Truncate(int64) error { return os.ErrInvalid }

func (stream) Size() (int64, error) { return 0, os.ErrInvalid }

func (stream) Reserve(int64, int64) error { return os.ErrInvalid }

func (stream) Free() (int64, error) { return 0, os.ErrInvalid }

func newFile(dst destination, regular bool, compression Compression) (*File, error) {
	pack, err := newCompressor(compression)
	if err != nil {
		return nil, err
	}
	f := &File{dst: dst, regular: regular, pack: pack}
	if regular {
		f.reserve = newReserve(dst)
	}
	if compression == Zstd {
		f.frames = new(seekable.Table)
	}
	f.timer = time.AfterFunc(time.Hour, f.flushLate)
	f.timer.Stop()
	return f, nil
}

// mustBeMade panics for the zero File.
func (f *File) mustBeMade() {
	if f.dst == nil {
		panic("record: a zero File has no destination: use NewFile or NewStream")
	}
}

// WriteBlocks writes one or more complete blocks. The first call also has the
// stream's header. The end mark must be left out. The error is that of an
// earlier write, and wraps ErrFull.
func (f *File) WriteBlocks(blocks []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.hold(blocks)
	f.flushSoon()
	return err
}

// hold makes blocks pending, and writes them if they are enough.
func (f *File) hold(blocks []byte) error {
	if f.err != nil {
		f.lost += int64(len(blocks))
		return f.err
	}
	if f.mark == nil {
		f.mustBeMade()
		f.mark, f.head = f.packedOf(nil, EndMark(blocks)), bytes.Clone(blocks)
	}
	f.pending = append(f.pending, blocks...)
	f.blockEnds = append(f.blockEnds, len(f.pending))
	if len(f.pending) >= writeAtOnce {
		f.flush()
	}
	return f.err
}

// flushSoon starts the timer if blocks are pending.
func (f *File) flushSoon() {
	if len(f.pending) > 0 && !f.armed {
		f.armed = true
		f.timer.Reset(writeEvery)
	}
}

// blockWriter is a File as the destination of a codec.BlockWriter, which writes
// complete blocks.
type blockWriter struct{ f *File }

func (w blockWriter) Write(blocks []byte) (int, error) {
	if err := w.f.WriteBlocks(blocks); err != nil {
		return 0, err
	}
	return len(blocks), nil
}

// snapshotWriter is a File as the destination of a snapshot, whose blocks do not wait
// for the process: they are divided by size alone, so that equal snapshots make equal files.
type snapshotWriter struct{ f *File }

func (w snapshotWriter) Write(blocks []byte) (int, error) {
	w.f.mu.Lock()
	defer w.f.mu.Unlock()
	if err := w.f.hold(blocks); err != nil {
		return 0, err
	}
	return len(blocks), nil
}

// EndMark returns the end mark of the stream that begins with the given bytes, which have the
// header of the stream.
//
// Spec: "EndOfStream block" of the v6 text; "Ending the stream" of the v4/v5
// text.
func EndMark(stream []byte) []byte {
	const magic = "Nettrace"
	if len(stream) >= len(magic)+4 && string(stream[:len(magic)]) == magic && binary.LittleEndian.Uint32(stream[len(magic):]) == 0 {
		return []byte{0, 0, 0, 0}
	}
	return []byte{wire.TagNull}
}

func (f *File) packedOf(dst, plain []byte) []byte {
	if f.pack == nil {
		return append(dst, plain...)
	}
	return f.pack(dst, plain)
}

// flushLate is the function of the timer.
func (f *File) flushLate() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.flush()
}

// flush writes the pending bytes and the end mark.
func (f *File) flush() {
	f.armed = false
	if len(f.pending) == 0 || f.err != nil {
		return
	}
	out := f.packedOf(f.packed[:0], f.pending)
	size := int64(len(out))
	if !f.regular {
		if n, err := complete(len(out))(f.dst.Write(out)); err != nil {
			f.fail(err, int64(n))
		}
	} else {
		if err := f.unchanged(); err != nil {
			f.fail(err, 0)
			return
		}
		out = append(out, f.mark...)
		f.reserve.grow(f.dst, f.end+int64(len(out)))
		if n, err := f.write(out); err != nil {
			f.fail(err, f.salvage(n))
			return
		}
	}
	f.noteFrame(int(size), len(f.pending))
	f.plain, f.end = f.plain+int64(len(f.pending)), f.end+size
	f.packed, f.pending, f.blockEnds = out[:0], f.pending[:0], f.blockEnds[:0]
}

// write writes at the end of the file. It retries a failed write in small pieces,
// because file systems may refuse a large write when a part of it would fit. It
// returns the number of bytes that were written.
func (f *File) write(out []byte) (int, error) {
	const piece = 4096
	n, err := complete(len(out))(f.dst.WriteAt(out, f.end))
	if err == nil {
		return n, nil
	}
	for n < len(out) {
		part := out[n:min(n+piece, len(out))]
		m, again := complete(len(part))(f.dst.WriteAt(part, f.end+int64(n)))
		if n += m; again != nil {
			return n, err
		}
	}
	return n, nil
}

// complete returns a function that makes a write of fewer than this number of bytes an error.
func complete(size int) func(n int, err error) (int, error) {
	return func(n int, err error) (int, error) {
		if err == nil && n < size {
			err = io.ErrShortWrite
		}
		return n, err
	}
}

// unchanged returns an error if the file is shorter than the bytes that were
// written to it: the next write would leave a hole.
func (f *File) unchanged() error {
	if f.end == 0 {
		return nil
	}
	size, err := f.dst.Size()
	if err == nil && size < f.end {
		err = ErrChanged
	}
	return err
}

// salvage ends the file after a failed write that wrote n bytes. Complete rows
// and the end mark overwrite these bytes, because more bytes may not fit. It
// returns how many of the pending bytes are kept.
func (f *File) salvage(n int) (kept int64) {
	out, plain := f.fitting(n)
	end := f.end
	written := 0
	if plain > 0 {
		written, _ = f.write(append(out, f.mark...))
	}
	switch {
	case plain > 0 && written == len(out)+len(f.mark):
		f.end += int64(len(out))
		end, kept = f.end+int64(len(f.mark)), int64(plain)
	case f.end > 0: // no byte fits, or the file system does not write in place
		written, _ = f.write(f.mark)
		end += int64(written)
	}
	if err := f.dst.Truncate(end); err != nil {
		f.err = err
	}
	return kept
}

// fail ends the file after a failed write of which kept bytes stay.
func (f *File) fail(err error, kept int64) {
	f.err = &writeError{err}
	f.lost += int64(len(f.pending)) - kept
	f.plain += kept
	f.pending, f.blockEnds = nil, nil
}

// writeError is the error of a failed write.
type writeError struct{ err error }

func (e *writeError) Error() string { return "record: " + e.err.Error() + ": " + ErrFull.Error() }

func (e *writeError) Unwrap() []error { return []error{e.err, ErrFull} }

// Size returns the number of uncompressed bytes that the File accepted and did
// not lose, without the end mark.
func (f *File) Size() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.plain + int64(len(f.pending))
}

// Lost returns the number of uncompressed bytes that are not in the file: those
// that a failed write left out, and all later ones.
func (f *File) Lost() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lost
}

// Close writes the pending blocks, the end mark and the seek table of zstd. It does
// not close the underlying file. A second call is allowed.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mustBeMade()
	if f.timer.Stop(); f.closed {
		return f.err
	}
	f.closed = true
	f.flush()
	if f.err == nil && f.regular {
		if err := f.unchanged(); err != nil {
			f.fail(err, 0)
		}
	}
	if f.err == nil && !f.regular && f.mark != nil {
		if _, err := complete(len(f.mark))(f.dst.Write(f.mark)); err != nil {
			f.fail(err, 0)
		}
	}
	f.writeTable()
	f.release()
	return f.err
}

// release gives the space back that was allocated beyond the end of the file.
func (f *File) release() {
	if f.reserve.allocated == 0 {
		return
	}
	size, err := f.dst.Size()
	if err == nil {
		err = f.dst.Truncate(size)
	}
	if err != nil && f.err == nil {
		f.err = err
	}
}

func (f *File) finish() (int64, error) {
	err := f.Close()
	return f.Lost(), err
}

// keep appends a block with the bytes that it has in the stream.
func (f *File) keep(b *arrival) error {
	return f.WriteBlocks(b.object)
}

// keepMoved appends a block after another one than in the stream: the padding in objects depends
// on the offset.
func (f *File) keepMoved(b *arrival) error {
	w := raw.NewWriter(blockWriter{f}, raw.WriterOptions{Format: b.trace.Format, Offset: f.Size()})
	return w.Block(&raw.Block{Kind: b.Kind, TypeName: b.TypeName, Version: b.Version, MinReader: b.MinReader, Body: b.Body})
}

// keepRows appends the rows of a truncated block.
func (f *File) keepRows(trace *codec.Trace, rows *codec.BlockRows) (int64, error) {
	from := f.Size()
	w := codec.NewBlockWriter(blockWriter{f}, codec.BlockWriterOptions{Format: trace.Format.WithTags(), Preserve: true})
	w.Resume(blockWriter{f}, trace, from)
	err := w.WriteBlock(rows)
	return w.Offset() - from, err
}
