package bench

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/workload"
)

// requestMetadata is the type of event that BenchmarkEncode writes.
func requestMetadata() *codec.Metadata {
	number := codec.Type{Code: wire.Int32}
	return &codec.Metadata{Provider: "Shop", EventID: 1, Name: "Request", Fields: []codec.Field{
		{Name: "Path", Type: codec.Type{Code: wire.NullTerminatedUTF16String}}, {Name: "Seconds", Type: codec.Type{Code: wire.Double}},
		{Name: "Status", Type: number}, {Name: "Sizes", Type: codec.Type{Code: wire.Array, Element: &number}},
	}}
}

// encodedEvents is the number of events of a pass.
const encodedEvents = 10_000

// encodePass returns a function that writes events to a destination: by an EventType
// or, for comparison, with payloads encoded by hand.
func encodePass(format wire.Format, fields bool, dst io.Writer) func() (workload.Sum, error) {
	w := codec.NewWriter(dst, codec.WriterOptions{Format: format, Trace: codec.Trace{SyncTime: time.Unix(1795226414, 0), TickFrequency: 1e9}})
	write := writeBytes
	if fields {
		write = writeFields
	}
	return func() (workload.Sum, error) {
		w.Reset(dst)
		thread := uint64(4711)
		if format.HasThreadTable() {
			var err error
			if thread, err = w.DefineThread(&codec.Thread{Name: "main"}); err != nil {
				return workload.Sum{}, err
			}
		}
		if err := write(w, thread); err != nil {
			return workload.Sum{}, err
		}
		err := w.Close()
		return workload.Sum{Events: encodedEvents, Ticks: uint64(w.Offset())}, err
	}
}

func writeFields(w *codec.Writer, thread uint64) error {
	request, err := w.DefineEvent(requestMetadata())
	if err != nil {
		return err
	}
	for i := range encodedEvents {
		err := request.Event().Thread(thread).Timestamp(uint64(i)).
			String("/api/cart/items").Float64(0.25).Int32(200).Array().Int32(7).Int32(8).End().Write()
		if err != nil {
			return err
		}
	}
	return nil
}

func writeBytes(w *codec.Writer, thread uint64) error {
	id, err := w.DefineMetadata(requestMetadata())
	if err != nil {
		return err
	}
	le := binary.LittleEndian
	record := codec.Record{MetadataID: id, Thread: thread, CaptureThread: thread, Processor: wire.UnknownProcessor}
	for i := range encodedEvents {
		b := wire.AppendUTF16Z(record.Payload[:0], "/api/cart/items")
		b = le.AppendUint64(b, math.Float64bits(0.25))
		b = le.AppendUint32(b, 200)
		b = le.AppendUint16(b, 2)
		b = le.AppendUint32(b, 7)
		record.Payload = le.AppendUint32(b, 8)
		record.Timestamp = uint64(i)
		if err := w.Write(&record); err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkEncode writes events whose payloads are encoded field by field, and the
// same ones with payloads that are encoded by hand.
func BenchmarkEncode(b *testing.B) {
	for _, format := range []wire.Format{wire.V5, wire.V6} {
		for _, payload := range []string{"fields", "bytes"} {
			b.Run("version="+format.String()[:1]+"/payload="+payload, func(b *testing.B) {
				pass := encodePass(format, payload == "fields", io.Discard)
				sum, err := pass()
				expect.NoError(b, err)
				workload.Measure(b, int(sum.Ticks), pass)
			})
		}
	}
}

// TestEncode: both passes of BenchmarkEncode write the same bytes.
func TestEncode(t *testing.T) {
	for _, format := range []wire.Format{wire.V5, wire.V6} {
		t.Run(format.String(), func(t *testing.T) {
			var fields, payloads bytes.Buffer
			_, err := encodePass(format, true, &fields)()
			expect.NoError(t, err)
			_, err = encodePass(format, false, &payloads)()
			expect.NoError(t, err)
			expect.Bytes(t, "by fields", fields.Bytes(), payloads.Bytes())
		})
	}
}
