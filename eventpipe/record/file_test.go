package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// disk is a file in memory with a capacity in bytes. It calls a function after
// each change.
type disk struct {
	data  []byte
	space int // -1: no bound
	once  int // a larger write fails and writes nothing; 0: no bound
	state func([]byte)

	reserves bool // space can be allocated
	short    int  // a write writes at most this number of bytes and returns no error; 0: all
}

func (d *disk) Free() (int64, error) { return int64(d.space), nil }

func (d *disk) Reserve(from, size int64) error {
	switch {
	case !d.reserves:
		return errors.ErrUnsupported
	case from+size > int64(d.space):
		return syscall.ENOSPC
	}
	return nil
}

func (d *disk) Write(b []byte) (int, error) { return d.WriteAt(b, int64(len(d.data))) }

func (d *disk) WriteAt(b []byte, at int64) (int, error) {
	if d.short > 0 && len(b) > d.short {
		d.data = append(d.data[:at], b[:d.short]...)
		return d.short, nil
	}
	n := len(b)
	if d.once > 0 && n > d.once {
		return 0, syscall.ENOSPC
	}
	if d.space >= 0 {
		n = max(0, min(n, d.space-int(at)))
	}
	for len(d.data) < int(at)+n {
		d.data = append(d.data, 0)
	}
	copy(d.data[at:], b[:n])
	if d.state != nil && n == len(b) {
		d.state(d.data)
	}
	if n < len(b) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

func (d *disk) Truncate(size int64) error {
	d.data = d.data[:size]
	return nil
}

func (d *disk) Size() (int64, error) { return int64(len(d.data)), nil }

func rowsOf(t *testing.T, data []byte) int64 {
	t.Helper()
	r := codec.NewBytesReader(data, codec.Options{})
	for _, err := range r.Events() {
		if err != nil {
			t.Fatalf("%d bytes: %v", len(data), err)
		}
	}
	return r.Count()
}

// TestAtRest: the file is complete between two writes, also when it is
// compressed.
func TestAtRest(t *testing.T) {
	data := shared.Trace(t, "net10-mix-locks.v4")
	for _, compression := range []Compression{Uncompressed, Zstd, Gzip} {
		t.Run(fmt.Sprint(compression), func(t *testing.T) {
			states, last := 0, int64(0)
			d := &disk{space: -1, state: func(state []byte) {
				plain := state
				if compression == Zstd {
					dec, _ := zstd.NewReader(nil)
					plain, _ = dec.DecodeAll(state, nil)
				} else if compression == Gzip {
					return
				}
				n := rowsOf(t, plain)
				if n < last {
					t.Fatalf("%d events after %d", n, last)
				}
				states, last = states+1, n
			}}
			file, err := newFile(d, true, compression)
			if err != nil {
				t.Fatal(err)
			}
			report, _ := New(Options{}).Run(context.Background(), bytes.NewReader(data), file)
			expect.Equal(t, "report.Complete()", report.Complete(), true)
			if compression != Gzip && (states < 3 || last != report.Events) {
				t.Errorf("compression %d: %d states, %d events; %+v", compression, states, last, report)
			}
		})
	}
}

// TestFull: when a disk is full after any number of bytes, the file is complete
// and the stream is read to its end.
func TestFull(t *testing.T) {
	data := shared.Trace(t, "net10-counters.v4")
	for space := 0; space < len(data)+8; space += 4999 {
		d := &disk{space: space}
		file, err := newFile(d, true, Uncompressed)
		if err != nil {
			t.Fatal(err)
		}
		src, reported := bytes.NewReader(data), 0
		report, _ := New(Options{OnFull: func(error) { reported++ }}).Run(context.Background(), src, file)
		if src.Len() > 0 {
			t.Fatalf("capacity %d: %d bytes were not read", space, src.Len())
		}
		if space >= len(data) {
			if !report.Complete() {
				t.Fatalf("capacity %d: %+v", space, report)
			}
			continue
		}
		expect.ErrorIs(t, report.Full, ErrFull)
		expect.ErrorIs(t, report.Full, syscall.ENOSPC)
		expect.Equal(t, "report.Complete()", report.Complete(), false)
		expect.AtMost(t, "calls of OnFull", reported, 1)
		if t.Failed() {
			t.Fatalf("capacity %d: %+v", space, report)
		}
		if len(d.data) == 0 {
			if space > 2000 {
				t.Fatalf("capacity %d: nothing in the file", space)
			}
			continue
		}
		rowsOf(t, d.data)
		if got, want := report.Dropped, int64(len(data)-len(d.data)); got != want {
			t.Fatalf("capacity %d: %d bytes dropped, %d are missing", space, got, want)
		}
	}
}

// TestShortWrite: a write that writes less without an error has failed.
func TestShortWrite(t *testing.T) {
	for _, regular := range []bool{true, false} {
		file, err := newFile(&disk{space: -1, short: 1000}, regular, Uncompressed)
		expect.NoError(t, err)
		report, _ := New(Options{}).Run(t.Context(), bytes.NewReader(shared.Trace(t, "net10-mix-gc.v4")), file)
		expect.ErrorIs(t, report.Full, io.ErrShortWrite)
		expect.Equal(t, "complete", report.Complete(), false)
	}
}

// TestKeepsNames: a full disk has the names of methods, which come last in the stream. What is
// left out counts as lost, and check finds no fault.
func TestKeepsNames(t *testing.T) {
	stream := shared.Trace(t, "sarif-net8.v4")
	count := func(data []byte) (names, others int64, lost uint64) {
		r := codec.NewBytesReader(data, codec.Options{Strict: true})
		for e, err := range r.Events() {
			expect.NoError(t, err)
			if isRundown(e.Provider()) {
				names++
			} else {
				others++
			}
		}
		return names, others, r.Lost()
	}
	allNames, allOthers, _ := count(stream)
	for _, c := range []Compression{Uncompressed, Zstd} {
		d := &disk{space: len(stream) * 9 / 10, reserves: true}
		if c == Zstd {
			d.space = len(stream) / 8
		}
		file, err := newFile(d, true, c)
		expect.NoError(t, err)
		stopped := 0
		report, _ := New(Options{OnFull: func(error) { stopped++ }}).Run(t.Context(), bytes.NewReader(stream), file)
		expect.ErrorIs(t, report.Full, ErrFull)
		expect.Equal(t, "calls of OnFull", stopped, 1)
		names, others, lost := count(unpacked(t, d.data, c))
		expect.Equal(t, "names", names, allNames)
		expect.Equal(t, "other events and losses", others+int64(lost), allOthers)
		expect.AtMost(t, "other events", others, allOthers-1)
	}
}

// TestFullOnce: a disk that is full while the stream goes on is reported once.
func TestFullOnce(t *testing.T) {
	file, err := newFile(&disk{space: 1000}, true, Uncompressed)
	expect.NoError(t, err)
	reported := 0
	report, _ := New(Options{OnFull: func(error) { reported++ }}).Run(t.Context(), bytes.NewReader(shared.Trace(t, "net10-mix-gc.v4")), file)
	expect.ErrorIs(t, report.Full, ErrFull)
	expect.Equal(t, "calls of OnFull", reported, 1)
}

// TestFilled: when a disk is full after any number of bytes, the file has all
// complete events that fit, uncompressed and compressed.
func TestFilled(t *testing.T) {
	data := shared.Trace(t, "net10-counters.v4")
	for _, c := range []struct {
		name        string
		compression Compression
		step        int
	}{{"plain", Uncompressed, 1009}, {"zstd", Zstd, 509}, {"gzip", Gzip, 509}} {
		t.Run(c.name, func(t *testing.T) {
			for space := 0; space < len(data); space += c.step {
				d := &disk{space: space}
				file, err := newFile(d, true, c.compression)
				if err != nil {
					t.Fatal(err)
				}
				if report, _ := New(Options{}).Run(context.Background(), bytes.NewReader(data), file); report.Complete() {
					return // all of it fits
				}
				plain := unpacked(t, d.data, c.compression)
				if len(plain) == 0 {
					if space > 1000 {
						t.Fatalf("capacity %d: the file is empty", space)
					}
					continue
				}
				got := rowsOf(t, plain)
				if want := completeEvents(data[:len(plain)-1]); got < want {
					t.Fatalf("capacity %d: %d events, want %d", space, got, want)
				}
				if next := eventEnd(data, got+1); c.compression == Uncompressed && next+2 <= space {
					t.Fatalf("capacity %d: %d events, but the next one ends at %d", space, got, next)
				}
			}
		})
	}
}

// TestFilledInPieces: a disk that refuses large writes is filled by small ones.
func TestFilledInPieces(t *testing.T) {
	data := shared.Trace(t, "net10-counters.v4")
	d := &disk{space: 30_000, once: 4096}
	file, err := newFile(d, true, Uncompressed)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = New(Options{}).Run(context.Background(), bytes.NewReader(data), file)
	if next := eventEnd(data, rowsOf(t, d.data)+1); next+2 <= d.space {
		t.Errorf("the file has %d bytes of %d, but the next event ends at %d", len(d.data), d.space, next)
	}
}

// unpacked returns the plain bytes of a file.
func unpacked(t *testing.T, data []byte, compression Compression) []byte {
	t.Helper()
	if compression == Uncompressed || len(data) == 0 {
		return data
	}
	var r io.Reader
	var err error
	if compression == Zstd {
		r, err = zstd.NewReader(bytes.NewReader(data))
	} else {
		r, err = gzip.NewReader(bytes.NewReader(data))
	}
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// completeEvents counts the events of a truncated stream.
func completeEvents(data []byte) int64 {
	r := codec.NewBytesReader(data, codec.Options{})
	for range r.Events() {
	}
	return r.Count()
}

// eventEnd returns the length of the shortest prefix of a stream that holds so
// many complete events.
func eventEnd(data []byte, n int64) int {
	return sort.Search(len(data), func(size int) bool { return completeEvents(data[:size]) >= n })
}

// TestChanged: a file that another program truncates ends the recording.
func TestChanged(t *testing.T) {
	data := shared.Trace(t, "net10-mix-locks.v4")
	d := &disk{space: -1}
	d.state = func([]byte) {
		if len(d.data) > 200_000 {
			d.data = d.data[:100]
			d.state = nil
		}
	}
	file, err := newFile(d, true, Uncompressed)
	if err != nil {
		t.Fatal(err)
	}
	report, _ := New(Options{}).Run(context.Background(), bytes.NewReader(data), file)
	if !errors.Is(report.Full, ErrChanged) {
		t.Errorf("Full = %v, want %v", report.Full, ErrChanged)
	}
	if report.Complete() {
		t.Error("the report is complete")
	}
}

// TestMarkRemoved: a file that only lost its end mark is continued, because the next
// write adds another one.
func TestMarkRemoved(t *testing.T) {
	d := &disk{space: -1}
	file, err := newFile(d, true, Uncompressed)
	expect.NoError(t, err)
	for _, block := range []string{"first", "second"} {
		expect.NoError(t, file.WriteBlocks([]byte(block)))
		file.flushLate()
		d.data = d.data[:file.end]
	}
	expect.NoError(t, file.Close())
	expect.Equal(t, "blocks", string(d.data), "firstsecond")
}

// TestPipe: a file that is not regular gets one end mark, at the end.
func TestPipe(t *testing.T) {
	data := shared.Trace(t, "net10-counters.v4")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	file, err := NewFile(w, Uncompressed)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = New(Options{}).Run(context.Background(), bytes.NewReader(data), file)
		w.Close()
	}()
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes of %d, %v", len(got), len(data), err)
	}
}

// TestPrompt: a block that came is in the file soon, though nothing follows.
func TestPrompt(t *testing.T) {
	data := shared.Trace(t, "net10-counters.v4")
	seen := make(chan int64, 100)
	d := &disk{space: -1, state: func(state []byte) { seen <- rowsOf(t, state) }}
	file, err := newFile(d, true, Uncompressed)
	if err != nil {
		t.Fatal(err)
	}
	in, feed := io.Pipe()
	done := make(chan Report)
	go func() { report, _ := New(Options{}).Run(context.Background(), in, file); done <- report }()
	_, _ = feed.Write(data[:len(data)/2])
	select {
	case n := <-seen:
		if n == 0 {
			t.Error("no event")
		}
	case <-time.After(time.Minute):
		t.Error("nothing in the file")
	}
	feed.Close()
	<-done
}
