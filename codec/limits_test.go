package codec_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// stacksV6 is a block of stacks from id 1 on, each of so many addresses.
func stacksV6(addresses ...int) []byte {
	b := bytesOf(uint32(1), uint32(len(addresses)))
	for _, n := range addresses {
		b = bytesOf(b, uint32(8*n), make([]byte, 8*n))
	}
	return b
}

// labelsV6 is a block of one list of n labels.
func labelsV6(n int) []byte {
	b := bytesOf(uint32(1), uint32(1))
	for range n - 1 {
		b = bytesOf(b, byte(wire.LabelOpcode), byte(1))
	}
	return bytesOf(b, byte(wire.LabelOpcode)|wire.LastLabel, byte(1))
}

// fieldsV6 is a stream of one metadata row with n fields of a type.
func fieldsV6(n int, code wire.TypeCode, rest ...any) []byte {
	list := make([][]byte, n)
	for i := range list {
		list[i] = field("", code, rest...)
	}
	return withFields(nil, list...)
}

// captures is a stream of v4 with a row on each of n threads.
func captures(n int) []byte {
	var rows [][]byte
	for i := range n {
		row := rowV4(1, 1, 2000, "", 0, 0)
		row[12], row[20] = byte(1+i), byte(1+i) // thread and capture thread
		rows = append(rows, row)
	}
	return newV4(4, 4).metadata(1, "E").block("EventBlock", eventBlock(0, rows...)).end()
}

// manyV6 is a stream of so many metadata rows and threads.
func manyV6(metadata, threads int) []byte {
	s := newV6()
	for i := range metadata {
		s.metadata(uint64(1+i), "E")
	}
	for i := range threads {
		s.thread(uint64(i), 1, 1)
	}
	return s.end()
}

// limitCases are streams that a limit just allows, and that it does not.
var limitCases = []struct {
	name       string
	limits     codec.Limits
	what       string
	rule       rule.ID
	fits, over []byte
}{
	{"block-v6", codec.Limits{Block: 100}, "Block", rule.LIM001,
		newV6().block(99, make([]byte, 100)).end(), newV6().block(99, make([]byte, 101)).end()},
	{"block-v4", codec.Limits{Block: 100}, "Block", rule.LIM001,
		newV4(4, 4).block("Later", make([]byte, 100)).end(), newV4(4, 4).block("Later", make([]byte, 101)).end()},
	{"metadata", codec.Limits{Metadata: 3}, "Metadata", rule.LIM002, manyV6(3, 0), manyV6(4, 0)},
	{"fields", codec.Limits{Fields: 3}, "Fields", rule.LIM003, fieldsV6(3, wire.Int32), fieldsV6(4, wire.Int32)},
	{"fields-nested", codec.Limits{Fields: 3}, "Fields", rule.LIM003,
		fieldsV6(1, wire.Object, uint16(2), sized(field("", wire.Int32)), sized(field("", wire.Int32))),
		fieldsV6(2, wire.Object, uint16(1), sized(field("", wire.Int32)))},
	{"nesting", codec.Limits{Nesting: 3}, "Nesting", rule.LIM004,
		fieldsV6(1, wire.Array, byte(wire.Array), byte(wire.Int32)),
		fieldsV6(1, wire.Array, byte(wire.Array), byte(wire.Array), byte(wire.Int32))},
	{"threads", codec.Limits{Threads: 3}, "Threads", rule.LIM007, manyV6(0, 3), manyV6(0, 4)},
	{"capture-threads", codec.Limits{Threads: 3}, "Threads", rule.LIM007, captures(3), captures(4)},
	{"stacks", codec.Limits{Stacks: 32}, "Stacks", rule.LIM006,
		newV6().block(wire.KindStack, stacksV6(1, 3)).end(), newV6().block(wire.KindStack, stacksV6(1, 4)).end()},
	{"labels", codec.Limits{Labels: 3}, "Labels", rule.LIM008,
		newV6().block(wire.KindLabelList, labelsV6(3)).end(), newV6().block(wire.KindLabelList, labelsV6(4)).end()},
	{"total-stacks", codec.Limits{Total: 1 << 20}, "Total", rule.LIM009,
		newV6().block(wire.KindStack, stacksV6(10000)).end(), newV6().block(wire.KindStack, stacksV6(200000)).end()},
	{"total-labels", codec.Limits{Total: 1 << 20}, "Total", rule.LIM009,
		newV6().block(wire.KindLabelList, labelsV6(1000)).end(), newV6().block(wire.KindLabelList, labelsV6(20000)).end()},
	{"total-metadata", codec.Limits{Total: 1 << 20}, "Total", rule.LIM009, manyV6(300, 0), manyV6(3000, 0)},
	{"total-threads", codec.Limits{Total: 1 << 20}, "Total", rule.LIM009, manyV6(0, 600), manyV6(0, 9000)},
}

// TestLimits: a value within a limit is read, one above it is a LimitError with
// the limit's name. Without the limit it is read too.
func TestLimits(t *testing.T) {
	for _, c := range limitCases {
		t.Run(c.name, func(t *testing.T) {
			if got := read(t, c.fits, codec.Options{Limits: c.limits}); got.err != nil {
				t.Errorf("within the limit: %v", got.err)
			}
			if got := read(t, c.over, codec.Options{Limits: unlimited}); got.err != nil {
				t.Errorf("without limits: %v", got.err)
			}
			got := drain(codec.NewBytesReader(c.over, codec.Options{Limits: c.limits}))
			expectLimit(t, got.err, c.what, c.rule)
			got = drain(codec.NewReader(bytes.NewReader(c.over), codec.Options{Limits: c.limits}))
			expectLimit(t, got.err, c.what, c.rule)
		})
	}
}

// TestLimitTotalOfSmall: a stream of few bytes exceeds a limit that is smaller.
func TestLimitTotalOfSmall(t *testing.T) {
	got := drain(codec.NewBytesReader(manyV6(2, 2), codec.Options{Limits: codec.Limits{Total: 1}}))
	expectLimit(t, got.err, "Total", rule.LIM009)
}

var unlimited = codec.Limits{Block: -1, Metadata: -1, Fields: -1, Nesting: -1, Threads: -1, Stacks: -1, Labels: -1, Reorder: -1, Total: -1}

func expectLimit(t *testing.T, err error, what string, id rule.ID) {
	t.Helper()
	var limit *codec.LimitError
	var e *codec.Error
	switch {
	case !errors.Is(err, codec.ErrLimit) || !errors.As(err, &limit) || !errors.As(err, &e):
		t.Errorf("%v, want a LimitError", err)
	case limit.Name != what || limit.Size <= limit.Limit || e.Rule != id:
		t.Errorf("%v by %v: size %d, limit %d; want %s", limit.Name, e.Rule, limit.Size, limit.Limit, what)
	}
}

// waiting is a stream of v4 whose events all wait for the end of their region,
// with times that go back.
func waiting(n int) []byte {
	s := newV4(4, 4).metadata(1, "E")
	for i := range n {
		s.block("EventBlock", eventBlock(0, rowV4(1|wire.NotSortedBit, uint32(1+i), uint64(1<<20-i), "", 0, 0)))
	}
	return s.end()
}

// TestLimitBlockByDefault: a block as large as the default allows is read from a
// source, though the buffer grows, and Total counts it.
func TestLimitBlockByDefault(t *testing.T) {
	const size = 16<<20 - 100
	s := newV4(4, 4).metadata(1, "E").block("EventBlock", eventBlock(0, rowV4(1, 1, 1, string(make([]byte, size)), 0, 0)))
	r := codec.NewReader(bytes.NewReader(s.end()), codec.Options{})
	e, ok := r.Next()
	if !ok || len(e.Payload()) != size {
		t.Fatal(ok, r.Err())
	}
	if _, ok = r.Next(); ok || r.Err() != nil {
		t.Error(ok, r.Err())
	}
	r.Reset(bytes.NewReader(waiting(3))) // the large buffer is not kept for it
	if got := drain(r); len(got.events) != 3 || got.err != nil {
		t.Error(len(got.events), got.err)
	}
}

// expectEarly reads events that all wait. All are delivered; without memory some
// are late, which is reported once.
func expectEarly(t *testing.T, n int, limits codec.Limits, early bool) {
	t.Helper()
	r := codec.NewBytesReader(waiting(n), codec.Options{Order: codec.ByTime, Limits: limits})
	got := drain(r)
	reported := len(got.defects) == 1 && got.defects[0].Rule == rule.LIM010 && got.defects[0].Count == 1
	expect.Equal(t, "len(got.events)", len(got.events), n)
	expect.Equal(t, "err", got.err, nil)
	expect.Equal(t, "reported", reported, early)
	if (r.OutOfOrder() > 0) != early {
		t.Errorf("%+v: %d events, %v, %d late, defects %v", limits, len(got.events), got.err, r.OutOfOrder(), got.defects)
	}
}

// TestLimitReorder: events above the limit are delivered late.
func TestLimitReorder(t *testing.T) {
	expectEarly(t, 300, codec.Limits{Reorder: 1 << 20}, false)
	expectEarly(t, 300, codec.Limits{Reorder: 4 << 10}, true)
}

// TestLimitReorderByDefault: more events wait than the default allows, in small
// rows, and all of them are delivered.
func TestLimitReorderByDefault(t *testing.T) {
	const n, atOnce = 300000, 1000
	s := newV4(4, 4).metadata(1, "E")
	rows := make([][]byte, atOnce)
	for i := range n {
		rows[i%atOnce] = rowV4(1|wire.NotSortedBit, uint32(1+i), 1<<40-uint64(i), "", 0, 0)
		if i%atOnce == atOnce-1 {
			s.block("EventBlock", eventBlock(0, rows...))
		}
	}
	r := codec.NewReader(bytes.NewReader(s.end()), codec.Options{Order: codec.ByTime})
	for _, ok := r.Next(); ok; _, ok = r.Next() {
	}
	defects := r.Defects()
	expect.Equal(t, "Count()", r.Count(), n)
	expect.Equal(t, "Err()", r.Err(), nil)
	expect.Len(t, "defects", defects, 1)
	expect.Equal(t, "defects[0].Rule", defects[0].Rule, rule.LIM010)
}

// TestLimitTotalOfIndex: an index holds something for each block, however small.
func TestLimitTotalOfIndex(t *testing.T) {
	s := newV6()
	for range 10000 {
		s.block(wire.KindRemoveThread, []byte{})
	}
	b := s.end()
	for limit, over := range map[int64]bool{0: false, 1 << 20: true} {
		t.Run(fmt.Sprintf("limit=%v", limit), func(t *testing.T) {
			x, err := codec.NewIndex(bytes.NewReader(b), int64(len(b)), codec.Options{Limits: codec.Limits{Total: limit}})
			if err != nil {
				t.Fatal(err)
			}
			if n := len(x.Blocks()); over {
				expectLimit(t, x.Err(), "Total", rule.LIM009)
				if n < 5000 || n >= 9000 {
					t.Errorf("%d blocks", n)
				}
			} else if x.Err() != nil || n != 10001 {
				t.Errorf("%d blocks, %v", n, x.Err())
			}
		})
	}
}

// TestLimitTotalByTime: waiting events count against the total. When it is
// reached, they are delivered early, as at the limit of their own.
func TestLimitTotalByTime(t *testing.T) {
	expectEarly(t, 1000, codec.Limits{Total: 1 << 20}, false)
	expectEarly(t, 1000, codec.Limits{Total: 64 << 10}, true)
}

// TestLimitLabelsByDefault: as many labels as the default allows, in one block.
func TestLimitLabelsByDefault(t *testing.T) {
	const n = 262144
	lists := bytes.Repeat([]byte{byte(wire.LabelOpcode) | wire.LastLabel, 1}, n)
	if got := drain(codec.NewBytesReader(newV6().block(wire.KindLabelList, uint32(1), uint32(n), lists).end(), codec.Options{})); got.err != nil {
		t.Error(got.err)
	}
}

// TestLimitDeliversDecoded: events that were decoded before a limit is exceeded
// are delivered, also after rows with notices.
func TestLimitDeliversDecoded(t *testing.T) {
	s := newV6().thread(0, 1, 1)
	for id := range uint64(3) {
		fields := bytes.Repeat(bytesOf(uint16(2), byte(0), byte(wire.Byte)), 5000)
		s.metadataRow(varuint(1+id), text("P"), varuint(1), text("E"), uint16(5000), fields, uint16(0))
	}
	var rows [][]byte
	for i := range uint32(200) {
		rows = append(rows, rowV6(1+i%4, 1+i, 0, 0, 0, 2000, 0, "a")) // 4 is not defined
	}
	b := s.block(wire.KindEvent, eventBlock(0, rows...)).end()
	for _, order := range []codec.Order{codec.FileOrder, codec.ByTime} {
		t.Run(fmt.Sprintf("order=%v", order), func(t *testing.T) {
			r := codec.NewBytesReader(b, codec.Options{Order: order, Limits: codec.Limits{Total: 4 << 20}})
			n, without := int64(0), 0
			for e, ok := r.Next(); ok; e, ok = r.Next() {
				if n++; codec.RuleOf(e.FieldsError()) == rule.LIM009 {
					without++
				}
			}
			expect.Equal(t, "n", n, 200)
			expect.Equal(t, "Count()", r.Count(), n)
			expect.NotZero(t, "without", without)
			expectLimit(t, r.Err(), "Total", rule.LIM009)
		})
	}
}

// planned is a stream of n types with so many fields, and an event of each.
func planned(n, fields int) []byte {
	s := newV6().thread(0, 1, 1)
	list := bytesOf(uint16(fields))
	for range fields {
		list = bytesOf(list, uint16(2), byte(0), byte(wire.Byte))
	}
	var rows [][]byte
	for i := range n {
		s.metadataRow(varuint(uint64(1+i)), text("P"), varuint(1), text("E"), list, uint16(0))
		rows = append(rows, rowV6(uint32(1+i), uint32(1+i), 0, 0, 0, 2000, 0, "a"))
	}
	return s.block(wire.KindEvent, eventBlock(0, rows...)).end()
}

// TestLimitTotalPlans: the plans of payloads count against the total when they
// are made, not before. Without memory for a plan events have no fields.
func TestLimitTotalPlans(t *testing.T) {
	limits := codec.Limits{Total: 16 << 20}
	stream := planned(20, 2000)
	if got := drain(codec.NewBytesReader(stream, codec.Options{Limits: limits})); got.err != nil || len(got.events) != 20 {
		t.Fatalf("without a look at the fields: %d events, %v", len(got.events), got.err)
	}
	r := codec.NewBytesReader(stream, codec.Options{Limits: limits})
	with, without := 0, 0
	for e, ok := r.Next(); ok; e, ok = r.Next() {
		clone := e.Clone()
		for range e.Fields() {
			with++
			break
		}
		if codec.RuleOf(e.FieldsError()) == rule.LIM009 {
			without++
			if codec.RuleOf(clone.FieldsError()) != rule.LIM009 || fmt.Sprint(fieldOf(e, "")) != fmt.Sprint(codec.Value{}) {
				t.Errorf("clone: %v", clone.FieldsError())
			}
		}
	}
	expectLimit(t, r.Err(), "Total", rule.LIM009)
	expect.NotZero(t, "with", with)
	expect.NotZero(t, "without", without)
	expect.Equal(t, "with+without", with+without, 20)
	r.ResetBytes(planned(2, 200))
	for e, ok := r.Next(); ok; e, ok = r.Next() {
		if codec.RuleOf(e.FieldsError()) == rule.LIM009 {
			t.Error("no memory after Reset")
		}
	}
	if err := r.Err(); err != nil {
		t.Error(err)
	}
}
