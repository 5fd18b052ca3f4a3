package query

import (
	"bytes"
	"errors"
	"io"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec"
)

// opener returns a function that opens a trace, for each pass. Standard input is read into
// memory, up to maxStdin bytes.
func opener(p *run.Program, name string) (func() (io.ReadCloser, error), error) {
	if name != input.Stdin {
		return func() (io.ReadCloser, error) {
			in, err := input.Open(p, name, input.Options{Silent: true})
			if err != nil {
				return nil, err
			}
			return closer{in, in.Close}, nil
		}, nil
	}
	in, err := input.Open(p, name, input.Options{Silent: true})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := readAll(in)
	if err != nil {
		return nil, exit.With(input.ExitCode(err), input.FileError(name, errors.New(input.ErrorText(err))))
	}
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }, nil
}

// maxStdin is the max size of a trace on standard input in bytes, uncompressed.
const maxStdin = 1 << 30

// readAll reads a trace into memory, or only its header if that is malformed.
func readAll(in io.Reader) ([]byte, error) {
	var b bytes.Buffer
	limited := io.LimitReader(in, maxStdin+1)
	if _, err := codec.NewBlockReader(io.TeeReader(limited, &b), input.ReaderOptions(false)).Trace(); err != nil {
		return nil, err
	}
	if _, err := b.ReadFrom(limited); err != nil {
		return nil, err
	}
	if b.Len() > maxStdin {
		return nil, errors.New("the trace is larger than 1 GB: pass it as a file")
	}
	return b.Bytes(), nil
}

// closer is an input whose Close returns an error.
type closer struct {
	io.Reader
	end func()
}

// Close closes the input.
func (c closer) Close() error {
	c.end()
	return nil
}
