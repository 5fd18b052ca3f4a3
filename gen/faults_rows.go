package gen

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// eventBlockFaults are faults in the headers of event blocks.
var eventBlockFaults = []Fault{
	{Name: "event-block-short", Rule: rule.EVB001, Reader: rule.EVB001, Versions: in456, inject: func(s *template) {
		i := s.part(roleValues)
		s.bad[i].body, s.fault = s.bad[i].body[:10], place{i, 0}
	}},
	{Name: "header-size-19", Rule: rule.EVB002, Reader: rule.EVB002, Versions: in456, inject: set(roleValues, header, "HeaderSize", 19, 0)},
	{Name: "header-past-block", Rule: rule.EVB002, Reader: rule.EVB002, Versions: in456, inject: set(roleValues, header, "HeaderSize", 0xFF, 0x7F)},
	{Name: "header-extension", Rule: rule.EVB003, Versions: in456, inject: func(s *template) {
		set(roleValues, header, "HeaderSize", 24, 0)(s)
		p := &s.bad[s.fault.part]
		p.body = slices.Insert(p.body, 20, 9, 9, 9, 9)
	}},
	{Name: "block-flag", Rule: rule.EVB004, Versions: in456, inject: change(roleRows, header, "Flags", func(b []byte) { b[0] |= 2 })},
	{Name: "no-rows", Rule: rule.EVB005, Reader: rule.EVB005, Versions: in456, inject: func(s *template) {
		i := s.part(roleValues)
		block := slices.Clone(s.bad[i].body[:20])
		s.bad = slices.Insert(s.bad, i, s.bad[i])
		s.bad[i].body, s.fault = block, place{i, -1}
	}},
	{Name: "min-above-max", Rule: rule.EVB007, Versions: in456, inject: change(roleValues, header, "MinTimestamp", add64(templateEnd))},
	{Name: "row-before-min", Rule: rule.EVB008, Versions: in456, inject: change(roleValues, header, "MinTimestamp", add64(1))},
	{Name: "row-behind-max", Rule: rule.EVB008, Versions: in456, inject: change(roleValues, header, "MaxTimestamp", add64(-1))},
	{Name: "min-not-exact", Rule: rule.EVB009, Versions: in456, inject: change(roleValues, header, "MinTimestamp", add64(-1))},
	{Name: "max-not-exact", Rule: rule.EVB009, Versions: in456, inject: change(roleValues, header, "MaxTimestamp", add64(1))},
	{Name: "times-zero", Rule: rule.EVB010, Versions: in456, inject: func(s *template) {
		set(roleValues, header, "MaxTimestamp", u64(0)...)(s)
		set(roleValues, header, "MinTimestamp", u64(0)...)(s)
	}},
	{Name: "max-never-updated", Rule: rule.EVB011, Versions: in456, inject: set(roleValues, header, "MaxTimestamp", u64(math.MaxUint64)...)},
	{Name: "metadata-max-not-exact", Rule: rule.EVB012, Versions: in45,
		inject: change(roleSpareMetadata, header, "MaxTimestamp", add64(-1))},
}

// compressedFaults are faults in compressed rows.
var compressedFaults = []Fault{
	{Name: "varuint-past-block", Rule: rule.CMP001, Reader: rule.CMP001, Versions: in456, inject: func(s *template) {
		i, l, f := s.find(roleValues, last, "TimeStamp", 0)
		s.faultAt(i, l, f.Row, f.Pos)
		s.bad[i].body = s.bad[i].body[:f.Pos+1]
	}},
	{Name: "varuint32-too-large", Rule: rule.CMP002, Reader: rule.CMP002, Versions: in456,
		inject: set(roleRows, 2, "MetadataId", 0xFF, 0xFF, 0xFF, 0xFF, 0x1F)},
	{Name: "varuint32-too-long", Rule: rule.CMP002, Reader: rule.CMP002, Versions: in456,
		inject: lengthen(roleRows, 2, "StackId", 6)},
	{Name: "varuint64-too-large", Rule: rule.CMP003, Reader: rule.CMP003, Versions: in456,
		inject: set(roleRows, 2, "ThreadIndex", 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2)},
	{Name: "varuint-overlong", Rule: rule.CMP004, Versions: in456, inject: lengthen(roleRows, 2, "StackId", 3)},
	{Name: "related-in-v6", Rule: rule.CMP005, Versions: in6,
		inject: change(roleRows, 2, "EventRow.Flags", func(b []byte) { b[0] |= wire.RowRelated })},
	{Name: "payload-past-block", Rule: rule.CMP006, Reader: rule.CMP006, Versions: in456,
		inject: at(roleRows, last, "Payload", set(roleRows, last, "PayloadSize", 0x7F))},
	{Name: "first-row-without-metadata", Rule: rule.CMP007, Reader: rule.REF001, Versions: in456, inject: func(s *template) {
		i, l, f := s.find(roleRows, 0, "EventRow.Flags", 0)
		_, _, id := s.find(roleRows, 0, "MetadataId", 0)
		s.faultAt(i, l, 0, f.Pos)
		s.bad[i].body[f.Pos] &^= wire.RowMetadataID
		s.bad[i].body = slices.Delete(s.bad[i].body, id.Pos, id.Pos+id.Size)
	}},
	{Name: "metadata-zero", Rule: rule.CMP014, Reader: rule.REF001, Versions: in45, inject: set(roleRows, 2, "MetadataId", 0)},
	{Name: "processor-high", Rule: rule.CMP015, Versions: in456, inject: set(roleRows, 2, "ProcessorNumber", 99)},
}

// plainFaults are faults in rows that are not compressed.
var plainFaults = []Fault{
	{Name: "event-size-small", Rule: rule.UNC001, Reader: rule.UNC001, Versions: in45,
		inject: change(rolePlain, 2, "EventSize", add32(-4))},
	{Name: "event-size-not-the-sum", Rule: rule.UNC002, Reader: rule.UNC002, Versions: in6,
		inject: change(rolePlain, 2, "EventSize", add32(-1))},
	{Name: "row-past-block", Rule: rule.UNC003, Reader: rule.UNC003, Versions: in456,
		inject: change(rolePlain, last, "EventSize", add32(400))},
	{Name: "row-header-past-block", Rule: rule.UNC003, Reader: rule.UNC003, Versions: in456, inject: func(s *template) {
		i, l, f := s.find(rolePlain, last, "EventSize", 0)
		s.faultAt(i, l, f.Row, f.Pos)
		s.bad[i].body = s.bad[i].body[:f.Pos+20]
	}},
	{Name: "plain-metadata-zero", Rule: rule.UNC006, Reader: rule.REF001, Versions: in456,
		inject: change(rolePlain, 2, "MetadataId", func(b []byte) { b[0] = 0 })},
}

// orderFaults are faults in times, and in the header fields that bound them.
var orderFaults = []Fault{
	{Name: "time-back-on-thread", Rule: rule.ORD001, Versions: in456,
		inject: row(roleRows, 3, "TimeStamp", func(e, before *codec.EventRow) { e.Timestamp = before.Timestamp - 50 })},
	{Name: "sorted-too-early", Rule: rule.ORD002, Versions: in456,
		inject: change(roleRows, 3, "EventRow.Flags", func(b []byte) { b[0] |= wire.RowSorted })},
	{Name: "thread-changes-unsorted", Rule: rule.ORD004, Versions: in456,
		inject: change(roleRows, 1, "EventRow.Flags", func(b []byte) { b[0] &^= wire.RowSorted })},
	{Name: "forty-days-later", Rule: rule.ORD006, Versions: in456, inject: func(s *template) {
		const later = 40 * 24 * 60 * 60 * 1e9
		change(roleLastPoint, header, "TimeStamp", add64(later))(s)
		change(roleFinalPoint, header, "TimeStamp", add64(later))(s)
		row(roleValues, 4, "TimeStamp", func(e, _ *codec.EventRow) { e.Timestamp += later })(s)
	}},
	{Name: "event-before-trace", Rule: rule.ORD005, Versions: in456, inject: func(s *template) {
		before := s.trace.Blocks[0].Trace.SyncTicks - 1
		row(roleRows, 0, "TimeStamp", func(e, _ *codec.EventRow) { e.Timestamp = before })(s)
	}},
}

// row changes a row of an event block; the function also gets the row before it.
func row(role string, n int, name string, how func(e, before *codec.EventRow)) func(*template) {
	return rows(role, n, name, func(e []codec.EventRow) []codec.EventRow {
		how(&e[n], &e[max(n-1, 0)])
		return e
	})
}

// loseRow leaves a row of an event block out.
func loseRow(role string, n int) func(*template) {
	return rows(role, n, "SequenceNumber", func(e []codec.EventRow) []codec.EventRow { return slices.Delete(e, n, n+1) })
}

// sequenceFaults are faults in sequence numbers.
var sequenceFaults = []Fault{
	{Name: "number-skipped", Rule: rule.SEQ001, Versions: in456, inject: loseRow(roleRows, 2)},
	{Name: "number-repeated", Rule: rule.SEQ002, Reader: rule.SEQ002, Versions: in6,
		inject: row(roleRows, 3, "SequenceNumber", func(e, before *codec.EventRow) { e.Sequence = before.Sequence })},
	{Name: "number-repeated-v4", Rule: rule.SEQ004, Reader: rule.SEQ004, Versions: in45,
		inject: row(roleRows, 3, "SequenceNumber", func(e, before *codec.EventRow) { e.Sequence = before.Sequence })},
	{Name: "number-back-to-zero", Rule: rule.SEQ004, Reader: rule.SEQ004, Versions: in45,
		inject: row(roleRows, 3, "SequenceNumber", func(e, _ *codec.EventRow) { e.Sequence = 0 })},
	{Name: "number-restarts", Rule: rule.SEQ010, Reader: rule.SEQ002, Versions: in6,
		inject: set(roleValues, 0, "SequenceNumber", 0)},
	{Name: "number-restarts-v4", Rule: rule.SEQ003, Versions: in45, inject: set(roleValues, 0, "SequenceNumber", 0)},
	{Name: "first-number-skipped", Rule: rule.SEQ005, Versions: in456,
		inject: at(rolePlain, last, "SequenceNumber", loseRow(roleRows, 0))},
}

// referenceFaults are faults in references to metadata.
var referenceFaults = []Fault{
	{Name: "unknown-metadata", Rule: rule.REF001, Reader: rule.REF001, Versions: in456, inject: set(roleRows, 2, "MetadataId", 77)},
	{Name: "metadata-too-late", Rule: rule.REF002, Reader: rule.REF001, Versions: in456, inject: set(roleRows, 2, "MetadataId", 4)},
}

// payloadFaults are faults in payloads of event type 2.
var payloadFaults = []Fault{
	{Name: "payload-short", Rule: rule.PAY001, Reader: rule.PAY001, Versions: in456, inject: payload(0, func(p []byte) []byte { return p[:2] })},
	{Name: "payload-long", Rule: rule.PAY003, Reader: rule.PAY003, Versions: in456, inject: func(s *template) {
		n := len(s.trace.Blocks[s.part(roleValues)].Events[2].Payload)
		payload(n, func(p []byte) []byte { return append(p, 9) })(s)
	}},
	{Name: "boolean-of-one-byte", Rule: rule.PAY002, Versions: in45,
		inject: payload(0, func(p []byte) []byte { return slices.Delete(p, 1, 4) })},
	{Name: "payload-large", Rule: rule.PAY017, Versions: in45,
		inject: payload(0, func(p []byte) []byte { return slices.Insert(p, 4, bytes.Repeat([]byte{'x', 0}, 33_000)...) })},
	{Name: "locators-overlap", Rule: rule.PAY014, Versions: in6, inject: payload(34, func(p []byte) []byte { p[36] = 6; return p })},
	{Name: "boolean-2", Rule: rule.PAY005, Versions: in456, inject: payload(0, func(p []byte) []byte { p[0] = 2; return p })},
	{Name: "text-without-end", Rule: rule.PAY006, Reader: rule.PAY006, Versions: in456,
		inject: payload(4, func(p []byte) []byte { return p[:12] })},
	{Name: "unpaired-surrogate", Rule: rule.PAY007, Versions: in456,
		inject: payload(4, func(p []byte) []byte { p[5] = 0xD8; return p })},
	{Name: "array-past-payload", Rule: rule.PAY008, Reader: rule.PAY008, Versions: in56,
		inject: payload(18, func(p []byte) []byte { binary.LittleEndian.PutUint16(p[16:], 99); return p })},
	{Name: "array-not-utf8", Rule: rule.PAY009, Versions: in6, inject: payload(28, func(p []byte) []byte { p[28] = 0xFF; return p })},
	{Name: "varuint-of-payload", Rule: rule.PAY010, Reader: rule.PAY010, Versions: in6, inject: payload(31, func(p []byte) []byte {
		for i := 31; i < 42; i++ {
			p[i] |= 0x80
		}
		return p
	})},
	{Name: "relloc-past-payload", Rule: rule.PAY011, Reader: rule.PAY011, Versions: in6, inject: payload(34, func(p []byte) []byte { p[34] = 90; return p })},
	{Name: "dataloc-past-payload", Rule: rule.PAY012, Reader: rule.PAY012, Versions: in6, inject: payload(38, func(p []byte) []byte { p[38] = 90; return p })},
	{Name: "locator-not-whole", Rule: rule.PAY013, Reader: rule.PAY013, Versions: in6, inject: payload(34, func(p []byte) []byte { p[36] = 3; return p })},
}

// payload changes the payload of the last event of type 2. The fault is at a
// position in it.
func payload(pos int, how func([]byte) []byte) func(*template) {
	return func(s *template) {
		row(roleValues, 2, "Payload", func(e, _ *codec.EventRow) { e.Payload = how(slices.Clone(e.Payload)) })(s)
		s.fault.pos += pos
	}
}
