package codec

import (
	"errors"
	"fmt"

	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Errors for errors.Is. Errors of the underlying io.Reader are returned
// unchanged.
var (
	// ErrNotNetTrace: the stream does not begin like any version of the format.
	// The cause is a *CompressedError if it begins like a compressed stream or
	// an archive.
	ErrNotNetTrace = raw.ErrNotNetTrace
	// ErrVersion: the version of the stream is not supported, or an object in
	// it requires a newer reader. The cause is a *VersionError.
	ErrVersion = raw.ErrVersion
	// ErrTruncated: the stream ends before its end mark. Every complete row has
	// been delivered. It also matches io.ErrUnexpectedEOF.
	ErrTruncated = raw.ErrTruncated
	// ErrLimit: the stream exceeds Limits. The cause is a *LimitError.
	ErrLimit = raw.ErrLimit
	// ErrFraming: the framing is malformed, so that no later block can be
	// found.
	ErrFraming = raw.ErrFraming
	// ErrBadBlock: a row or block is malformed.
	ErrBadBlock = errors.New("bad block")
	// ErrDefect: a complete row refers to a missing row, or contradicts an
	// earlier one.
	ErrDefect = errors.New("defect")
	// ErrNotExpressible: the written version cannot express the value. The
	// cause is a *FormatError.
	ErrNotExpressible = errors.New("not expressible")
	// ErrUndefined: a Record refers to metadata or a thread that was not
	// defined, or to a thread that was removed.
	ErrUndefined = errors.New("not defined")
	// ErrOrder: a Record is older than the last event of its capture thread,
	// than an earlier sequence point, or than an earlier event with the flag
	// Sorted, which promises that no later event is older. Or a sequence point is
	// older than an earlier event.
	ErrOrder = errors.New("time goes back")
	// ErrSequence: the sequence number of a Record is not higher than the last
	// one of its capture thread.
	ErrSequence = errors.New("sequence number goes back")
	// ErrPayload: a payload does not fit the fields of its metadata. The cause
	// is a *PayloadError.
	ErrPayload = errors.New("payload does not fit its fields")
	// ErrCallOrder: an EventEncoder was given a value after Write, or a new event
	// was begun while the previous one was neither written nor discarded.
	ErrCallOrder = errors.New("call out of order")
	// ErrDropped: a Recorder refused an event of an EventEncoder. Recorder.Record
	// lists the reasons.
	ErrDropped = errors.New("event dropped")
	// ErrClosed: the Writer has ended its stream.
	ErrClosed = raw.ErrClosed
)

// FormatError reports a value that the written version cannot express. Nothing
// of it was written.
type FormatError struct {
	// Format is the written version.
	Format wire.Format
	// Feature describes the value.
	Feature string
}

// Error names the version and the feature.
func (e *FormatError) Error() string {
	return fmt.Sprintf("codec: format %v cannot express %s", e.Format, e.Feature)
}

// Unwrap returns ErrNotExpressible.
func (e *FormatError) Unwrap() error { return ErrNotExpressible }

// notWritten is the error for a version that is not written.
func notWritten(f wire.Format) error {
	return &FormatError{f, "a stream: formats that can be written are " + written()}
}

// formatV6 is the version that this package writes as v6.
var formatV6 = wire.V6

// VersionError reports an unsupported version and the supported ones. It
// matches ErrVersion.
type VersionError = raw.VersionError

// CompressedError reports that the stream is compressed, is in an archive, or
// follows a byte order mark. It matches ErrNotNetTrace.
type CompressedError = raw.CompressedError

// LimitError reports which limit was exceeded, and by how much. It matches
// ErrLimit.
type LimitError = raw.LimitError

// Error describes a fault of a stream and its place. Offset and Rule are API,
// the text is not.
type Error struct {
	Offset      int64     // file offset of the field that breaks the rule, or the stream's length if it is truncated
	Block       wire.Kind // kind of the block, if InBlock
	BlockOffset int64     // file offset of that block; 0 before the first block; the stream's length if it is truncated between two blocks
	Row         int       // number of the row in the block, from 0, if InRow: in a truncated block the first incomplete one; otherwise NoRow
	Rule        rule.ID   // the broken rule
	Err         error     // an error variable of this package or a typed error
}

// NoRow is Error.Row if the error has no number of a row: it is about the stream,
// a block, or the payload of an event. For a payload, Offset is that of the event's
// row.
const NoRow = -1

// InBlock reports whether the error is in a block: not before the first one,
// and not between two.
func (e *Error) InBlock() bool {
	return e.BlockOffset > 0 && !(e.BlockOffset == e.Offset && errors.Is(e.Err, ErrTruncated))
}

// InRow reports whether the error is about one row of a block.
func (e *Error) InRow() bool { return e.InBlock() && e.Row >= 0 }

// Error names the cause, the rule and the place, as far as known.
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

// RuleOf returns the rule of the *Error in err, or rule.None if there is none.
func RuleOf(err error) rule.ID {
	if err == nil {
		return rule.None // errors.As would allocate its target
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
