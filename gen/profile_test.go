package gen_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/expect"
)

var update = flag.Bool("update", false, "write testdata/profiles.sha256 anew")

// shape has measurements of a trace.
type shape struct {
	events    int
	header    int // bytes of rows without payloads
	payload   int
	longest   int // payload
	flags     map[byte]int
	blocks    map[wire.Kind]int
	largest   int // body of an event block
	backwards int // rows older than the one before them in the block
	metadata  int
	pointer   int
	frequency uint64
	activity  int
	processor int // rows with a number
	lost      uint64
	stacks    int
	again     int // stacks that an earlier region has, too
	depth     int
	captures  map[uint64]bool
	threads   map[uint64]bool
}

func (s *shape) perEvent() float64 { return float64(s.header) / float64(s.events) }

// share is the part of rows with these flags, the sorted bit left out.
func (s *shape) share(flags ...byte) float64 {
	n := 0
	for _, f := range flags {
		n += s.flags[f]
	}
	return float64(n) / float64(s.events)
}

// bit is the part of rows with a flag.
func (s *shape) bit(flag byte) float64 {
	n := 0
	for f, count := range s.flags {
		if f&flag != 0 {
			n += count
		}
	}
	return float64(n) / float64(s.events)
}

// measure reads a trace to its end.
func measure(t *testing.T, data []byte, allowed rule.ID) (*shape, error) {
	s := &shape{flags: map[byte]int{}, blocks: map[wire.Kind]int{}, captures: map[uint64]bool{}, threads: map[uint64]bool{}}
	r := codec.NewBytesBlockReader(data, codec.Options{Schemas: clr.Schemas, OnDefect: func(e *codec.Error) {
		if e.Rule != allowed {
			t.Error(e)
		}
	}})
	seen := map[string]int{}
	var rows codec.BlockRows
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		s.blocks[b.Kind]++
		s.metadata += len(b.Metadata)
		switch b.Kind {
		case wire.KindEvent:
			s.largest = max(s.largest, len(b.Body))
			s.rows(t, r, b)
		case wire.KindStack:
			r.Rows(&rows)
			for _, row := range rows.Stacks {
				key := fmt.Sprint(row.Addresses)
				if seen[key] > 0 {
					s.again++
				}
				seen[key]++
				s.stacks++
				s.depth = max(s.depth, len(row.Addresses))
			}
		}
	}
	trace, err := r.Trace()
	if err != nil {
		return s, err
	}
	s.pointer, s.frequency, s.lost = trace.PointerSize, trace.TickFrequency, r.Lost()
	return s, r.Err()
}

func (s *shape) rows(t *testing.T, r *codec.BlockReader, b *codec.Block) {
	header := len(b.Body) - b.HeaderSize
	last, limits := uint64(0), [2]uint64{1<<64 - 1, 0}
	for e, ok := r.NextEvent(); ok; e, ok = r.NextEvent() {
		s.events++
		s.flags[e.RowFlags()&^wire.RowSorted]++
		size := len(e.Payload())
		s.payload, s.longest, header = s.payload+size, max(s.longest, size), header-size
		if e.Timestamp < last {
			s.backwards++
		}
		last = e.Timestamp
		limits = [2]uint64{min(limits[0], last), max(limits[1], last)}
		if !e.Activity().IsZero() {
			s.activity++
		}
		if e.Processor != wire.UnknownProcessor {
			s.processor++
		}
		s.captures[e.CaptureThreadIndex], s.threads[e.ThreadIndex] = true, true
		e.FieldsError() // a payload that does not fit is a defect
	}
	s.header += header
	if limits[0] < b.MinTimestamp || limits[1] > b.MaxTimestamp {
		t.Errorf("block at %d: rows from %d to %d", b.Offset, limits[0], limits[1])
	}
}

// looks has the expected measurements of a profile. The numbers are those of real
// traces, with a margin: reference/writers-and-peers.md, sections 1 and 2.
type looks struct {
	header  [2]float64 // bytes an event, v4
	header6 [2]float64 // likewise, v6
	payload [2]float64
	flags   map[byte][2]float64 // shares of rows
	bits    map[byte][2]float64 // shares of rows with a flag
	also    func(*shape) bool
}

var expected = map[string]looks{
	"cpu-sampling": {header: [2]float64{5.5, 7.2}, header6: [2]float64{5, 6.4}, payload: [2]float64{30, 90},
		flags: map[byte][2]float64{0x81: {0.27, 0.34}, 0x8D: {0.27, 0.34}, 0x01: {0.13, 0.18}, 0x80: {0.18, 0.25}},
		also: func(s *shape) bool {
			return len(s.captures) == 1 && len(s.threads) > 5 && s.depth > 40 && s.depth <= 71 && s.again*3 > s.stacks
		}},
	"rundown": {header: [2]float64{4.4, 5.8}, header6: [2]float64{4.4, 5.8}, payload: [2]float64{140, 300},
		flags: map[byte][2]float64{0x80: {0.69, 0.85}, 0x00: {0.10, 0.16}, 0x81: {0.03, 0.42}},
		also: func(s *shape) bool {
			return len(s.threads) == 1 && s.depth == 0 && s.largest > 90_000 && s.largest <= 102_419
		}},
	"steady": {header: [2]float64{3.4, 3.7}, header6: [2]float64{3.4, 3.7}, payload: [2]float64{8, 8},
		flags: map[byte][2]float64{0x00: {0.997, 1}},
		also:  func(s *shape) bool { return s.events/s.blocks[wire.KindEvent] == 1000 }},
	"idle": {header: [2]float64{22.5, 24.5}, header6: [2]float64{18, 20}, payload: [2]float64{8, 8},
		flags: map[byte][2]float64{0x8F: {1, 1}},
		also: func(s *shape) bool {
			return s.largest <= 52 && s.blocks[wire.KindEvent] == s.events && s.events/s.blocks[wire.KindSequencePoint] >= 101
		}},
	"gc-alloc": {header: [2]float64{4.4, 5.9}, header6: [2]float64{4.4, 5.9}, payload: [2]float64{40, 250},
		flags: map[byte][2]float64{0x81: {0.3, 0.6}, 0x89: {0.1, 0.4}}, bits: map[byte][2]float64{2: {0, 0.017}, 16: {0, 0.003}},
		also: func(s *shape) bool {
			return s.metadata >= 50 && len(s.captures) >= 10 && s.longest > 2000 && s.longest < 11_000 && s.backwards > 0 &&
				s.activity > 0 && s.activity*50 < s.events && s.processor == 0
		}},
	"drops": {header: [2]float64{4, 6}, header6: [2]float64{4, 6}, payload: [2]float64{8, 8},
		also: func(s *shape) bool { return s.lost > 1000 }},
	"32-bit": {header: [2]float64{5.5, 7.2}, header6: [2]float64{5, 6.4}, payload: [2]float64{30, 90},
		also: func(s *shape) bool { return s.pointer == 4 }},
	"macos": {header: [2]float64{6.8, 7.1}, header6: [2]float64{4.8, 5.2}, payload: [2]float64{4, 4},
		flags: map[byte][2]float64{0x0C: {0.9, 1}}, also: func(s *shape) bool { return s.frequency == 24e6 }},
	"windows": {header: [2]float64{4.4, 6}, header6: [2]float64{4.4, 6}, payload: [2]float64{40, 250},
		bits: map[byte][2]float64{2: {0.15, 0.25}},
		also: func(s *shape) bool { return s.processor == s.events && s.frequency == 3124099 }},
	"cut-object": {header: [2]float64{3.4, 3.7}, header6: [2]float64{3.4, 3.7}, payload: [2]float64{8, 8},
		also: func(s *shape) bool {
			return s.blocks[wire.KindEndOfStream] == 0 && s.blocks[wire.KindSequencePoint] == 1
		}},
	"cut-block": {header: [2]float64{3.4, 3.7}, header6: [2]float64{3.4, 3.7}, payload: [2]float64{8, 8},
		also: func(s *shape) bool { return s.blocks[wire.KindEndOfStream] == 0 }},
	"one-collect": {header6: [2]float64{11.8, 13}, payload: [2]float64{1, 5}, flags: map[byte][2]float64{0x9F: {1, 1}},
		also: func(s *shape) bool {
			return s.blocks[wire.KindMetadata] == 1 && s.blocks[wire.KindSequencePoint] == s.blocks[wire.KindEvent]+1 && len(s.captures) == 1
		}},
	"good-citizen": {header6: [2]float64{4.5, 6.2}, payload: [2]float64{5, 60}, bits: map[byte][2]float64{2: {0, 0.04}},
		also: func(s *shape) bool { return s.blocks[wire.KindRemoveThread] > 0 && s.blocks[wire.KindLabelList] > 0 }},
}

// order is the size of the tests' traces.
func order(format wire.Format) gen.Order { return gen.Order{Events: 20_000, Format: format, Seed: 1} }

// TestProfiles: each profile reads without a defect and has the shape that real
// traces of its kind have.
func TestProfiles(t *testing.T) {
	for _, p := range gen.Profiles() {
		for _, format := range p.Formats {
			t.Run(fmt.Sprintf("%s/v%d", p.Name, format.Major), func(t *testing.T) {
				var b bytes.Buffer
				if err := p.Write(&b, order(format)); err != nil {
					t.Fatal(err)
				}
				allowed := rule.None
				if p.Name == "one-collect" {
					allowed = rule.PAY003 // it adds two texts to its mappings that it does not declare
				}
				s, err := measure(t, b.Bytes(), allowed)
				expect.Equal(t, "p.Truncated", p.Truncated, errors.Is(err, codec.ErrTruncated))
				if !p.Truncated && err != nil {
					t.Error(err)
				}
				expect.Stop(t)
				s.compare(t, expected[p.Name], format)
			})
		}
	}
}

// compare compares a shape with the expected one.
func (s *shape) compare(t *testing.T, want looks, format wire.Format) {
	header := want.header
	if format.HasThreadTable() {
		header = want.header6
	}
	within := func(what string, got float64, limits [2]float64) {
		t.Helper()
		if got < limits[0] || got > limits[1] {
			t.Errorf("%s: %.4f is not in %v", what, got, limits)
		}
	}
	within("header bytes", s.perEvent(), header)
	within("payload bytes", float64(s.payload)/float64(s.events), want.payload)
	for f, limits := range want.flags {
		within(fmt.Sprintf("flags %02X", f), s.share(f), limits)
	}
	for f, limits := range want.bits {
		within(fmt.Sprintf("flag %02X", f), s.bit(f), limits)
	}
	if want.also != nil && !want.also(s) {
		t.Errorf("shape: %+v", s)
	}
	if s.events < 18_000 || s.events > 20_100 {
		t.Errorf("%d events", s.events)
	}
}

// TestProfileBytes: the same order gives the same bytes as before. With -update
// it writes the table.
func TestProfileBytes(t *testing.T) {
	const table = "testdata/profiles.sha256"
	var b bytes.Buffer
	for _, p := range gen.Profiles() {
		for _, format := range p.Formats {
			h := sha256.New()
			if err := p.Write(h, order(format)); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%x  %s v%d\n", h.Sum(nil), p.Name, format.Major)
		}
	}
	for seed := range int64(5) {
		fmt.Fprintf(&b, "%x  random %d\n", sha256.Sum256(gen.Random(seed).Bytes()), seed)
	}
	if *update {
		if err := os.WriteFile(table, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, b.Bytes()) {
		t.Errorf("the bytes differ from %s:\n%s", table, b.Bytes())
	}
}
