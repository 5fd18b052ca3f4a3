package longtrace_test

import (
	"fmt"
	"io"
	"testing"
	"testing/iotest"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/longtrace"
)

// TestCopies reads a few copies and compares each with the original.
func TestCopies(t *testing.T) {
	for _, name := range []string{"net10-tpl-activities.v4", "net10-mix-gc.v4"} {
		t.Run(name, func(t *testing.T) {
			stream := shared.Trace(t, name)
			f, err := longtrace.New(stream, int64(5*len(stream)))
			if err != nil {
				t.Fatal(err)
			}
			if f.Size() < int64(5*len(stream)) {
				t.Errorf("%d bytes", f.Size())
			}
			long := codec.NewReader(io.NewSectionReader(f, 0, f.Size()), codec.Options{})
			shift, last := uint64(0), uint64(0)
			for copies := 0; ; copies++ {
				short := codec.NewBytesReader(stream, codec.Options{})
				n := 0
				for want, ok := short.Next(); ok; want, ok = short.Next() {
					got, ok := long.Next()
					if !ok && n == 0 && copies > 1 && long.Err() == nil {
						return
					}
					if !ok {
						t.Fatalf("copy %d ends after %d events: %v", copies, n, long.Err())
					}
					if n == 0 {
						shift = got.Timestamp - want.Timestamp
					}
					expect.Equal(t, "Timestamp", got.Timestamp, want.Timestamp+shift)
					if copies > 0 && got.Timestamp <= last && n == 0 {
						t.Errorf("Timestamp: got %d, want more than %d of the copy before", got.Timestamp, last)
					}
					expect.Equal(t, "Provider()", got.Provider(), want.Provider())
					expect.Equal(t, "ThreadIndex", got.ThreadIndex, want.ThreadIndex)
					expect.Equal(t, "Activity()", got.Activity(), want.Activity())
					expect.Equal(t, "len(got.Stack())", len(got.Stack()), len(want.Stack()))
					expect.Bytes(t, "Payload()", got.Payload(), want.Payload())
					if t.Failed() {
						t.Fatalf("event %d of copy %d differs", n, copies)
					}
					n++
				}
				last = shift
			}
		})
	}
}

// TestReadAt: the bytes are the same, however they are read.
func TestReadAt(t *testing.T) {
	stream := shared.Trace(t, "net10-empty.v4")
	f, err := longtrace.New(stream, 20_000)
	if err != nil {
		t.Fatal(err)
	}
	whole := make([]byte, f.Size())
	if n, err := f.ReadAt(whole, 0); err != nil || n != len(whole) {
		t.Fatal(n, err)
	}
	if err := iotest.TestReader(io.NewSectionReader(f, 0, f.Size()), whole); err != nil {
		t.Error(err)
	}
}

// TestNotATrace: the error describes the fault of the short trace.
func TestNotATrace(t *testing.T) {
	stream := shared.Trace(t, "net10-empty.v4")
	for _, broken := range [][]byte{nil, []byte("#!/bin/sh\n"), stream[:len(stream)-1]} {
		t.Run(fmt.Sprintf("%d bytes", len(broken)), func(t *testing.T) {
			if _, err := longtrace.New(broken, 1000); err == nil {
				t.Errorf("no error of %d bytes", len(broken))
			}
		})
	}
}
