package check

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestDefects: the errors and warnings of traces with one defect each, and the
// information that must be among their findings.
func TestDefects(t *testing.T) {
	for _, one := range []struct {
		file, errors, warnings, information string
	}{
		{"object-name-nul", "OBJ-007 1", "", "EOS-008 1"},
		{"object-name-not-ascii", "OBJ-007 1", "", "CMP-008 1"},
		{"label-block-count-0", "", "", "LBL-017 1, THR-013 1"},
		{"sequence-repeats", "SEQ-006 1", "", "SQP-010 1, STK-017 1, THR-013 1"},
		{"sequence-repeats-then-counts", "SEQ-002 2", "", "STK-017 1, THR-013 1"},
	} {
		t.Run(one.file, func(t *testing.T) {
			stream, err := os.ReadFile(filepath.Join("testdata", "defects", one.file+".nettrace"))
			expect.NoError(t, err)
			r := check(t, stream, Options{Profile: Lint})
			expect.Equal(t, "errors", counts(r, rule.Error), one.errors)
			expect.Equal(t, "warnings", counts(r, rule.Warning), one.warnings)
			expect.Equal(t, "information", counts(r, rule.Information), one.information)
		})
	}
}

// TestNumbersThatNeverCount: sequence numbers that stay the same are an error,
// except for numbers 1 before version 6, which may be those of new threads.
func TestNumbersThatNeverCount(t *testing.T) {
	for _, one := range []struct {
		name             string
		format           wire.Format
		numbers          []uint32
		errors, warnings string
	}{
		{"1 in v6", wire.V6, []uint32{1, 1, 1}, "SEQ-006 1", ""},
		{"0 in v6", wire.V6, []uint32{0, 0, 0}, "SEQ-006 1", ""},
		{"1 in v4", wire.V4, []uint32{1, 1, 1}, "", "SEQ-006 1"},
		{"0 in v4", wire.V4, []uint32{0, 0, 0}, "SEQ-006 1", ""},
		{"1, 2, 1, 2 in v6", wire.V6, []uint32{1, 2, 1, 2}, "SEQ-010 1", ""},
		{"1, 1, 2, 2 in v6", wire.V6, []uint32{1, 1, 2, 2}, "SEQ-002 2", ""},
		{"1, 1, 2 in v4", wire.V4, []uint32{1, 1, 2}, "", ""},
	} {
		t.Run(one.name, func(t *testing.T) {
			r := check(t, numbered(one.format, one.numbers), Options{})
			expect.Equal(t, "errors", counts(r, rule.Error), one.errors)
			expect.Equal(t, "warnings", counts(r, rule.Warning), one.warnings)
		})
	}
}

// numbered returns a trace whose events, all of thread 1, have these sequence
// numbers.
func numbered(format wire.Format, numbers []uint32) []byte {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	b := gen.NewBuilder(gen.BuilderOptions{Format: format, Trace: codec.Trace{
		SyncTime: start, SyncTicks: 1000, TickFrequency: 1e9, PointerSize: 8, Properties: []codec.KeyValue{
			{Key: codec.ProcessIDKey, Value: "1"}, {Key: codec.HardwareThreadCountKey, Value: "1"},
		},
	}})
	if format.HasThreadTable() {
		b.Thread(&codec.Thread{Index: 1, ProcessID: 1, ThreadID: 1})
	}
	id := b.Metadata(&codec.Metadata{Provider: "Shop", EventID: 1, Name: "Request"})
	rows := codec.BlockRows{Kind: wire.KindEvent}
	for i, number := range numbers {
		rows.Events = append(rows.Events, codec.EventRow{
			MetadataID: id, ThreadIndex: 1, CaptureThreadIndex: 1, Sequence: number, Timestamp: 2000 + uint64(i),
		})
	}
	rows.SetBounds()
	b.Block(&rows)
	return b.Trace().Bytes()
}
