package raw

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Sentinels for errors.Is.
var (
	ErrNotNetTrace = errors.New("not a NetTrace stream")
	ErrVersion     = errors.New("unsupported NetTrace version")
	ErrLimit       = errors.New("limit exceeded")
	ErrFraming     = errors.New("broken framing")
	// ErrTruncated means that the stream ends before its end mark. It is also
	// io.ErrUnexpectedEOF.
	ErrTruncated error = truncated{}
)

type truncated struct{}

func (truncated) Error() string { return "truncated stream" }

func (truncated) Is(target error) bool { return target == io.ErrUnexpectedEOF }

// Oldest and newest version of the format that is read.
const (
	MinVersion = 3
	MaxVersion = 6
)

// VersionError says that a stream, or a block in it, is of a version that this
// package does not read. errors.Is(err, ErrVersion) holds.
type VersionError struct {
	What     string // "NetTrace", or the type name of an object
	Found    uint32 // the version, or the minimum reader version, found
	Min, Max uint32 // the versions that are read
}

// Error names the version and the range that is supported.
func (e *VersionError) Error() string {
	return fmt.Sprintf("%s version %d is not supported (supported: %d to %d)", e.What, e.Found, e.Min, e.Max)
}

// Is makes the error match ErrVersion.
func (e *VersionError) Is(target error) bool { return target == ErrVersion }

// LimitError says that the input asks for more than the caller allows.
// errors.Is(err, ErrLimit) holds.
type LimitError struct {
	Name  string // what is limited, in the words of the Limits field
	Size  int64  // what the input asks for
	Limit int64  // what is allowed
}

// Error names the limit.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%s: %d is over the limit of %d", e.Name, e.Size, e.Limit)
}

// Is makes the error match ErrLimit.
func (e *LimitError) Is(target error) bool { return target == ErrLimit }

// CompressedError says that something wraps the stream or precedes it.
// errors.Is(err, ErrNotNetTrace) holds.
type CompressedError struct {
	Compression string // "zstd" or "gzip"; "" for none
	Other       string // "a zip archive" or a byte order mark; "" for none
}

// Error names what wraps the stream and how to remove it.
func (e *CompressedError) Error() string {
	if e.Compression != "" {
		return "the stream is compressed with " + e.Compression + ": decompress it first"
	}
	return "the stream is wrapped in or begins with " + e.Other + ": remove it first"
}

// Is makes the error match ErrNotNetTrace.
func (e *CompressedError) Is(target error) bool { return target == ErrNotNetTrace }

// CompressionOf reports what wraps a stream that begins with head; 4 bytes are enough.
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

// Fault is a break of the framing: what is wrong and where.
type Fault struct {
	Rule        rule.ID
	Kind        wire.Kind // of the block, as far as known
	Offset      int64     // where in the stream
	BlockOffset int64     // where its block starts
	Err         error     // a sentinel or a typed error of this package
}

// Error gives offset, rule and cause.
func (f *Fault) Error() string {
	return fmt.Sprintf("offset %d: %s %v", f.Offset, f.Rule, f.Err)
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }
