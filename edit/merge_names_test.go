package edit_test

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// namedAddress is an address in the method of rundownOf.
const namedAddress = 0x1010

// recordingOf returns a trace of a process that began some seconds after others.
func recordingOf(pid string, seconds int, write func(b *gen.Builder)) []byte {
	b := gen.NewBuilder(gen.BuilderOptions{Format: wire.V4, Trace: codec.Trace{
		SyncTime: time.Date(2026, 11, 23, 5, 0, seconds, 0, time.UTC), SyncTicks: uint64(seconds) * 1e9, TickFrequency: 1e9, PointerSize: 8,
		Properties: []codec.KeyValue{{Key: codec.ProcessIDKey, Value: pid}},
	}})
	b.Now = uint64(seconds)*1e9 + 1e6
	write(b)
	return b.Trace().Bytes()
}

// sampleOf is a recording with a sample at namedAddress and no names.
func sampleOf(pid string) []byte {
	return recordingOf(pid, 1, func(b *gen.Builder) {
		b.Event(&codec.EventRow{
			MetadataID: b.Metadata(&codec.Metadata{Provider: "Microsoft-DotNETCore-SampleProfiler"}), ThreadIndex: 11, CaptureThreadIndex: 12,
			Timestamp: b.Now, Payload: []byte{2, 0, 0, 0}, StackID: b.Stack([]uint64{namedAddress}),
		})
	})
}

// rundownOf is a recording with a rundown that has one method.
func rundownOf(pid string) []byte {
	return recordingOf(pid, 5, func(b *gen.Builder) {
		p := make([]byte, 16) // MethodID, ModuleID
		p = binary.LittleEndian.AppendUint64(p, 0x1000)
		p = append(binary.LittleEndian.AppendUint32(p, 0x100), make([]byte, 8)...)
		for _, text := range []string{"Shop", "Buy", "void ()"} {
			for _, c := range text {
				p = append(p, byte(c), 0)
			}
			p = append(p, 0, 0)
		}
		b.Event(&codec.EventRow{
			MetadataID:  b.Metadata(&codec.Metadata{Provider: "Microsoft-Windows-DotNETRuntimeRundown", EventID: 144, Version: 1}),
			ThreadIndex: 13, CaptureThreadIndex: 13, Timestamp: b.Now, Payload: append(p, 9, 0),
		})
	})
}

// TestMergeNames: two recordings of one process are one process in the merged
// trace, so that the names of one serve the other; another process has its own.
func TestMergeNames(t *testing.T) {
	for _, c := range []struct {
		name     string
		separate bool
		sources  [][]byte
		process  uint64 // of the sample
		want     string // the name of the frame
	}{
		{"one process", false, [][]byte{sampleOf("7"), rundownOf("7")}, 7, "Shop.Buy()"},
		{"the names first", false, [][]byte{rundownOf("7"), sampleOf("7")}, 7, "Shop.Buy()"},
		{"two processes", false, [][]byte{sampleOf("7"), rundownOf("8")}, 7, ""},
		{"two processes with one id", true, [][]byte{sampleOf("7"), rundownOf("7")}, 7, ""},
		{"the second process with the id of the first", true, [][]byte{rundownOf("7"), sampleOf("7")}, 2_000_000_007, ""},
		{"separate ids that differ", true, [][]byte{rundownOf("8"), sampleOf("7")}, 7, ""},
		{"the new id is that of another process", true, [][]byte{rundownOf("7"), rundownOf("3000000007"), sampleOf("7")}, 3_000_000_008, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			merged, result := mergeWith(t, edit.MergeOptions{Separate: c.separate}, c.sources...)
			expect.Equal(t, "Events", result.Events, int64(len(c.sources)))
			table := symbols.NewTable(symbols.Options{})
			var query symbols.Query
			for e, err := range codec.NewBytesReader(merged, codec.Options{}).Events() {
				expect.NoError(t, err)
				table.Add(e)
				for _, a := range e.Stack() {
					query = symbols.Query{Process: symbols.Process(e), Address: a, Ticks: e.Timestamp}
					table.AddWanted(query.Process, a)
				}
			}
			expect.Equal(t, "process", query.Process, c.process)
			got := table.Lookup(query)
			name := ""
			if got.Symbol != nil {
				name = got.Name()
			}
			expect.Equal(t, "name", name, c.want)
		})
	}
}

// TestMergeOneProcess: a merged trace has the id of the process of all sources, and none of separate processes.
func TestMergeOneProcess(t *testing.T) {
	for _, separate := range []bool{false, true} {
		merged, _ := mergeWith(t, edit.MergeOptions{Separate: separate}, sampleOf("7"), rundownOf("7"))
		trace, err := codec.NewBytesReader(merged, codec.Options{}).Trace()
		expect.NoError(t, err)
		_, known := trace.ProcessID()
		expect.Equal(t, "known", known, !separate)
	}
}
