package query

import (
	"bytes"
	"io"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
)

// opener returns a function that opens a trace, for each pass. Standard input is read into
// memory.
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
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, exit.With(exit.Broken, input.FileError(name, err))
	}
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }, nil
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
