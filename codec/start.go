package codec

import "errors"

// ErrStarted is the error of a function that needs a Reader at the start of its
// stream, if the Reader has read more than the Trace block. A Reader of
// Index.Between or of chunks is never at the start.
var ErrStarted = errors.New("codec: the Reader is not at the start of its stream")

// ErrNoStacks is the error of a function that needs stacks if its Reader has
// Options.NoStacks.
var ErrNoStacks = errors.New("codec: the Reader leaves out stacks (Options.NoStacks)")

// AtStart returns ErrStarted if more than the Trace block has been read,
// otherwise nil. It reads nothing.
func (r *Reader) AtStart() error {
	if r.sliced || r.chunk.index != nil || r.trace != nil && (r.err != nil || r.raw.Offset() != r.begun) {
		return ErrStarted
	}
	return nil
}

// Complete returns nil if the Reader will deliver everything in its stream: it
// is at the start (AtStart) and does not leave out stacks. Otherwise it returns
// ErrStarted or ErrNoStacks. It reads nothing.
func (r *Reader) Complete() error {
	if r.opt.NoStacks {
		return ErrNoStacks
	}
	return r.AtStart()
}

// AtStart returns ErrStarted if Next has returned a block, otherwise nil. Trace
// does not count. It reads nothing.
func (r *BlockReader) AtStart() error {
	if r.trace != nil && !r.peeked {
		return ErrStarted
	}
	return nil
}

// Complete returns nil if the BlockReader will return everything in its stream:
// it is at the start (AtStart) and does not leave out stacks. Otherwise it
// returns ErrStarted or ErrNoStacks. It reads nothing.
func (r *BlockReader) Complete() error {
	if r.opt.NoStacks {
		return ErrNoStacks
	}
	return r.AtStart()
}
