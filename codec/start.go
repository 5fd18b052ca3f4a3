package codec

import "errors"

// ErrStarted is the error of a function that needs a Reader at the start of its
// stream, when more than the Trace block has been read from it. A Reader of
// Index.Between is never at the start: it leaves rows out.
var ErrStarted = errors.New("the Reader is not at the start of its stream")

// ErrNoStacks is the error of a function that needs stacks, when its Reader
// leaves them out (Options.NoStacks).
var ErrNoStacks = errors.New("the Reader leaves out stacks (Options.NoStacks)")

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

// AtStart returns nil when Next has not returned a block, though Trace may have been
// called, and ErrStarted when it has. It reads nothing.
func (r *BlockReader) AtStart() error {
	if r.trace != nil && !r.peeked {
		return ErrStarted
	}
	return nil
}

// Complete returns nil when the BlockReader will return everything in its stream:
// it is at the start (AtStart) and does not leave out stacks. Otherwise it returns
// ErrStarted or ErrNoStacks. It reads nothing.
func (r *BlockReader) Complete() error {
	if r.opt.NoStacks {
		return ErrNoStacks
	}
	return r.AtStart()
}
