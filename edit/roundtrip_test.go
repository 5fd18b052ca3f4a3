package edit_test

import (
	"bytes"
	"context"
	"fmt"
	"hash/maphash"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// lineSums keeps the checksum of each written line, and the text of one line.
type lineSums struct {
	seed maphash.Seed
	sums []uint64
	keep int // the number of the line with a kept text
	text string
}

func (l *lineSums) Write(b []byte) (int, error) {
	for line := range bytes.Lines(b) {
		if len(l.sums) == l.keep {
			l.text = string(line)
		}
		l.sums = append(l.sums, maphash.Bytes(l.seed, line))
	}
	return len(b), nil
}

// canonical returns the checksums of the lines of canonical NDJSON, without the
// mark of a truncated stream, and the text of the line with a number.
func canonical(t *testing.T, data []byte, seed maphash.Seed, keep int) ([]uint64, string) {
	t.Helper()
	lines := &lineSums{seed: seed, keep: keep}
	w := ndjson.NewWriter(lines, ndjson.Options{Payload: true, Fields: true, Stacks: true})
	r := codec.NewBytesReader(data, codec.Options{OnError: codec.Skip, Schemas: clr.Schemas, OnLost: func(l codec.Lost) { _ = w.Lost(l) }})
	if trace, err := r.Trace(); err == nil {
		_ = w.Trace(trace)
	}
	for e, err := range r.Events() {
		if err == nil {
			_ = w.Event(e)
		}
	}
	if err := w.End(false); err != nil {
		t.Fatal(err)
	}
	return lines.sums, lines.text
}

// source is a stream whose lines others are compared with.
type source struct {
	data []byte
	seed maphash.Seed
	sums []uint64 // of its lines
}

func newSource(t *testing.T, data []byte) source {
	t.Helper()
	s := source{data: data, seed: maphash.MakeSeed()}
	s.sums, _ = canonical(t, data, s.seed, -1)
	return s
}

// sameLines compares a stream with its source, line by line.
func sameLines(t *testing.T, was source, is []byte) {
	t.Helper()
	a := was.sums
	b, _ := canonical(t, is, was.seed, -1)
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			_, want := canonical(t, was.data, was.seed, i)
			_, got := canonical(t, is, was.seed, i)
			t.Fatalf("line %d:\ngot  %swant %s", i+1, got, want)
		}
	}
}

// roundTrips are ways from v4 to v4.
var roundTrips = []struct {
	name string
	way  []edit.ConvertOptions
}{
	{"v4", []edit.ConvertOptions{{Format: wire.V4}}},
	{"v4 compact", []edit.ConvertOptions{{Format: wire.V4, Compact: true}}},
	{"v6 v4", []edit.ConvertOptions{{}, {Format: wire.V4}}},
	{"v6 compact v4", []edit.ConvertOptions{{Compact: true}, {Format: wire.V4}}},
}

// TestRoundTrip checks that a stream of v4 that was converted to v4, or to v6 and
// back, has the same canonical NDJSON: events with opcodes and array fields,
// losses in their places, the properties of the trace.
func TestRoundTrip(t *testing.T) {
	convertAll := func(t *testing.T, was source, way []edit.ConvertOptions) {
		t.Helper()
		is := was.data
		for _, opt := range way {
			var out bytes.Buffer
			if _, err := edit.Convert(context.Background(), &out, codec.NewBytesBlockReader(is, largeLimitsSkip), opt); err != nil {
				t.Fatal(err)
			}
			is = out.Bytes()
		}
		sameLines(t, was, is)
	}
	for _, name := range shared.Small(t) {
		if strings.HasSuffix(name, ".v3") || strings.HasSuffix(name, ".v6") {
			continue
		}
		was := newSource(t, shared.Trace(t, name))
		for i, c := range roundTrips {
			if len(was.data) > 10<<20 && i != 2 {
				continue // one way of the large ones is enough
			}
			t.Run(name+"/"+c.name, func(t *testing.T) { convertAll(t, was, c.way) })
		}
	}
	for _, example := range v4Cases(t) {
		was := newSource(t, example.Trace)
		for _, c := range roundTrips {
			t.Run(path.Base(example.Name)+"/"+c.name, func(t *testing.T) { convertAll(t, was, c.way) })
		}
	}
}

var largeLimitsSkip = func() codec.Options {
	opt := largeLimits
	opt.OnError = codec.Skip
	return opt
}()

// v4Cases are the conformance cases of v4 and v5 that readers may accept.
func v4Cases(t *testing.T) []cases.Case {
	t.Helper()
	list := slices.DeleteFunc(cases.Match("valid", "either"), func(c cases.Case) bool { return c.Version != "4" && c.Version != "5" })
	if len(list) == 0 {
		t.Fatal("no conformance case")
	}
	return list
}

// TestNoTags: metadata of v4 has tags where the source has opcodes and arrays.
// NoTags leaves them out and requires v4.
func TestNoTags(t *testing.T) {
	m := &codec.Metadata{ID: 1, Provider: "P", EventID: 1, Opcode: 2, OpcodeSet: true, Fields: []codec.Field{
		{Name: "n", Type: codec.Type{Code: wire.Int32}},
		{Name: "list", Type: codec.Type{Code: wire.Array, Element: &codec.Type{Code: wire.Int32}}},
	}}
	for _, format := range []wire.Format{wire.V5, wire.V6} {
		events := eventsOf(1, 1)
		events.Events[0].MetadataID = 3
		own := *m
		own.ID = 3
		blocks := []*codec.BlockRows{{Kind: wire.KindMetadata, Flags: wire.BlockCompressed, Metadata: []codec.MetadataBytes{{Metadata: &own}}}}
		if format.HasThreadTable() {
			blocks = append(blocks, threadRow(1, 7, 1))
		}
		data := stream(t, format.Major, append(blocks, events)...)
		for _, c := range []struct {
			name    string
			opt     edit.ConvertOptions
			opcode  uint8
			fields  int
			changes int
		}{
			{"v4", edit.ConvertOptions{Format: wire.V4}, 2, 2, 0},
			{"v5", edit.ConvertOptions{Format: wire.V5}, 2, 2, 0},
			{"no tags", edit.ConvertOptions{Format: wire.V4, NoTags: true}, 0, 1, 2},
		} {
			t.Run(c.name, func(t *testing.T) {
				out, list := convert(t, data, c.opt)
				e, ok := codec.NewBytesReader(out, codec.Options{}).Next()
				if !ok {
					t.Fatal("no event")
				}
				if got := e.Opcode(); got != c.opcode {
					t.Errorf("got opcode %d, want %d", got, c.opcode)
				}
				if got := len(e.Metadata().Fields); got != c.fields {
					t.Errorf("got %d fields, want %d", got, c.fields)
				}
				if len(list) != c.changes {
					t.Errorf("got changes %v, want %d", list, c.changes)
				}
			})
		}
		for _, opt := range []edit.ConvertOptions{{NoTags: true}, {NoTags: true, Format: wire.V6}, {NoTags: true, Format: wire.V5}} {
			t.Run(fmt.Sprintf("%+v", opt), func(t *testing.T) {
				if _, err := edit.Convert(context.Background(), &bytes.Buffer{}, codec.NewBytesBlockReader(data, codec.Options{}), opt); err == nil {
					t.Errorf("NoTags with format %v: got no error", opt.Format)
				}
			})
		}
	}
}

// TestNoProcess: a stream of v6 without a process has none in v4 either, nor in
// v6 again, and process 0 of v4 stays process 0.
func TestNoProcess(t *testing.T) {
	process := func(data []byte) (trace, event bool) {
		r := codec.NewBytesReader(data, codec.Options{})
		info, err := r.Trace()
		if err != nil {
			t.Fatal(err)
		}
		_, trace = info.ProcessID()
		e, ok := r.Next()
		if !ok {
			t.Fatal("no event")
		}
		_, event = e.ProcessID()
		return trace, event
	}
	data := defect(t, "no-process")
	for _, c := range roundTrips {
		t.Run(c.name, func(t *testing.T) {
			is := data
			for _, opt := range append([]edit.ConvertOptions{{}}, append(c.way, edit.ConvertOptions{})...) {
				is, _ = convert(t, is, opt)
				if trace, event := process(is); trace || event {
					t.Errorf("the trace has a process: %t, the event: %t; want none", trace, event)
				}
			}
		})
	}
	t.Run("preserved", func(t *testing.T) {
		v4, _ := convert(t, data, edit.ConvertOptions{Format: wire.V4})
		var out bytes.Buffer
		if err := edit.Preserve(context.Background(), &out, codec.NewBytesBlockReader(v4, codec.Options{})); err != nil || !bytes.Equal(out.Bytes(), v4) {
			t.Errorf("got %d bytes and error %v, want the same bytes", out.Len(), err)
		}
	})
	t.Run("process 0", func(t *testing.T) {
		zero := cases.Match("valid/trace/process-zero.v4")[0].Trace
		if trace, event := process(zero); !trace || !event {
			t.Errorf("the trace has a process: %t, the event: %t; want both", trace, event)
		}
	})
}
