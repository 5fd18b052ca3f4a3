package check

import (
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// timed is a row of a thread at a time.
type timed struct {
	thread, time uint64
	sorted       bool
}

// TestSortedBitOfUncompressedRows: the specification does not say which value of the bit
// means sorted. A broken order is an error if it is broken with both meanings.
func TestSortedBitOfUncompressedRows(t *testing.T) {
	for _, one := range []struct {
		name             string
		plain            bool
		rows             []timed
		errors, warnings string
	}{
		{"compressed", false, []timed{{1, 200, true}, {2, 100, true}}, "ORD-002 1", ""},
		{"with the usual meaning", true, []timed{{1, 200, true}, {2, 100, true}}, "", "UNC-005 1"},
		{"with the other meaning", true, []timed{{1, 200, false}, {2, 100, false}}, "", ""},
		{"with both meanings", true, []timed{{1, 200, true}, {1, 300, false}, {2, 100, true}}, "ORD-002 1", ""},
		{"with none", true, []timed{{1, 200, true}, {2, 300, false}}, "", ""},
	} {
		t.Run(one.name, func(t *testing.T) {
			r := check(t, sortedRows(one.plain, one.rows), Options{Ignore: []rule.ID{rule.ORD004}})
			expect.Equal(t, "errors", counts(r, rule.Error), one.errors)
			expect.Equal(t, "warnings", counts(r, rule.Warning), one.warnings)
		})
	}
}

// sortedRows is a trace with one block of these rows.
func sortedRows(plain bool, rows []timed) []byte {
	b := gen.NewBuilder(gen.BuilderOptions{Format: wire.V6, Trace: codec.Trace{
		SyncTime: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), TickFrequency: 1e9, PointerSize: 8,
	}})
	b.Plain = plain
	id := b.Metadata(&codec.Metadata{Provider: "Contoso", EventID: 1, Name: "Happened", Level: 4})
	for i := range uint64(2) {
		b.Thread(&codec.Thread{Index: i + 1, ProcessID: 1, ThreadID: 100 + i, HasProcessID: true, HasThreadID: true})
	}
	for _, row := range rows {
		b.Event(&codec.EventRow{MetadataID: id, CaptureThreadIndex: row.thread, ThreadIndex: row.thread,
			Processor: wire.UnknownProcessor, Timestamp: row.time, Sorted: row.sorted})
	}
	return b.Trace().Bytes()
}
