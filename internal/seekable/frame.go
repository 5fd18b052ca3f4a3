// Package seekable reads and writes the seekable format of zstd (Zstandard
// Seekable Format 0.1.0): frames that are decompressed independently, and after
// them a seek table, which has the size of each frame and is itself a skippable
// frame. Every decompressor of zstd reads such a file.
package seekable

import (
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// ErrNotSeekable reports a file without frames whose sizes are known: it must be
// decompressed from its start.
var ErrNotSeekable = errors.New("seekable: no zstd frames whose sizes are known")

// Limits of a file that is read at any offset. Larger ones are ErrNotSeekable.
const (
	maxFrame  = 32 << 20 // uncompressed bytes of a frame
	maxFrames = 1 << 20
	maxBlocks = 1 << 20 // headers of blocks that are read if there is no seek table
)

// place is the start of a frame: its offset in the file and in the uncompressed
// bytes. A list of places ends with the ends of the last frame.
type place struct{ stored, plain int64 }

// next returns the place after a frame of the given sizes. ok is false for sizes
// that are over the limits, or that no compressor makes.
func (p place) next(stored, plain int64) (place, bool) {
	ok := stored > 0 && 0 <= plain && plain <= maxFrame && (plain == 0 || stored <= 2*plain+1<<10)
	return place{p.stored + stored, p.plain + plain}, ok
}

// walker reads the headers of frames and blocks.
type walker struct {
	at      io.ReaderAt
	size    int64
	blocks  int           // that were read
	decoder *zstd.Decoder // of small frames; nil before the first one
}

// close releases the memory.
func (w *walker) close() {
	if w.decoder != nil {
		w.decoder.Close()
	}
}

// walk returns the places of the frames of a file without a seek table. The
// headers must have all sizes, and there must be several frames with content.
func walk(at io.ReaderAt, size int64) ([]place, error) {
	w := &walker{at: at, size: size}
	defer w.close()
	places, full := []place{{}}, 0
	for {
		last := places[len(places)-1]
		if last.stored == size && full > 1 {
			return places, nil
		}
		if last.stored >= size || len(places) > maxFrames {
			return nil, ErrNotSeekable
		}
		stored, plain, err := w.frame(last.stored)
		if err != nil {
			return nil, err
		}
		next, ok := last.next(stored, plain)
		if !ok {
			return nil, ErrNotSeekable
		}
		if plain > 0 {
			full++
		}
		places = append(places, next)
	}
}

// frame returns the sizes of the frame at an offset, from its headers. A frame
// that is empty, or small and without its content size, is decompressed.
func (w *walker) frame(offset int64) (stored, plain int64, err error) {
	head := make([]byte, zstd.HeaderMaxSize)
	if head, err = w.read(head, offset); err != nil {
		return 0, 0, err
	}
	var h zstd.Header
	switch err := h.Decode(head); {
	case err != nil:
		return 0, 0, ErrNotSeekable
	case h.Skippable:
		return int64(h.HeaderSize) + int64(h.SkippableSize), 0, nil
	case h.HasFCS && h.FrameContentSize > maxFrame:
		return 0, 0, ErrNotSeekable // without a walk through its blocks
	}
	end, err := w.blocksEnd(offset + int64(h.HeaderSize))
	if err != nil {
		return 0, 0, err
	}
	if h.HasCheckSum {
		end += 4
	}
	if h.HasFCS && h.FrameContentSize > 0 {
		return end - offset, int64(h.FrameContentSize), nil
	}
	plain, err = w.content(offset, end)
	return end - offset, plain, err
}

// blocksEnd returns the offset after the blocks of a frame, the first of which is at
// the given one.
//
// Format: "Blocks" of the Zstandard format.
func (w *walker) blocksEnd(offset int64) (int64, error) {
	const lastBlock, rleBlock, reservedBlock = 1, 1, 3
	var b [3]byte
	for {
		head, err := w.read(b[:], offset)
		if err != nil {
			return 0, err
		}
		if w.blocks++; len(head) < len(b) || w.blocks > maxBlocks {
			return 0, ErrNotSeekable
		}
		bits := int64(head[0]) | int64(head[1])<<8 | int64(head[2])<<16
		size := bits >> 3
		switch bits >> 1 & 3 {
		case rleBlock:
			size = 1
		case reservedBlock:
			return 0, ErrNotSeekable
		}
		offset += int64(len(b)) + size
		if bits&lastBlock != 0 {
			return offset, nil
		}
	}
}

// content returns the number of uncompressed bytes of a small frame. Compressors may
// leave out a content size below 256 bytes.
func (w *walker) content(offset, end int64) (int64, error) {
	const small = 256
	if end-offset > 2*small {
		return 0, ErrNotSeekable
	}
	packed, err := w.read(make([]byte, end-offset), offset)
	if err != nil {
		return 0, err
	}
	if w.decoder == nil { // one for all frames: a file can have a million
		w.decoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return 0, err
		}
	}
	plain, err := w.decoder.DecodeAll(packed, make([]byte, 0, small))
	if err != nil {
		return 0, ErrNotSeekable
	}
	return int64(len(plain)), nil
}

// read reads the bytes at an offset, fewer at the end of the file. Its error is that of
// the file.
func (w *walker) read(b []byte, offset int64) ([]byte, error) {
	b = b[:max(0, min(int64(len(b)), w.size-offset))]
	if n, err := w.at.ReadAt(b, offset); n < len(b) {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF // the file is smaller than it was
		}
		return nil, err
	}
	return b, nil
}
