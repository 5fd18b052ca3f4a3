package raw

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Errors for errors.Is.
var (
	// ErrNotNetTrace means that the stream does not begin like any version of
	// the format.
	ErrNotNetTrace = errors.New("not a NetTrace stream")
	// ErrVersion means that the stream or an object requires another version of
	// reader. The cause is a *VersionError.
	ErrVersion = errors.New("unsupported NetTrace version")
	// ErrLimit means that the input exceeds a limit of the caller. The cause is
	// a *LimitError.
	ErrLimit = errors.New("limit exceeded")
	// ErrFraming means that the framing is malformed, so that no later block
	// can be found.
	ErrFraming = errors.New("broken framing")
	// ErrTruncated means that the stream ends before its end mark. It also
	// matches io.ErrUnexpectedEOF.
	ErrTruncated error = truncated{}
)

type truncated struct{}

func (truncated) Error() string { return "truncated stream" }

func (truncated) Is(target error) bool { return target == io.ErrUnexpectedEOF }

// The oldest and newest version of the format that a Reader supports.
const (
	MinVersion = 3
	MaxVersion = 6
)

// VersionError reports a stream, or a block in it, of an unsupported version.
// It matches ErrVersion.
type VersionError struct {
	What     string // "NetTrace", or the type name of an object
	Found    uint32 // its version, or its minimum reader version
	Min, Max uint32 // supported versions
}

// Error names the version and the supported range.
func (e *VersionError) Error() string {
	return fmt.Sprintf("%s version %d is not supported (supported: %d to %d)", e.What, e.Found, e.Min, e.Max)
}

// Is makes the error match ErrVersion.
func (e *VersionError) Is(target error) bool { return target == ErrVersion }

// LimitError reports that the input exceeds a limit of the caller. It matches
// ErrLimit.
type LimitError struct {
	Name  string // the limit, in the words of its field in Limits
	Size  int64  // size that the input requires
	Limit int64  // value of the limit
}

// Error names the limit and both values.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%s: %d is over the limit of %d", e.Name, e.Size, e.Limit)
}

// Is makes the error match ErrLimit.
func (e *LimitError) Is(target error) bool { return target == ErrLimit }

// CompressedError reports that the stream is compressed, is in an archive, or
// follows a byte order mark. It matches ErrNotNetTrace.
type CompressedError struct {
	Compression string // "zstd" or "gzip"; "" for none
	Other       string // "a zip archive" or a byte order mark; "" for none
}

// Error names the compression and how to remove it.
func (e *CompressedError) Error() string {
	if e.Compression != "" {
		return "the stream is compressed with " + e.Compression + ": decompress it first"
	}
	return "the stream is wrapped in or begins with " + e.Other + ": remove it first"
}

// Is makes the error match ErrNotNetTrace.
func (e *CompressedError) Is(target error) bool { return target == ErrNotNetTrace }

// CompressionOf reports the compression of a stream that begins with head. 4
// bytes are enough.
func CompressionOf(head []byte) (what CompressedError, ok bool) {
	for _, p := range []struct {
		start string
		what  CompressedError
	}{
		{"\x28\xB5\x2F\xFD", CompressedError{Compression: "zstd"}}, {"\x1F\x8B", CompressedError{Compression: "gzip"}},
		{"PK\x03\x04", CompressedError{Other: "a zip archive"}}, {"PK\x05\x06", CompressedError{Other: "a zip archive"}},
		{"\xEF\xBB\xBF", CompressedError{Other: "a UTF-8 byte order mark"}}, {"\xFF\xFE", CompressedError{Other: "a UTF-16 byte order mark"}},
	} {
		if bytes.HasPrefix(head, []byte(p.start)) {
			return p.what, true
		}
	}
	if len(head) >= 4 && head[0]&0xF0 == 0x50 && string(head[1:4]) == "\x2A\x4D\x18" { // a frame to be skipped
		return CompressedError{Compression: "zstd"}, true
	}
	return CompressedError{}, false
}

// Fault is an error of the framing and its place.
type Fault struct {
	// Rule is the broken rule.
	Rule        rule.ID
	Kind        wire.Kind // of the block, if known
	Offset      int64     // file offset
	BlockOffset int64     // file offset of the block
	Err         error     // a sentinel or a typed error of this package
}

// Error names the offset, the rule and the cause.
func (f *Fault) Error() string {
	return fmt.Sprintf("offset %d: %s %v", f.Offset, f.Rule, f.Err)
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }
