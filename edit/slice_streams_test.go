package edit_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestSliceStreams slices and merges all small streams, most of them malformed:
// the result is complete, and has the content of the source as far as it can be
// written.
func TestSliceStreams(t *testing.T) {
	unread, sliced := 0, 0
	for _, name := range shared.Streams(t) {
		t.Run(name, func(t *testing.T) {
			data := shared.Stream(t, name)
			for _, format := range []wire.Format{{}, {Major: 6}} {
				var out bytes.Buffer
				result, err := edit.Slice(context.Background(), &out, sliceBlocks(data), edit.SliceOptions{Format: format})
				if err != nil {
					unread++
					if trace, readable := sliceReader(data).Trace(); readable == nil && !wire.V6.Before(trace.Format) {
						t.Error(err)
					}
					continue
				}
				sliced++
				r := codec.NewBytesReader(out.Bytes(), codec.Options{})
				for _, err := range r.Events() {
					if err != nil {
						t.Errorf("the slice is malformed: %v", err)
					}
				}
				d := diff(t, data, out.Bytes(), edit.DiffOptions{Ignore: []string{"sequence", "sequencePoints"}})
				if !d.Equal() && result.Omitted == 0 {
					t.Errorf("%s in v%v: %v", name, format, d)
				}
				addsUp(t, name, data, result)
				if r.Lost() != result.Lost {
					t.Errorf("%s in v%v: a reader finds %d lost, the result has %d", name, format, r.Lost(), result.Lost)
				}
			}
			mergedStream(t, name, data)
		})
	}
	t.Logf("%d sliced, %d unread", sliced, unread)
}

func mergedStream(t *testing.T, name string, data []byte) {
	t.Helper()
	source := edit.NewMergeSource(bytes.NewReader(data), edit.MergeSourceOptions{Name: name, Reader: codec.Options{OnError: codec.Skip}})
	var out bytes.Buffer
	result, err := edit.Merge(context.Background(), &out, []*edit.MergeSource{source}, edit.MergeOptions{})
	if err != nil {
		if out.Len() > 0 {
			t.Errorf("%s: %v", name, err)
		}
		return
	}
	r := codec.NewBytesReader(out.Bytes(), codec.Options{})
	for _, err := range r.Events() {
		if err != nil {
			t.Errorf("%s: the merged trace is malformed: %v", name, err)
		}
	}
	if r.Lost() != result.Lost || r.Count() != result.Events || result.Events+result.Omitted != source.Reader().Count() {
		t.Errorf("%s: %d of %d events, %d lost; %+v", name, r.Count(), source.Reader().Count(), r.Lost(), result)
	}
}
