package conformance_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestStreams reads every small stream and compares it with its expected result.
func TestStreams(t *testing.T) {
	for _, name := range shared.Streams(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := verdictOf(t, name)
			stream := shared.Stream(t, name)
			skip := codec.Options{OnError: codec.Skip}
			got := read(memory(stream), skip)
			v.check(t, stream, got)
			v.checkStop(t, read(memory(stream), codec.Options{}), got)
			v.checkStrict(t, read(memory(stream), codec.Options{OnError: codec.Skip, Strict: true}), got)

			got.same(t, "from a stream", read(from(bytes.NewReader(stream)), skip))
			got.same(t, "byte by byte", read(from(iotest.OneByteReader(bytes.NewReader(stream))), skip))
			clipped := bytes.Clone(stream)
			got.same(t, "clipped", read(memory(clipped[:len(clipped):len(clipped)]), skip))
			if !bytes.Equal(clipped, stream) {
				t.Error("the caller's bytes were written")
			}
		})
	}
}

// TestVerdicts: the table has no result without a stream and no two of the same
// length that fit one stream.
func TestVerdicts(t *testing.T) {
	streams := shared.Streams(t)
	for _, v := range verdicts {
		t.Run(v.name, func(t *testing.T) {
			if strings.HasPrefix(v.name, "pv-") && !shared.Present(t) {
				return // these streams are not part of the repository
			}
			if !slices.ContainsFunc(streams, func(name string) bool { return verdictOf(t, name).name == v.name }) {
				t.Errorf("no stream has the verdict %q", v.name)
			}
		})
	}
}

// verdictOf is the longest pattern that fits a stream.
func verdictOf(t *testing.T, name string) verdict {
	t.Helper()
	var found verdict
	for _, v := range verdicts {
		switch fits, err := path.Match(v.name, name); {
		case err != nil:
			t.Fatal(err)
		case fits && len(v.name) == len(found.name):
			t.Fatalf("%s has two verdicts, %q and %q", name, v.name, found.name)
		case fits && len(v.name) > len(found.name):
			found = v
		}
	}
	if found.name == "" {
		t.Fatalf("%s has no verdict", name)
	}
	return found
}

// The two sources of codec.
type constructor func(codec.Options) *codec.Reader

func memory(stream []byte) constructor {
	return func(opt codec.Options) *codec.Reader { return codec.NewBytesReader(stream, opt) }
}

func from(src io.Reader) constructor {
	return func(opt codec.Options) *codec.Reader { return codec.NewReader(src, opt) }
}

// reading is the result of reading a stream.
type reading struct {
	events  []*codec.Event
	told    []string // the events as text, with the calls of the callbacks between them
	lost    uint64
	sum     uint64 // of the reported losses
	defects []codec.Defect
	bad     int
	first   error // of the bad blocks
	err     error
	extra   int64 // bytes after the end mark
}

// read reads a stream to its end.
func read(open constructor, opt codec.Options) *reading {
	got := &reading{}
	opt.OnLost = func(l codec.Lost) {
		got.sum += l.Count
		got.told = append(got.told, fmt.Sprint("lost ", l.CaptureThread, l.Thread != nil, l.Count, l.Before, l.HasBefore))
	}
	opt.OnDefect = func(e *codec.Error) {
		if errors.Is(e, codec.ErrDefect) { // BadBlocks has the bad blocks
			got.told = append(got.told, fmt.Sprint("defect ", e))
		}
	}
	r := open(opt)
	for e, err := range r.Events() {
		if err != nil {
			got.err = err
			break
		}
		got.events = append(got.events, e.Clone())
		got.told = append(got.told, describe(e))
	}
	if got.err == nil {
		got.extra, got.err = r.TrailingBytes()
	}
	got.lost, got.defects = r.Lost(), r.Defects()
	got.bad, got.first = r.BadBlocks()
	return got
}

// describe formats all properties of an event.
func describe(e *codec.Event) string {
	thread, known := e.ThreadID()
	capture, captureKnown := e.CaptureThreadID()
	process, processKnown := e.ProcessID()
	payload := e.Payload()
	return fmt.Sprint(e.Offset(), " ", e.Timestamp, e.Time(), e.Provider(), e.ID(), e.Name(), e.Version(), e.Level(),
		e.Opcode(), e.Keywords(), e.MetadataID, e.ThreadIndex, e.CaptureThreadIndex, thread, known, capture, captureKnown,
		process, processKnown, e.Processor, e.Sequence, e.StackID, e.Stack(), e.Labels(), e.Sorted(),
		e.Activity(), e.RelatedActivity(), len(payload), crc32.ChecksumIEEE(payload))
}

// same reports differences to another way of reading the stream.
func (got *reading) same(t *testing.T, way string, other *reading) {
	t.Helper()
	if !slices.Equal(got.told, other.told) {
		t.Errorf("%s: the events differ", way)
	}
	expect.Equal(t, way+": lost", got.lost, other.lost)
	expect.Equal(t, way+": bad", got.bad, other.bad)
	expect.Equal(t, way+": extra", got.extra, other.extra)
	expect.Equal(t, way+": defects", fmt.Sprint(got.defects), fmt.Sprint(other.defects))
	expect.Equal(t, way+": errors", fmt.Sprint(got.first, got.err), fmt.Sprint(other.first, other.err))
}

// String leaves the events out.
func (got *reading) String() string {
	var defects []string
	for _, d := range got.defects {
		var first *codec.Error
		errors.As(d.Err, &first)
		defects = append(defects, fmt.Sprint(d.Count, " ", d.Rule, " at ", first.Offset))
	}
	return fmt.Sprintf("%d events, %d lost, defects [%s], %d bad blocks (%v), %d bytes after the end, error %v",
		len(got.events), got.lost, strings.Join(defects, ", "), got.bad, got.first, got.extra, got.err)
}

// check compares a reading that skips bad blocks.
func (v verdict) check(t *testing.T, stream []byte, got *reading) {
	t.Helper()
	expect.Equal(t, "len(got.events)", len(got.events), v.events)
	expect.Equal(t, "lost", got.lost, v.lost)
	expect.Equal(t, "sum", got.sum, v.lost)
	v.checkDefects(t, got)
	v.checkEnd(t, got)
	switch {
	case v.bad == rule.None && got.bad != 0:
		t.Errorf("no block is bad: %v", got)
	case v.bad != rule.None && (got.bad != 1 || codec.RuleOf(got.first) != v.bad):
		t.Errorf("want a bad block by %v: %v", v.bad, got)
	case v.bad != rule.None && errors.Is(got.first, codec.ErrLimit) != v.limit:
		t.Errorf("exceeds a limit: want %v: %v", v.limit, got)
	}
	if v.depth > 0 && len(got.events[0].Stack()) != v.depth {
		t.Errorf("the stack has %d addresses instead of %d", len(got.events[0].Stack()), v.depth)
	}
	if want := v.extra + paddedEnd(stream); got.extra != want {
		t.Errorf("want %d bytes after the end mark: %v", want, got)
	}
}

// paddedEnd is the number of bytes after the end tag of a v4 stream whose builder
// writes that tag as a number of four bytes.
func paddedEnd(stream []byte) int64 {
	if bytes.Contains(stream[:32], []byte("!FastSerialization.1")) && bytes.HasSuffix(stream, []byte{6, 1, 0, 0, 0}) {
		return 3
	}
	return 0
}

func (v verdict) checkDefects(t *testing.T, got *reading) {
	t.Helper()
	told := 0
	for _, line := range got.told {
		if isDefect(line) {
			told++
		}
	}
	if v.defect != rule.None && int64(told) != max(v.count, 1) {
		t.Errorf("%d defects reported: %v", told, got)
	}
	if v.defect == rule.None && told > 0 {
		t.Errorf("%d defects reported: %v", told, got)
	}
	if v.defect == rule.None {
		if len(got.defects) > 0 {
			t.Errorf("no defect reported: %v", got)
		}
		return
	}
	expect.Len(t, "defects", got.defects, 1)
	expect.Equal(t, "defects[0].Rule", got.defects[0].Rule, v.defect)
	expect.Equal(t, "defects[0].Count", got.defects[0].Count, max(v.count, 1))
}

func (v verdict) checkEnd(t *testing.T, got *reading) {
	t.Helper()
	if v.end == nil {
		if got.err != nil {
			t.Errorf("the stream has its end mark: %v", got)
		}
		return
	}
	var e *codec.Error
	if !errors.As(got.err, &e) {
		t.Fatalf("error: got %v, want a %T", got.err, e)
	}
	expect.ErrorIs(t, e, v.end.err)
	expect.Equal(t, "e.Rule", e.Rule, v.end.rule)
	if v.end.offset != 0 && e.Offset != v.end.offset {
		t.Errorf("want the end %+v: %v", *v.end, got)
	}
	if v.end.err == codec.ErrTruncated && (e.BlockOffset != v.end.block || e.Row != v.end.row) {
		t.Errorf("want the end %+v: %v", *v.end, got)
	}
	if errors.Is(got.err, io.ErrUnexpectedEOF) != (v.end.err == codec.ErrTruncated) {
		t.Errorf("only a truncated stream is an unexpected end: %v", got)
	}
	if errors.Is(got.err, codec.ErrVersion) {
		var version *codec.VersionError
		if !errors.As(got.err, &version) || version.Found <= version.Max {
			t.Errorf("the error does not have the found version: %v", got)
		}
	}
}

// checkStop compares the reading that stops at a bad block with the one that
// skips it.
func (v verdict) checkStop(t *testing.T, got, skipping *reading) {
	t.Helper()
	if v.bad == rule.None {
		skipping.same(t, "stopping at bad blocks", got)
		return
	}
	var e *codec.Error
	if !errors.As(got.err, &e) {
		t.Fatalf("error: got %v, want a %T", got.err, e)
	}
	expect.Equal(t, "e.Rule", e.Rule, v.bad)
	expect.Equal(t, "error", fmt.Sprint(e), fmt.Sprint(skipping.first))
	expect.Equal(t, "bad", got.bad, 0)
	if len(got.events) != v.before || !isPrefix(got.told, skipping.told) {
		t.Errorf("stopping at the bad block: want the first %d events: %v", v.before, got)
	}
}

func isPrefix(a, b []string) bool { return len(a) <= len(b) && slices.Equal(a, b[:len(a)]) }

func isDefect(told string) bool { return strings.HasPrefix(told, "defect ") }

// checkStrict compares the reading in which a defect is fatal.
func (v verdict) checkStrict(t *testing.T, got, lenient *reading) {
	t.Helper()
	if v.defect == rule.None {
		lenient.same(t, "strict", got)
		return
	}
	var e *codec.Error
	if !errors.As(got.err, &e) {
		t.Fatalf("error: got %v, want a %T", got.err, e)
	}
	expect.Equal(t, "e.Rule", e.Rule, v.defect)
	expect.ErrorIs(t, e, codec.ErrDefect)
	// The first defect is reported, and nothing follows it.
	if !isPrefix(got.told, lenient.told) || len(got.told) != 1+slices.IndexFunc(lenient.told, isDefect) {
		t.Errorf("strict: want the same events up to the defect: %v", got)
	}
}
