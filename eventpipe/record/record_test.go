package record_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/eventpipe/record"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// recorded records a stream in a file and returns what is in it.
func recorded(t *testing.T, src io.Reader, packing record.Packing) ([]byte, record.Report) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	file, err := record.NewFile(f, packing)
	if err != nil {
		t.Fatal(err)
	}
	report := record.New(record.Options{}).Run(src, file)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data, report
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

// wholeRows is the number of whole event rows of a stream, also of one that is
// cut.
func wholeRows(t *testing.T, data []byte) int64 {
	t.Helper()
	r := codec.NewBytesReader(data, codec.Options{OnError: codec.Skip})
	for range r.Events() {
	}
	return r.Count()
}

// TestWhole: what is recorded of a whole stream are its bytes.
func TestWhole(t *testing.T) {
	for _, name := range shared.Small(t) {
		data := shared.Trace(t, name)
		got, report := recorded(t, bytes.NewReader(data), record.Plain)
		r := codec.NewBytesReader(data, codec.Options{OnError: codec.Skip})
		for range r.Events() {
		}
		if trailing, _ := r.TrailingBytes(); r.Err() != nil || trailing > 0 {
			continue // TestCut, TestFraming
		}
		if !bytes.Equal(got, data) || !report.Whole() || report.Dropped != 0 {
			t.Errorf("%s: %d bytes of %d, %+v", name, len(got), len(data), report)
		}
		if report.Events != r.Count() || report.Lost != r.Lost() || report.Bytes != int64(len(data)) {
			t.Errorf("%s: %+v; want %d events, %d lost", name, report.Stats, r.Count(), r.Lost())
		}
	}
}

// TestPacked: compressed files hold the same bytes, in many frames.
func TestPacked(t *testing.T) {
	data := shared.Trace(t, "net10-mix-locks.v4")
	for packing, unpack := range map[record.Packing]func(io.Reader) (io.Reader, error){
		record.Zstd: func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) },
		record.Gzip: func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	} {
		packed, report := recorded(t, bytes.NewReader(data), packing)
		r, err := unpack(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(got, data) || !report.Whole() {
			t.Errorf("packing %d: %d bytes of %d, %v, %+v", packing, len(got), len(data), err, report)
		}
	}
}

// TestCut cuts streams at many places: the file is whole, and has every row that
// came whole.
func TestCut(t *testing.T) {
	for _, name := range []string{"net10-counters.v4", "net10-mix-gcheap.v4", "net10-netperf.v3", "onecollect-small.v6"} {
		data := shared.Trace(t, name)
		step := max(1, len(data)/120)
		for n := 0; n < len(data); n += step {
			got, report := recorded(t, bytes.NewReader(data[:n]), record.Plain)
			if len(got) == 0 {
				if n > 200 {
					t.Fatalf("%s: nothing of %d bytes", name, n)
				}
				continue
			}
			events, _ := read(t, got)
			if want := wholeRows(t, data[:n]); events != want && !(strings.HasSuffix(name, ".v3") && events <= want) {
				t.Fatalf("%s cut at %d: %d events, %d rows came whole; %+v", name, n, events, want, report)
			}
			if report.Whole() || report.Ended || report.Err != nil {
				t.Fatalf("%s cut at %d: %+v", name, n, report)
			}
			if lost := int64(n+1+3) - int64(len(got)); report.Dropped < 0 || report.Dropped > lost {
				t.Fatalf("%s cut at %d: %d dropped, %d in the file", name, n, report.Dropped, len(got))
			}
		}
	}
}

// TestSource: errors of the stream come out untouched, slow streams give the same.
func TestSource(t *testing.T) {
	data := shared.Trace(t, "net10-counters.v4")
	broken := errors.New("broken")
	_, report := recorded(t, io.MultiReader(bytes.NewReader(data[:50_000]), iotest.ErrReader(broken)), record.Plain)
	if !errors.Is(report.Err, broken) || report.Whole() {
		t.Errorf("%+v; want the source's error", report)
	}
	for _, src := range []io.Reader{iotest.OneByteReader(bytes.NewReader(data)), iotest.DataErrReader(bytes.NewReader(data))} {
		if got, report := recorded(t, src, record.Plain); !bytes.Equal(got, data) || !report.Whole() {
			t.Errorf("%d bytes of %d, %+v", len(got), len(data), report)
		}
	}
}

// TestFraming: behind broken framing the stream is read on, and said to be
// dropped.
func TestFraming(t *testing.T) {
	data := shared.Trace(t, "net10-counters.v4")
	bad := bytes.Clone(data)
	at := bytes.LastIndex(bad, []byte("\x05\x05\x01"))
	bad[at] = 9
	got, report := recorded(t, bytes.NewReader(bad), record.Plain)
	read(t, got)
	var fault *codec.Error
	if !errors.As(report.Err, &fault) || report.Dropped != int64(len(data)-at) || len(got) != at+1 {
		t.Errorf("%d bytes, %+v; want the bytes from %d on dropped", len(got), report, at)
	}
	if _, report := recorded(t, strings.NewReader("no trace at all, not even nearly"), record.Plain); report.Err == nil || report.Dropped != 32 {
		t.Errorf("%+v; want 32 bytes dropped", report)
	}
}
