package codec

import (
	"errors"
	"fmt"

	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Sentinels for errors.Is. Errors of the underlying io.Reader come back
// untouched.
var (
	// ErrNotNetTrace: the stream does not begin like any version of the format. The
	// cause is a *CompressedError when it begins like something that wraps one.
	ErrNotNetTrace = raw.ErrNotNetTrace
	// ErrVersion: the stream, or an object in it, asks for a newer or older
	// reader. The cause is a *VersionError.
	ErrVersion = raw.ErrVersion
	// ErrTruncated: the stream ends before its end mark. Every complete row has been
	// delivered. It matches io.ErrUnexpectedEOF too.
	ErrTruncated = raw.ErrTruncated
	// ErrLimit: the stream asks for more than Limits allows. The cause is a
	// *LimitError.
	ErrLimit = raw.ErrLimit
	// ErrFraming: the sequence of blocks cannot be followed any further.
	ErrFraming = raw.ErrFraming
	// ErrBadBlock: a row or block breaks its own layout.
	ErrBadBlock = errors.New("bad block")
	// ErrDefect: a whole row refers to what is not there, or contradicts an
	// earlier one.
	ErrDefect = errors.New("defect")
	// ErrNotExpressible: the version that is written has no place for what was to be
	// written. The cause is a *FormatError.
	ErrNotExpressible = errors.New("not expressible")
	// ErrUndefined: a Record refers to metadata or a thread that was not defined,
	// or to a thread that was removed; or an EventEncoder was given no thread or no
	// timestamp.
	ErrUndefined = errors.New("not defined")
	// ErrOrder: the timestamp of a Record is before the last one of its capture
	// thread, a sequence point or a sorted event, or the timestamp of a sequence
	// point is before an event.
	ErrOrder = errors.New("time goes back")
	// ErrSequence: the sequence number of a Record repeats or goes back on its
	// capture thread.
	ErrSequence = errors.New("sequence number goes back")
	// ErrPayload: a payload does not fit the fields that its metadata declares.
	// The cause is a *PayloadError, or a *FieldError of an EventEncoder.
	ErrPayload = errors.New("payload does not fit its fields")
	// ErrCallOrder: an EventEncoder was given a value after Write, or an event was
	// begun before the one before it was written or discarded.
	ErrCallOrder = errors.New("call out of order")
	// ErrDropped: a Recorder refused an event of an EventEncoder. Recorder.Record
	// lists the reasons.
	ErrDropped = errors.New("event dropped")
	// ErrClosed: the stream that is written has ended.
	ErrClosed = raw.ErrClosed
)

// FormatError says what the version that is written cannot express. Nothing of it
// was written.
type FormatError struct {
	Format  wire.Format
	Feature string
}

// Error names the version and what it cannot express.
func (e *FormatError) Error() string {
	return fmt.Sprintf("codec: format %v cannot express %s", e.Format, e.Feature)
}

// Unwrap returns ErrNotExpressible.
func (e *FormatError) Unwrap() error { return ErrNotExpressible }

// notWritten is the error for a version that is not written at all.
func notWritten(f wire.Format) error {
	return &FormatError{f, "a stream: formats that can be written are " + written()}
}

// formatV6 is the version that this package writes as v6.
var formatV6 = wire.V6

// VersionError says which version was found and which are read.
type VersionError = raw.VersionError

// CompressedError names what wraps a stream: a compression, an archive or a byte order
// mark. It matches ErrNotNetTrace.
type CompressedError = raw.CompressedError

// LimitError says which limit was exceeded, and by how much.
type LimitError = raw.LimitError

// Error describes a fault of a stream and its place. Offset and Rule are API, the
// text is not.
type Error struct {
	Offset      int64     // in the stream: of the field that breaks the rule, or the stream's length when it is truncated
	Block       wire.Kind // kind of the block, where InBlock
	BlockOffset int64     // where that block starts; 0 before the first block; the stream's length when it is truncated between two blocks
	Row         int       // number of the row in the block, from 0, where InRow: of a truncated block the first that is not complete; else NoRow
	Rule        rule.ID   // the rule that is broken
	Err         error     // a sentinel of this package or a typed error
}

// NoRow is the Row of an Error that is about no single row: about the stream, a
// block as a whole, or the payload of an event, whose place is Offset.
const NoRow = -1

// InBlock reports whether the error is in a block: not before the first one, and
// not between two.
func (e *Error) InBlock() bool {
	return e.BlockOffset > 0 && !(e.BlockOffset == e.Offset && errors.Is(e.Err, ErrTruncated))
}

// InRow reports whether the error is about one row of a block.
func (e *Error) InRow() bool { return e.InBlock() && e.Row >= 0 }

// Error gives the cause, the rule and the place, as far as there is one.
func (e *Error) Error() string {
	text := fmt.Sprintf("codec: %v: %s at offset %d", e.Err, e.Rule, e.Offset)
	switch {
	case e.InRow():
		text += fmt.Sprintf(" (%s block at %d, row %d)", e.Block, e.BlockOffset, e.Row)
	case e.InBlock():
		text += fmt.Sprintf(" (%s block at %d)", e.Block, e.BlockOffset)
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// RuleOf returns the rule of the *Error in err, or rule.None when there is none.
func RuleOf(err error) rule.ID {
	if err == nil {
		return rule.None // without the allocation of what errors.As fills
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Rule
	}
	return rule.None
}

// wrapFault turns a fault of the framing into an Error; other errors pass.
func wrapFault(err error, row int) error {
	var f *raw.Fault
	if !errors.As(err, &f) {
		return err
	}
	return &Error{Offset: f.Offset, Block: f.Kind, BlockOffset: f.BlockOffset, Row: row, Rule: f.Rule, Err: f.Err}
}
