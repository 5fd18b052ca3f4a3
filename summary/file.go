package summary

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// VersionError reports a Summary of a newer version of the schema.
type VersionError struct {
	Version int // of the schema
}

// Error names both versions.
func (e *VersionError) Error() string {
	return fmt.Sprintf("summary: version %d of the schema: this program reads versions up to %d", e.Version, Version)
}

// ErrFormat reports data that is not an encoded Summary.
var ErrFormat = errors.New("summary: not a summary of traces")

// Bounds of what Decode reads, in bytes: a Summary is at most maxRatio times as large as its
// encoding, or minPlain, and never larger than maxPlain.
const (
	maxPlain = 1 << 30
	minPlain = 4 << 20
	maxRatio = 64
)

// Encode returns the Summary as JSON on one line, compressed with zstd. If zstd makes it more
// than 64 times smaller, a skippable frame of zeros follows, so that Decode reads it.
func (s *Summary) Encode() ([]byte, error) {
	plain, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	plain = append(plain, '\n')
	data := z.EncodeAll(plain, nil)
	if lack := len(plain)/maxRatio + 1 - len(data); lack > 0 && len(plain) > minPlain {
		const skippable = 0x184D2A50
		data = binary.LittleEndian.AppendUint32(data, skippable)
		data = binary.LittleEndian.AppendUint32(data, uint32(lack))
		data = append(data, make([]byte, lack)...)
	}
	return data, z.Close()
}

// Decode reads an encoded Summary. The error is ErrFormat for other data, and for data that
// is more than 64 times larger when it is uncompressed, if that is more than 4 MiB. It is a
// *VersionError for a newer version of the schema.
func Decode(data []byte) (*Summary, error) {
	limit := min(max(maxRatio*int64(len(data)), minPlain), maxPlain)
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(limit)))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	plain, err := z.DecodeAll(data, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if n := objects(plain); n > 0 && len(plain)/n < minObject {
		return nil, fmt.Errorf("%w: %d objects in %d bytes", ErrFormat, n, len(plain))
	}
	var head struct {
		Version int       `json:"version"`
		Stacks  *struct{} `json:"stacks"` // it is there; its lists are read later
	}
	switch err := json.Unmarshal(plain, &head); {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	case head.Version > Version:
		return nil, &VersionError{head.Version}
	case head.Version < 1 || head.Stacks == nil:
		return nil, ErrFormat
	}
	s := &Summary{}
	if err := json.Unmarshal(plain, s); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return s, s.check()
}

// minObject is a lower bound of the mean size of an object in JSON, in bytes: that of a
// Function has at least 23. Objects without their fields take more memory than bytes.
const minObject = 16

// objects counts the objects in JSON text.
func objects(plain []byte) (n int) {
	inText := false
	for i := 0; i < len(plain); i++ {
		switch c := plain[i]; {
		case c == '"':
			inText = !inText
		case c == '\\' && inText:
			i++
		case c == '{' && !inText:
			n++
		}
	}
	return n
}

// check reports numbers that refer to nothing, and numbers that no Summary has.
func (s *Summary) check() error {
	if s.Version > Version {
		return &VersionError{s.Version}
	}
	if len(s.Stacks.Depth) != len(s.Stacks.Function) {
		return fmt.Errorf("%w: %d depths and %d functions of stacks", ErrFormat, len(s.Stacks.Depth), len(s.Stacks.Function))
	}
	last := int32(0)
	for i, depth := range s.Stacks.Depth {
		if depth < 1 || depth > last+1 || depth > maxDepth {
			return fmt.Errorf("%w: stack %d has depth %d after %d", ErrFormat, i, depth, last)
		}
		if f := s.Stacks.Function[i]; f < 0 || int(f) >= len(s.Functions) {
			return fmt.Errorf("%w: stack %d has function %d of %d", ErrFormat, i, f, len(s.Functions))
		}
		last = depth
	}
	for i := range s.Samples {
		of := &s.Samples[i]
		if len(of.Node) != len(of.Count) || len(of.Node) != len(of.Value) {
			return fmt.Errorf("%w: samples of type %s: lists of different lengths", ErrFormat, of.Type)
		}
		if at := slices.IndexFunc(of.Node, func(n int32) bool { return n < 0 || int(n) > len(s.Stacks.Depth) }); at >= 0 {
			return fmt.Errorf("%w: samples of type %s: node %d of %d", ErrFormat, of.Type, of.Node[at], len(s.Stacks.Depth))
		}
		if !slices.IsSorted(of.Node) || negative(of.Count...) {
			return fmt.Errorf("%w: samples of type %s: nodes that are not ascending, or a negative count", ErrFormat, of.Type)
		}
	}
	bad := negative(s.Files, s.Lost)
	for i := range s.Events {
		bad = bad || negative(s.Events[i].Count, s.Events[i].Bytes)
	}
	for i := range s.Classes {
		bad = bad || negative(s.Classes[i].Count)
	}
	for i := range s.Durations {
		d := &s.Durations[i]
		bad = bad || negative(d.Count, d.Unfinished, d.Unknown) || negative(d.Bins...)
	}
	if bad {
		return fmt.Errorf("%w: a negative number", ErrFormat)
	}
	for i := range s.Durations {
		if d := &s.Durations[i]; d.Zeros < 0 || len(d.Bins) > maxBins || d.First < -maxBins || d.First > maxBins {
			return fmt.Errorf("%w: durations of %s %s: bins %d to %d", ErrFormat, d.Kind, d.Key, d.First, d.First+len(d.Bins))
		}
	}
	return nil
}

// negative reports whether a number is negative.
func negative(list ...int64) bool {
	return slices.ContainsFunc(list, func(n int64) bool { return n < 0 })
}

// maxDepth is a bound for the frames of a stack.
const maxDepth = 100_000

// maxBins is a bound for the number of a bin: that of the longest duration is 2,183.
const maxBins = 4096
