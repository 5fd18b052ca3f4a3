package tables

import (
	"bytes"
	"errors"
	"io"
	"os"

	library "github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/columns"
	"github.com/nettrace-go/nettrace/internal/chunks"
)

// chunked is a file that several goroutines read.
type chunked struct {
	columns.Chunks
	closers []io.Closer
	serial  string // why one goroutine reads the file although --workers asks for more
}

// openAt opens a file for some goroutines. The Chunks are empty if one reads it.
func openAt(name string, workers int) (*chunked, error) {
	c := &chunked{}
	if workers == 1 {
		return c, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	c.closers = append(c.closers, f)
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	head := make([]byte, len(magic))
	_, err = f.ReadAt(head, 0)
	switch plain := err == nil && bytes.Equal(head, []byte(magic)); {
	case !info.Mode().IsRegular():
		c.serial = "it is not a regular file"
	case workers == 0 && (!plain || info.Size() <= chunks.Large):
	case plain:
		c.Chunks = columns.Chunks{At: f, Size: info.Size()}
	default:
		src, err := library.NewSourceAt(f, info.Size())
		if err != nil {
			c.serial = "it is neither an uncompressed file of version 4 to 6 nor compressed as zstd frames with sizes"
			break
		}
		c.closers = append(c.closers, src)
		c.Chunks = columns.Chunks{At: src, Size: src.Size()}
	}
	c.Workers = chunks.Workers(workers)
	return c, nil
}

// magic is the beginning of an uncompressed file of version 4 to 6.
const magic = "Nettrace"

// close closes the files.
func (c *chunked) close() (err error) {
	for i := len(c.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, c.closers[i].Close())
	}
	return err
}
