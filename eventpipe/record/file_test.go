package record

import (
	"bytes"
	"errors"
	"io"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// disk is a file in memory with room for so many bytes, which shows each of its
// states.
type disk struct {
	data  []byte
	room  int // -1: no bound
	state func([]byte)
}

func (d *disk) Write(b []byte) (int, error) { return d.WriteAt(b, int64(len(d.data))) }

func (d *disk) WriteAt(b []byte, at int64) (int, error) {
	n := len(b)
	if d.room >= 0 {
		n = max(0, min(n, d.room-int(at)))
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

// TestAtRest: between two writes the file is whole, also a compressed one.
func TestAtRest(t *testing.T) {
	data := shared.Trace(t, "net10-mix-locks.v4")
	for _, packing := range []Packing{Plain, Zstd, Gzip} {
		states, last := 0, int64(0)
		d := &disk{room: -1, state: func(state []byte) {
			plain := state
			if packing == Zstd {
				dec, _ := zstd.NewReader(nil)
				plain, _ = dec.DecodeAll(state, nil)
			} else if packing == Gzip {
				return
			}
			n := rowsOf(t, plain)
			if n < last {
				t.Fatalf("%d events after %d", n, last)
			}
			states, last = states+1, n
		}}
		file, err := newFile(d, true, packing)
		if err != nil {
			t.Fatal(err)
		}
		report := New(Options{}).Run(bytes.NewReader(data), file)
		if !report.Whole() || packing != Gzip && (states < 3 || last != report.Events) {
			t.Errorf("packing %d: %d states, %d events; %+v", packing, states, last, report)
		}
	}
}

// TestFull: a disk that is full after any number of bytes keeps a whole file, and
// the stream is read to its end.
func TestFull(t *testing.T) {
	data := shared.Trace(t, "net10-counters.v4")
	for room := 0; room < len(data)+8; room += 4999 {
		d := &disk{room: room}
		file, err := newFile(d, true, Plain)
		if err != nil {
			t.Fatal(err)
		}
		src, told := bytes.NewReader(data), 0
		report := New(Options{OnFull: func(error) { told++ }}).Run(src, file)
		if src.Len() > 0 {
			t.Fatalf("room %d: %d bytes were not read", room, src.Len())
		}
		if room >= len(data) {
			if !report.Whole() {
				t.Fatalf("room %d: %+v", room, report)
			}
			continue
		}
		if !errors.Is(report.Full, ErrFull) || !errors.Is(report.Full, syscall.ENOSPC) || report.Whole() || told > 1 {
			t.Fatalf("room %d: %+v", room, report)
		}
		if len(d.data) == 0 {
			if room > 2000 {
				t.Fatalf("room %d: nothing in the file", room)
			}
			continue
		}
		rowsOf(t, d.data)
		if got, want := report.Dropped, int64(len(data)-len(d.data)); got != want {
			t.Fatalf("room %d: %d bytes dropped, %d are missing", room, got, want)
		}
	}
}

// TestPipe: what is no regular file gets one end mark, at the end.
func TestPipe(t *testing.T) {
	data := shared.Trace(t, "net10-counters.v4")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	file, err := NewFile(w, Plain)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		New(Options{}).Run(bytes.NewReader(data), file)
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
	d := &disk{room: -1, state: func(state []byte) { seen <- rowsOf(t, state) }}
	file, err := newFile(d, true, Plain)
	if err != nil {
		t.Fatal(err)
	}
	in, feed := io.Pipe()
	done := make(chan Report)
	go func() { done <- New(Options{}).Run(in, file) }()
	_, _ = feed.Write(data[:len(data)/2])
	select {
	case n := <-seen:
		if n == 0 {
			t.Error("no event")
		}
	case <-time.After(20 * writeEvery):
		t.Error("nothing in the file")
	}
	feed.Close()
	<-done
}
