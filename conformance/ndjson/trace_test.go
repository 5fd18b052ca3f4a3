package ndjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

var update = flag.Bool("update", false, "write the golden files anew")

var all = ndjson.Options{Payload: true, Fields: true, Stacks: true, Rows: true}

// lines prints a complete trace.
func lines(t *testing.T, data []byte, opt ndjson.Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := print(ndjson.NewWriter(&out, opt), data); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// print prints a stream like the program.
func print(w *ndjson.Writer, data []byte) error {
	r := codec.NewBytesBlockReader(data, codec.Options{OnError: codec.Skip, Schemas: clr.Schemas, OnLost: func(l codec.Lost) { _ = w.Lost(l) }})
	trace, err := r.Trace()
	if err != nil {
		return err
	}
	_ = w.Trace(trace)
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		_ = w.Rows(b)
		for e, ok := r.NextEvent(); ok; e, ok = r.NextEvent() {
			_ = w.Rows(b)
			_ = w.Event(e)
		}
		_ = w.Rows(b)
	}
	return w.End(errors.Is(r.Err(), codec.ErrTruncated))
}

const (
	trace6 = `{"type":"trace","format":"6.0","pointerSize":8,"syncTime":"2025-02-03T04:05:06.000Z","syncTicks":"0","tickFrequency":"1000","properties":{}}`
	trace4 = `{"type":"trace","format":"4","pointerSize":8,"syncTime":"2025-02-03T04:05:06.000Z","syncTicks":"1000000","tickFrequency":"1000",` +
		`"properties":{"ProcessId":"1","HardwareThreadCount":"4","ExpectedCPUSamplingRate":"1000"}}`
	type6  = `{"type":"event","provider":"TestProvider","id":15,"version":0,"name":"TestEvent1","level":0,"opcode":0,"keywords":"0x0",`
	meta6  = `{"type":"metadata","id":1,"provider":"TestProvider","eventId":15,"name":"TestEvent1","version":0,"level":0,"keywords":"0x0"}`
	onThe6 = `"thread":"12","captureThread":"12","process":"84","threadIndex":"999","captureThreadIndex":"999","processor":0,`
)

// TestStreams prints small streams, written out by hand.
func TestStreams(t *testing.T) {
	for _, c := range []struct {
		name string
		opt  ndjson.Options
		want []string
	}{
		{"probe-01k-v4-real-gap-3", ndjson.Options{}, []string{trace4,
			`{"type":"event","provider":"TestProvider","id":15,"version":1,"name":"TestEvent1","level":5,"opcode":0,"keywords":"0x0",` +
				`"time":"1000100","thread":"999","captureThread":"999","process":"1","processor":0,"sequence":1}`,
			`{"type":"lost","captureThread":"999","count":"3","before":"1000101"}`,
			`{"type":"event","provider":"TestProvider","id":15,"version":1,"name":"TestEvent1","level":5,"opcode":0,"keywords":"0x0",` +
				`"time":"1000101","thread":"999","captureThread":"999","process":"1","processor":0,"sequence":5}`,
			`{"type":"end","events":2,"lost":"3","truncated":false}`}},
		{"probe-04f-v6-removethread-final-sequence-reports-3-lost", ndjson.Options{}, []string{trace6,
			type6 + `"time":"100","thread":"77","captureThread":"77","process":"84","threadIndex":"1","captureThreadIndex":"1","processor":0,"sequence":1}`,
			`{"type":"lost","captureThread":"77","captureThreadIndex":"1","count":"3"}`,
			`{"type":"end","events":1,"lost":"3","truncated":false}`}},
		{"probe-09a-v6-unknown-metadata-id", ndjson.Options{Rows: true}, []string{trace6, meta6,
			`{"type":"thread","index":"999","process":"84","thread":"12"}`,
			type6 + `"time":"100",` + onThe6 + `"sequence":1,"metadata":1}`,
			`{"type":"event","metadataId":77,"time":"101",` + onThe6 + `"sequence":2,"metadata":77}`,
			`{"type":"end","events":2,"lost":"0","truncated":false}`}},
		{"probe-09g-v6-unknown-capture-thread-first-event", ndjson.Options{}, []string{trace6,
			type6 + `"time":"100","thread":"12","process":"84","threadIndex":"999","captureThreadIndex":"1000","processor":0,"sequence":1}`,
			`{"type":"end","events":1,"lost":"0","truncated":false}`}},
		{"probe-09f-v6-unknown-thread-index", ndjson.Options{}, []string{trace6,
			type6 + `"time":"100","threadIndex":"1000","captureThreadIndex":"1000","processor":0,"sequence":1}`,
			`{"type":"end","events":1,"lost":"0","truncated":false}`}},
		{"probe-10s-v6-invalid-month-13", ndjson.Options{}, []string{
			strings.Replace(trace6, `"syncTime":"2025-02-03T04:05:06.000Z",`, "", 1),
			`{"type":"end","events":0,"lost":"0","truncated":false}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := lines(t, shared.Stream(t, c.name), c.opt)
			if want := strings.Join(c.want, "\n") + "\n"; got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

// TestGolden holds the first lines of traces of each version.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines int
	}{
		{"onecollect-small.v6", 1000},
		{"net10-tpl-activities.v4", 60},
		{"net10-netperf.v3", 16},
		{"net10-empty.v4", 1000},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := shared.Trace(t, c.name)
			got := strings.Join(first(lines(t, data, all), c.lines), "")
			golden(t, filepath.Join("testdata", c.name+".ndjson"), got)
		})
	}
}

// golden compares text with a file, which -update writes.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	a, b := strings.SplitAfter(got, "\n"), strings.SplitAfter(string(want), "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("%s differs in line %d (-update writes it anew)\n got %swant %s", file, i+1, a[i], b[i])
		}
	}
	t.Fatalf("%s has %d lines, there are %d now (-update writes it anew)", file, len(b), len(a))
}

func first(text string, n int) []string {
	list := strings.SplitAfter(text, "\n")
	return list[:min(n, len(list))]
}

// TestValid reads the lines of every corpora trace as JSON.
func TestValid(t *testing.T) {
	for _, entry := range shared.Corpora(t) {
		t.Run(entry.Name, func(t *testing.T) {
			t.Parallel()
			data := shared.Trace(t, entry.Name)
			checker := &validLines{t: t}
			if err := print(ndjson.NewWriter(checker, all), data); err != nil {
				t.Fatal(err)
			}
			if checker.events != entry.Events || !strings.HasPrefix(checker.last, `{"type":"end",`) {
				t.Errorf("%d event lines, want %d; the last line is %s", checker.events, entry.Events, checker.last)
			}
		})
	}
}

// validLines checks the lines written to it: they are JSON and UTF-8, and no
// object has a key twice. It checks the first ones and then samples.
type validLines struct {
	t      *testing.T
	count  int
	events int
	last   string
}

func (v *validLines) Write(b []byte) (int, error) {
	for line := range bytes.Lines(b) {
		v.count++
		if v.count <= 200 || v.count%64 == 0 {
			v.check(line)
		}
		if bytes.HasPrefix(line, []byte(`{"type":"event",`)) {
			v.events++
		}
		v.last = string(line)
	}
	return len(b), nil
}

func (v *validLines) check(line []byte) {
	expect.Equal(v.t, "json.Valid(line)", json.Valid(line), true)
	expect.Equal(v.t, "utf8.Valid(line)", utf8.Valid(line), true)
	expect.Equal(v.t, `bytes.HasSuffix(line, []byte("}\n"))`, bytes.HasSuffix(line, []byte("}\n")), true)
	expect.Stop(v.t)
	if err := uniqueKeys(json.NewDecoder(bytes.NewReader(line))); err != nil {
		v.t.Fatalf("line %d: %v: %s", v.count, err, line)
	}
}

// uniqueKeys reads one value and fails on an object with a key twice.
func uniqueKeys(dec *json.Decoder) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	open, ok := token.(json.Delim)
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	for dec.More() {
		if open == '{' {
			key, err := dec.Token()
			if err != nil {
				return err
			}
			if seen[key.(string)] {
				return fmt.Errorf("key %q twice", key)
			}
			seen[key.(string)] = true
		}
		if err := uniqueKeys(dec); err != nil {
			return err
		}
	}
	_, err = dec.Token()
	return err
}

// TestErrorKept: an error of the underlying writer is returned by every later
// call.
func TestErrorKept(t *testing.T) {
	broken := errors.New("disk full")
	w := ndjson.NewWriter(failing{broken}, ndjson.Options{})
	if err := w.Trace(&codec.Trace{}); err != nil {
		t.Errorf("a line that fits the buffer: %v", err)
	}
	for _, err := range []error{w.Flush(), w.Trace(&codec.Trace{}), w.Lost(codec.Lost{}), w.Rows(&codec.Block{}), w.End(false)} {
		t.Run(fmt.Sprint(err), func(t *testing.T) {
			if err != broken {
				t.Errorf("want %v", broken)
			}
		})
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestNoAllocation prints a trace with all kinds of lines; the second time reuses
// the memory of the first.
func TestNoAllocation(t *testing.T) {
	for _, name := range []string{"net10-mix-cpu.v4", "onecollect-small.v6"} {
		t.Run(name, func(t *testing.T) {
			data := shared.Trace(t, name)
			w := ndjson.NewWriter(discard{}, ndjson.Options{Payload: true, Fields: true, Stacks: true})
			r := codec.NewBytesReader(data, codec.Options{Schemas: clr.Schemas})
			trace, err := r.Trace()
			if err != nil {
				t.Fatal(err)
			}
			_ = w.Trace(trace)
			events := 0
			got := testing.AllocsPerRun(3, func() {
				r.ResetBytes(data)
				events = 0
				for e := range r.Events() {
					if e != nil {
						_ = w.Event(e)
						events++
					}
				}
			})
			if most := max(20, 0.001*float64(events)); got > most {
				t.Errorf("%v allocations for %d events, want at most %v", got, events, most)
			}
		})
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

func BenchmarkEvents(b *testing.B) {
	data := shared.Trace(b, "net10-mix-cpu.v4")
	for _, c := range []struct {
		name string
		opt  ndjson.Options
	}{
		{"stacks=false/payload=false/fields=false", ndjson.Options{}},
		{"stacks=true/payload=true/fields=false", ndjson.Options{Stacks: true, Payload: true}},
		{"stacks=false/payload=false/fields=true", ndjson.Options{Fields: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			w := ndjson.NewWriter(discard{}, c.opt)
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if err := print(w, data); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(57404*float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// TestLines: the lines of another Writer count in the end line.
func TestLines(t *testing.T) {
	var out bytes.Buffer
	w := ndjson.NewWriter(&out, ndjson.Options{})
	expect.NoError(t, w.Lost(codec.Lost{CaptureThread: 1, Count: 2}))
	part := ndjson.NewWriter(io.Discard, ndjson.Options{})
	part.Keep(make([]byte, 0, 10))
	expect.NoError(t, part.Lost(codec.Lost{CaptureThread: 3, Count: 5}))
	expect.NoError(t, part.Flush())
	expect.NoError(t, w.Lines(part.Kept(), 1, 5))
	expect.NoError(t, w.End(false))
	expect.Equal(t, "lines", out.String(), `{"type":"lost","captureThread":"1","count":"2"}`+"\n"+
		`{"type":"lost","captureThread":"3","count":"5"}`+"\n"+`{"type":"end","events":1,"lost":"7","truncated":false}`+"\n")
}
