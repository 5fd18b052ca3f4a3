package codec

import "errors"

// ErrStarted is the error of a function that needs a Reader at the start of its
// stream, when more than the Trace block has been read from it. A Reader of
// Index.Between is never at the start: it leaves rows out.
var ErrStarted = errors.New("the Reader is not at the start of its stream")

// ErrNoStacks is the error of a function that needs stacks, when its Reader
// leaves them out (Options.NoStacks).
var ErrNoStacks = errors.New("the Reader leaves out stacks (Options.NoStacks)")

// FirstBlock returns the Trace block, with which every stream begins, and reads
// it if that has not been done. NextBlock then returns the block after it. The
// block is valid until the next step. FirstBlock returns ErrStarted when more
// than the Trace block has been read, and the stream's own error when it has no
// complete header.
func (r *Reader) FirstBlock() (*Block, error) {
	if err := r.AtStart(); err != nil {
		return nil, err
	}
	if _, err := r.Trace(); err != nil {
		return nil, err
	}
	return &r.block, nil
}

// AtStart returns nil when at most the Trace block has been read, as by Trace,
// and ErrStarted when more has been read. It reads nothing.
func (r *Reader) AtStart() error {
	if r.sliced || r.trace != nil && (r.err != nil || r.raw.Offset() != r.begun) {
		return ErrStarted
	}
	return nil
}

// Complete returns nil when the Reader will deliver everything in its stream:
// it is at the start (AtStart) and does not leave out stacks. Otherwise it
// returns ErrStarted or ErrNoStacks. It reads nothing.
func (r *Reader) Complete() error {
	if r.opt.NoStacks {
		return ErrNoStacks
	}
	return r.AtStart()
}
