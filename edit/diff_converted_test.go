package edit_test

import (
	"bytes"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/conformance/check"
	"github.com/nettrace-go/nettrace/edit"
)

// TestDiffOfConversions: a trace has no difference to its compact form and its conversions, in which
// threads have other indexes, and whose version may have no process for a thread.
func TestDiffOfConversions(t *testing.T) {
	original := &bytes.Buffer{}
	w := codec.NewWriter(original, codec.WriterOptions{Trace: codec.Trace{SyncTime: sceneTime, TickFrequency: 1e9}})
	m, err := w.DefineMetadata(&codec.Metadata{Provider: "P", EventID: 1})
	if err != nil {
		t.Fatal(err)
	}
	var threads []uint64
	for id := range uint64(3) {
		index, err := w.DefineThread(&codec.Thread{ThreadID: 11 + id, HasThreadID: true, ProcessID: 84, HasProcessID: true})
		if err != nil {
			t.Fatal(err)
		}
		threads = append(threads, index)
	}
	for i, thread := range []uint64{threads[2], threads[0], threads[1], threads[2], threads[1]} {
		if err := w.Write(&codec.Record{MetadataID: m, Timestamp: uint64(i), Thread: thread, CaptureThread: thread}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, opt := range map[string]edit.ConvertOptions{
		"compact": {Format: wire.V6, Compact: true}, "v4": {Format: wire.V4}, "v6": {Format: wire.V6},
	} {
		out := &bytes.Buffer{}
		if _, err := edit.Convert(t.Context(), out, codec.NewBytesBlockReader(original.Bytes(), codec.Options{}), opt); err != nil {
			t.Fatal(name, err)
		}
		if d := diff(t, original.Bytes(), out.Bytes(), edit.DiffOptions{}); !d.Equal() {
			t.Errorf("%s: %v", name, d)
		}
	}
}

// TestDiffOfRemovedThreads: in v4, a sequence point is necessary for the losses of a thread that v6
// removes at the end. It is no difference, and check has no finding about it.
func TestDiffOfRemovedThreads(t *testing.T) {
	for name, lost := range map[string]uint32{"without losses": 0, "with losses": 3} {
		original := &bytes.Buffer{}
		w := codec.NewWriter(original, codec.WriterOptions{Trace: codec.Trace{SyncTime: sceneTime, TickFrequency: 1e9,
			Properties: []codec.KeyValue{{Key: codec.ProcessIDKey, Value: "84"}, {Key: codec.HardwareThreadCountKey, Value: "2"}}}})
		m, err := w.DefineMetadata(&codec.Metadata{Provider: "P", EventID: 1, Name: "E"})
		if err != nil {
			t.Fatal(err)
		}
		at := uint64(0)
		for _, id := range []uint64{11, 12, 11, 13} { // the id of an ended thread is used again
			index, err := w.DefineThread(&codec.Thread{ThreadID: id, HasThreadID: true})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				at++
				if err := w.Write(&codec.Record{MetadataID: m, Timestamp: at, Thread: index, CaptureThread: index}); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Drop(index, lost); err != nil {
				t.Fatal(err)
			}
			if err := w.RemoveThread(index); err != nil {
				t.Fatal(err)
			}
			if at == 4 {
				if err := w.SequencePoint(at); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		out := &bytes.Buffer{}
		if _, err := edit.Convert(t.Context(), out, codec.NewBytesBlockReader(original.Bytes(), codec.Options{}), edit.ConvertOptions{Format: wire.V4}); err != nil {
			t.Fatal(name, err)
		}
		if d := diff(t, original.Bytes(), out.Bytes(), edit.DiffOptions{}); !d.Equal() {
			t.Errorf("%s: %v", name, d)
		}
		report, err := check.Stream(out, check.Options{})
		if err != nil || len(report.Findings) > 0 {
			t.Errorf("%s: %v, findings %+v", name, err, report.Findings)
		}
	}
}
