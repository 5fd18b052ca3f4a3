package record_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/eventpipe/record"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// outcome is the result of Run.
type outcome struct {
	record.Report
	err error
}

// recorded records a stream in a file and returns its content.
func recorded(t *testing.T, src io.Reader, compression record.Compression) ([]byte, outcome) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	file, err := record.NewFile(f, compression)
	if err != nil {
		t.Fatal(err)
	}
	report, reason := record.New(record.Options{}).Run(context.Background(), src, file)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data, outcome{report, reason}
}

// read reads a trace to its end mark and returns the number of its events and
// of those that are lost.
func read(t *testing.T, data []byte) (events int64, lost uint64) {
	t.Helper()
	r := codec.NewBytesReader(data, codec.Options{})
	for _, err := range r.Events() {
		if err != nil {
			t.Fatal(err)
		}
	}
	return r.Count(), r.Lost()
}

// completeRows returns the number of complete event rows of a stream, which may
// be truncated.
func completeRows(t *testing.T, data []byte) int64 {
	t.Helper()
	r := codec.NewBytesReader(data, codec.Options{OnError: codec.Skip})
	for range r.Events() {
	}
	return r.Count()
}

// TestWhole: the recording of a complete stream has its bytes.
func TestWhole(t *testing.T) {
	for _, name := range shared.Small(t) {
		t.Run(name, func(t *testing.T) {
			data := shared.Trace(t, name)
			got, report := recorded(t, bytes.NewReader(data), record.Uncompressed)
			r := codec.NewBytesReader(data, codec.Options{OnError: codec.Skip})
			providers := map[string]bool{}
			for e, err := range r.Events() {
				if err == nil {
					providers[e.Provider()] = true
				}
			}
			if trailing, _ := r.TrailingBytes(); r.Err() != nil || trailing > 0 {
				return // TestCut, TestFraming
			}
			expect.Bytes(t, "result", got, data)
			expect.Equal(t, "report.Complete()", report.Complete(), true)
			expect.Equal(t, "report.Dropped", report.Dropped, 0)
			expect.Equal(t, "report.Events", report.Events, r.Count())
			expect.Equal(t, "report.Lost", report.Lost, r.Lost())
			expect.Equal(t, "report.Bytes", report.Bytes, int64(len(data)))
			for name := range providers {
				expect.Equal(t, "report.Providers has "+name, slices.Contains(report.Providers, name), true)
			}
		})
	}
}

// TestPacked: compressed files hold the same bytes, in many frames.
func TestPacked(t *testing.T) {
	data := shared.Trace(t, "net10-mix-locks.v4")
	for compression, unpack := range map[record.Compression]func(io.Reader) (io.Reader, error){
		record.Zstd: func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) },
		record.Gzip: func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	} {
		t.Run(fmt.Sprint(compression), func(t *testing.T) {
			packed, report := recorded(t, bytes.NewReader(data), compression)
			r, err := unpack(bytes.NewReader(packed))
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(r)
			expect.NoError(t, err)
			expect.Bytes(t, "result", got, data)
			expect.Equal(t, "report.Complete()", report.Complete(), true)
		})
	}
}

// TestCut truncates streams at many offsets: the file is complete, and has every
// complete row.
func TestCut(t *testing.T) {
	for _, name := range []string{"net10-counters.v4", "net10-mix-gcheap.v4", "net10-netperf.v3", "onecollect-small.v6"} {
		t.Run(name, func(t *testing.T) {
			data := shared.Trace(t, name)
			step := max(1, len(data)/120)
			for n := 0; n < len(data); n += step {
				got, report := recorded(t, bytes.NewReader(data[:n]), record.Uncompressed)
				if len(got) == 0 {
					if n > 200 {
						t.Fatalf("nothing of %d bytes", n)
					}
					continue
				}
				events, _ := read(t, got)
				if want := completeRows(t, data[:n]); events != want && !(strings.HasSuffix(name, ".v3") && events <= want) {
					t.Fatalf("%s truncated at %d: %d events, %d complete rows; %+v", name, n, events, want, report)
				}
				if report.Complete() || report.Ended || report.err != nil {
					t.Fatalf("%s truncated at %d: %+v", name, n, report)
				}
				if lost := int64(n+1+3) - int64(len(got)); report.Dropped < 0 || report.Dropped > lost {
					t.Fatalf("%s truncated at %d: %d dropped, %d in the file", name, n, report.Dropped, len(got))
				}
			}
		})
	}
}

// TestSource: errors of the source are returned unchanged, and slow sources give
// the same file.
func TestSource(t *testing.T) {
	data := shared.Trace(t, "net10-counters.v4")
	broken := errors.New("broken")
	_, report := recorded(t, io.MultiReader(bytes.NewReader(data[:50_000]), iotest.ErrReader(broken)), record.Uncompressed)
	if !errors.Is(report.err, broken) || report.Complete() {
		t.Errorf("%+v; want the source's error", report)
	}
	for i, src := range []io.Reader{iotest.OneByteReader(bytes.NewReader(data)), iotest.DataErrReader(bytes.NewReader(data))} {
		t.Run([]string{"byte by byte", "end with data"}[i], func(t *testing.T) {
			if got, report := recorded(t, src, record.Uncompressed); !bytes.Equal(got, data) || !report.Complete() {
				t.Errorf("%d bytes of %d, %+v", len(got), len(data), report)
			}
		})
	}
}

// endless is a source that repeats data after its first bytes, and counts the
// bytes that were read.
type endless struct {
	first, again []byte
	read         int
}

func (e *endless) Read(p []byte) (int, error) {
	if len(e.first) == 0 {
		e.first = e.again
	}
	n := copy(p, e.first)
	e.first, e.read = e.first[n:], e.read+n
	return n, nil
}

// TestMalformed: a recording ends where the stream is malformed, with the reason
// and with the blocks before that place, and reads no more although the source
// never ends.
func TestMalformed(t *testing.T) {
	data := shared.Trace(t, "net10-counters.v4")
	border := bytes.LastIndex(data, []byte("\x05\x05\x01")) // the start of the last object
	changed := func(at int, b byte) []byte {
		bad := bytes.Clone(data)
		bad[at] = b
		return bad
	}
	name := bytes.LastIndex(data, []byte("EventBlock"))
	named := bytes.LastIndex(data[:name], []byte("\x05\x05\x01"))
	size := name + len("EventBlock") + 1 // after the end of the type
	for _, c := range []struct {
		name   string
		stream []byte
		start  int // of the malformed object; the bytes before it are kept
		want   string
	}{
		{"no trace", []byte(strings.Repeat("no trace at all ", 20)), 0, "not a NetTrace stream"},
		{"a tag", changed(border, 9), border, "NT4-OBJ-002"},
		{"the name of a block", changed(name, 'e'), named, `unknown type "eventBlock"`},
		{"a size above the limit", changed(size+3, 0x7F), named, "limit"},
		{"a negative size", changed(size+3, 0xFF), named, "NT4-OBJ-008"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := &endless{first: c.stream, again: make([]byte, 1<<16)}
			got, report := recorded(t, src, record.Uncompressed)
			var fault *codec.Error
			if !errors.As(report.err, &fault) || !strings.Contains(report.err.Error(), c.want) {
				t.Errorf("the error is %v, want one with %q", report.err, c.want)
			}
			if report.Complete() || report.Ended {
				t.Errorf("the recording is reported as complete: %+v", report)
			}
			if over := src.read - len(c.stream); over > 1<<20 {
				t.Errorf("%d bytes read after the stream, want at most 1 MiB", over)
			}
			if report.Bytes != int64(src.read) || report.Dropped != int64(src.read-c.start) {
				t.Errorf("%d bytes, %d dropped, want %d and %d", report.Bytes, report.Dropped, src.read, src.read-c.start)
			}
			if c.start == 0 {
				return
			}
			if !bytes.Equal(got, append(bytes.Clone(data[:c.start]), 1)) {
				t.Errorf("the file has %d bytes, want the %d before the fault and an end mark", len(got), c.start)
			}
			if _, lost := read(t, got); lost != 0 || report.Lost != 0 {
				t.Errorf("%d events lost, reported %d, want 0", lost, report.Lost)
			}
		})
	}
}

// TestAfterEndMark: nothing is read after the end mark, so a source that never
// ends does not keep the recording open.
func TestAfterEndMark(t *testing.T) {
	data := shared.Trace(t, "net10-counters.v4")
	got, report := recorded(t, &endless{first: data, again: make([]byte, 1<<16)}, record.Uncompressed)
	if !bytes.Equal(got, data) || !report.Complete() {
		t.Errorf("%d bytes of %d, %+v", len(got), len(data), report)
	}
}

// TestBadBlock: a block with malformed rows is kept and reported once, and the
// recording continues.
func TestBadBlock(t *testing.T) {
	data := bytes.Clone(shared.Trace(t, "net10-counters.v4"))
	at := bytes.LastIndex(data, []byte("EventBlock"))
	body := at + len("EventBlock") + 5
	body += -body & 3
	data[body+20] = 0xFF // the flags of the first row
	for i := range 12 {
		data[body+21+i] = 0xFF // a VarInt without an end
	}
	calls := 0
	opt := record.Options{OnBadBlock: func(error) { calls++ }}
	path := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	file, err := record.NewFile(f, record.Uncompressed)
	if err != nil {
		t.Fatal(err)
	}
	report, _ := record.New(opt).Run(context.Background(), bytes.NewReader(data), file)
	if got, _ := os.ReadFile(path); !bytes.Equal(got, data) {
		t.Errorf("the file has %d bytes, want the %d of the stream", len(got), len(data))
	}
	var bad *codec.Error
	expect.Equal(t, "calls", calls, 1)
	expect.Equal(t, "report.BadBlocks", report.BadBlocks, 1)
	if !errors.As(report.BadBlock, &bad) {
		t.Fatalf("error: got %v, want a %T", report.BadBlock, bad)
	}
	expect.AtMost(t, "bad.BlockOffset", bad.BlockOffset, int64(at))
}

// TestCanceled: a canceled context ends the recording after a block, and the
// received blocks are in the file.
func TestCanceled(t *testing.T) {
	data := shared.Trace(t, "net10-deep.v4")
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	file, err := record.NewFile(f, record.Uncompressed)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	enough := errors.New("enough")
	blocks := 0
	opt := record.Options{OnBlock: func() {
		if blocks++; blocks == 5 {
			cancel(enough)
		}
	}}
	report, err := record.New(opt).Run(ctx, bytes.NewReader(data), file)
	expect.ErrorIs(t, err, enough)
	expect.Equal(t, "report.Ended", report.Ended, false)
	expect.Equal(t, "report.Complete()", report.Complete(), false)
	expect.Equal(t, "blocks", blocks, 5)
	got, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	if events, _ := read(t, got); events == 0 || events != report.Events {
		t.Errorf("the file has %d events, want %d", events, report.Events)
	}
}
