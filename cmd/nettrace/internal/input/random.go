package input

import (
	"io"

	library "github.com/nettrace-go/nettrace"
)

// Random returns the uncompressed bytes of the input, which are read at any offset, or
// nil if they can be read from the start only: the input is not a regular file, or it
// is compressed in another way than as zstd frames whose sizes are known. Reading them
// moves the progress bar, of an uncompressed file after NextPass: the headers of its
// blocks, which an index reads, are read in no time.
func (in *File) Random() *io.SectionReader {
	if in.randomKnown || in.At == nil {
		return in.random
	}
	in.randomKnown = true
	in.bar.Hold()
	switch at := in.bar.WatchAt(in.At); in.Packed {
	case "":
		in.random = io.NewSectionReader(at, 0, in.Stored)
	case "zstd":
		src, err := library.NewSourceAt(at, in.Stored) // which reads the headers of the frames
		if err != nil {
			return nil // who reads from the start gets the error of the file
		}
		in.bar.Repeat(in.Stored) // the index decompresses all of it
		in.bar.Pass(0)
		in.closers = append(in.closers, func() { src.Close() })
		in.random = io.NewSectionReader(unpackedAt{src}, 0, src.Size())
	}
	return in.random
}

// NextPass says that the input is read from its start, after an index of Random.
func (in *File) NextPass() {
	done := int64(0)
	if in.Packed != "" {
		done = in.Stored
	}
	in.bar.Pass(done)
}

// unpackedAt reads a SourceAt. Its errors are those of File.Read.
type unpackedAt struct{ src *library.SourceAt }

func (u unpackedAt) ReadAt(b []byte, offset int64) (int, error) {
	n, err := u.src.ReadAt(b, offset)
	if err != nil && err != io.EOF {
		err = Damaged("", err)
	}
	return n, err
}
