package perf

import (
	"bufio"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/klauspost/compress/zstd"
)

// Spool keeps the records of a Recorder in a file without a name until they are read. It
// compresses them, and encrypts them with a key that is in memory only: copies of stacks can
// hold secrets of the process.
type Spool struct {
	file  *os.File
	block cipher.Block
	w     *zstd.Encoder
	out   *bufio.Writer
	stack bool
	size  [4]byte
}

// NewSpool returns an empty Spool in a folder; "" is that of temporary files. stack says that the
// records have copies of stacks: Options.StackBytes is not 0.
func NewSpool(folder string, stack bool) (*Spool, error) {
	key := make([]byte, 16)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(folder, ".nettrace-perf-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // where the system cannot remove an open file, Close does
	s := &Spool{file: f, block: block, stack: stack}
	s.out = bufio.NewWriterSize(cipher.StreamWriter{S: s.stream(), W: f}, 64<<10)
	s.w, err = zstd.NewWriter(s.out, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// stream is the stream of the key from the beginning of the file. The key is used once.
func (s *Spool) stream() cipher.Stream {
	return cipher.NewCTR(s.block, make([]byte, aes.BlockSize))
}

// Add appends a record, in the form that Recorder.Run passes on.
func (s *Spool) Add(b []byte) error {
	binary.LittleEndian.PutUint32(s.size[:], uint32(len(b)))
	if _, err := s.w.Write(s.size[:]); err != nil {
		return err
	}
	_, err := s.w.Write(b)
	return err
}

// End ends the writing. Call it before Records.
func (s *Spool) End() error { return errors.Join(s.w.Close(), s.out.Flush()) }

// Records iterates over the records, from the first one at each call. Their times are those of
// the clock of the process.
func (s *Spool) Records(clock Clock) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		if err := s.each(clock, yield); err != nil {
			yield(nil, err)
		}
	}
}

func (s *Spool) each(clock Clock, yield func(*Record, error) bool) error {
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	z, err := zstd.NewReader(cipher.StreamReader{S: s.stream(), R: bufio.NewReaderSize(s.file, 64<<10)}, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer z.Close()
	d := decoder{stack: s.stack}
	var size [4]byte
	var b []byte
	for {
		if _, err := io.ReadFull(z, size[:]); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("perf: %w", err)
		}
		n := int(binary.LittleEndian.Uint32(size[:]))
		if cap(b) < n {
			b = make([]byte, n)
		}
		b = b[:n]
		if _, err := io.ReadFull(z, b); err != nil {
			return fmt.Errorf("perf: %w", err)
		}
		r, ok := d.decode(b)
		r.Time = clock.ofKernel(r.Time)
		if ok && !yield(&r, nil) {
			return nil
		}
	}
}

// Close removes the file.
func (s *Spool) Close() {
	if s.w != nil {
		_ = s.w.Close() // ends its goroutine; the file is no longer needed
	}
	s.file.Close()
	_ = os.Remove(s.file.Name()) // removed already where the system can
}
