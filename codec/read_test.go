package codec_test

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/nettrace-go/nettrace/codec"
)

// result is the result of reading a stream.
type result struct {
	events  []string // each with all of its properties
	lost    uint64
	err     error
	bad     int
	defects []codec.Defect
}

// describe formats all properties of an event.
func describe(e *codec.Event) string {
	thread, threadOK := e.ThreadID()
	capture, captureOK := e.CaptureThreadID()
	process, processOK := e.ProcessID()
	return fmt.Sprintf("@%d t=%d %s meta=%d %s/%d/%s v%d l%d o%d k%x seq=%d cpu=%d thread=%d,%d,%v capture=%d,%d,%v process=%d,%v stack=%d%x labels=%v act=%s rel=%s sorted=%v payload=%d:%08x",
		e.Offset(), e.Timestamp, e.Time().Format("15:04:05.000000000"), e.MetadataID, e.Provider(), e.ID(), e.Name(),
		e.Version(), e.Level(), e.Opcode(), e.Keywords(), e.Sequence, e.Processor, e.ThreadIndex, thread, threadOK,
		e.CaptureThreadIndex, capture, captureOK, process, processOK, e.StackID, e.Stack(), e.Labels(), e.Activity(), e.RelatedActivity(),
		e.Sorted(), len(e.Payload()), crc32.ChecksumIEEE(e.Payload()))
}

// drain reads a reader to its end.
func drain(r *codec.Reader) result {
	var got result
	for e, err := range r.Events() {
		if err != nil {
			got.err = err
			break
		}
		got.events = append(got.events, describe(e))
	}
	got.lost, got.defects = r.Lost(), r.Defects()
	got.bad, _ = r.BadBlocks()
	return got
}

func equalResults(a, b result) error {
	if i := firstDifference(a.events, b.events); i >= 0 {
		return fmt.Errorf("event %d of %d and %d differs", i, len(a.events), len(b.events))
	}
	if fmt.Sprint(a.err) != fmt.Sprint(b.err) || a.lost != b.lost || a.bad != b.bad || !slices.EqualFunc(a.defects, b.defects, func(x, y codec.Defect) bool {
		return fmt.Sprint(x) == fmt.Sprint(y)
	}) {
		return fmt.Errorf("ends differ: %v %d %d %v and %v %d %d %v", a.err, a.lost, a.bad, a.defects, b.err, b.lost, b.bad, b.defects)
	}
	return nil
}

func firstDifference(a, b []string) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			return i
		}
	}
	return -1
}

// read reads a stream from memory and from readers with short reads, checks that
// all give the same result, and returns it.
func read(t *testing.T, stream []byte, opt codec.Options) result {
	t.Helper()
	clipped := stream[:len(stream):len(stream)]
	before := bytes.Clone(stream)
	got := drain(codec.NewBytesReader(clipped, opt))
	if !bytes.Equal(before, stream) {
		t.Fatal("the reader wrote to its input")
	}
	for name, src := range map[string]io.Reader{
		"whole":    bytes.NewReader(stream),
		"one byte": iotest.OneByteReader(bytes.NewReader(stream)),
		"halves":   iotest.HalfReader(bytes.NewReader(stream)),
		"data+EOF": iotest.DataErrReader(bytes.NewReader(stream)),
	} {
		if err := equalResults(got, drain(codec.NewReader(src, opt))); err != nil {
			t.Fatalf("from memory and from %s: %v", name, err)
		}
	}
	return got
}
