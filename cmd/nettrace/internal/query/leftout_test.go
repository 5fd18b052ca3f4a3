package query_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// manyCounters is a trace with one value of each of some EventCounters.
func manyCounters(counters int) []byte {
	b := gen.NewBuilder(gen.BuilderOptions{Trace: codec.Trace{TickFrequency: 1e9, PointerSize: 8}})
	fields := []codec.Field{
		{Name: "Name", Type: codec.Type{Code: wire.NullTerminatedUTF16String}}, {Name: "Mean", Type: codec.Type{Code: wire.Double}},
		{Name: "CounterType", Type: codec.Type{Code: wire.NullTerminatedUTF16String}},
	}
	inner := codec.Field{Name: "Payload", Type: codec.Type{Code: wire.Object, Fields: fields}}
	id := b.Metadata(&codec.Metadata{
		Provider: "Made", EventID: 1, Name: "EventCounters",
		Fields: []codec.Field{{Type: codec.Type{Code: wire.Object, Fields: []codec.Field{inner}}}},
	})
	b.Thread(&codec.Thread{Index: 1, ProcessID: 7, ThreadID: 70, HasProcessID: true, HasThreadID: true})
	for n := range counters {
		payload := wire.AppendUTF16Z(nil, fmt.Sprint("counter", n))
		payload = binary.LittleEndian.AppendUint64(payload, math.Float64bits(1))
		payload = wire.AppendUTF16Z(payload, "Mean")
		b.Event(&codec.EventRow{MetadataID: id, ThreadIndex: 1, CaptureThreadIndex: 1, Timestamp: uint64(n), Payload: payload})
	}
	return b.Trace().Bytes()
}

// TestLeftOut: query reports the rows above a limit.
func TestLeftOut(t *testing.T) {
	trace := testfile.New(t, "counters.nettrace", manyCounters(10_003))
	r := programtest.Run(t, nil, "query", "--format", "csv", trace, "SELECT count(*) AS n FROM counters")
	r.Exits(t, exit.Done)
	expect.Equal(t, "output", r.Out, "n\n10000\n")
	r.Complains(t, "warning: 3 values of counters left out, because there are too many")
}

// TestInexactFields: query reports values that are not those of the trace.
func TestInexactFields(t *testing.T) {
	b := gen.NewBuilder(gen.BuilderOptions{Trace: codec.Trace{TickFrequency: 1e9, PointerSize: 8}})
	id := b.Metadata(&codec.Metadata{
		Provider: "Made", EventID: 1, Name: "Step", Fields: []codec.Field{{Name: "Hash", Type: codec.Type{Code: wire.UInt64}}},
	})
	b.Event(&codec.EventRow{MetadataID: id, ThreadIndex: 1, CaptureThreadIndex: 1, Payload: binary.LittleEndian.AppendUint64(nil, 1<<63+5)})
	trace := testfile.New(t, "fields.nettrace", b.Trace().Bytes())
	r := programtest.Run(t, nil, "query", "--format", "csv", trace, "SELECT Hash FROM Made_Step")
	r.Exits(t, exit.Done)
	expect.Equal(t, "output", r.Out, "Hash\n-9223372036854775803\n")
	r.Complains(t, "warning: 1 values of unsigned fields from 2^63 on are negative: add 2^64")
}
