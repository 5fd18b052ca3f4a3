package edit_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestNoRoom: blocks that v6 cannot express are split, rows that it cannot
// express are left out and counted.
func TestNoRoom(t *testing.T) {
	large := make([]byte, 5<<20)
	events := eventsOf(9, 1, 2, 3, 4, 5, 6)
	for i := range events.Events {
		events.Events[i].Timestamp, events.Events[i].StackID = uint64(100+i), uint32(10+i)
		events.Events[i].Payload = large[:len(large)-i]
	}
	events.Events[3].Payload = make([]byte, 17<<20)
	stacks := &codec.BlockRows{Kind: wire.KindStack, FirstID: 10}
	for i := range 6 {
		stacks.Stacks = append(stacks.Stacks, codec.StackBytes{Addresses: slices.Repeat([]uint64{uint64(i)}, 1<<19)})
	}
	metadata := &codec.BlockRows{Kind: wire.KindMetadata, Flags: wire.BlockCompressed}
	for id := range uint32(3) {
		m := &codec.Metadata{ID: id + 2, Provider: "P", Name: "long"}
		for range 100 {
			m.Fields = append(m.Fields, codec.Field{Name: strings.Repeat("x", 400*int(id)), Type: codec.Type{Code: wire.Int32}})
		}
		metadata.Metadata = append(metadata.Metadata, codec.MetadataBytes{Metadata: m})
	}
	metadata.Metadata = append(metadata.Metadata, codec.MetadataBytes{Metadata: &codec.Metadata{ID: 9, Provider: strings.Repeat("P", 1<<16)}})
	data := stream(t, 4, metadata, stacks, events)

	const want = "[fields of metadata left out: 100 rows that do not fit left out, Metadata: 1 rows that do not fit left out, Event: 1]"
	opt := largeLimits
	var out bytes.Buffer
	list, err := edit.Convert(context.Background(), &out, codec.NewBytesBlockReader(data, opt), edit.ConvertOptions{})
	if err != nil || fmt.Sprint(list) != want {
		t.Fatalf("%v, %v; want %s", list, err, want)
	}
	r := codec.NewBytesReader(out.Bytes(), opt)
	for e, err := range r.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if s := e.Stack(); len(s) != 1<<19 || s[0] != uint64(e.Sequence-1) || len(e.Payload()) != len(large)-int(e.Sequence-1) {
			t.Errorf("event %d: a stack of %d, a payload of %d", e.Sequence, len(s), len(e.Payload()))
		}
	}
	if r.Count() != 5 || len(r.Defects()) > 0 {
		t.Errorf("%d events, %v", r.Count(), r.Defects())
	}
}

// TestTablesAboveBlock: when Compact joins thread rows and label lists of many
// small blocks to more than a block of v6 can hold, they are split again.
func TestTablesAboveBlock(t *testing.T) {
	const rows, size = 300, 60_000
	var blocks []*codec.BlockRows
	events := &codec.BlockRows{Kind: wire.KindEvent, Flags: wire.BlockCompressed}
	for i := range uint64(rows) {
		long := strings.Repeat(string(rune('a'+i%26)), size+int(i))
		blocks = append(blocks,
			&codec.BlockRows{Kind: wire.KindThread, Threads: []codec.ThreadBytes{{Thread: &codec.Thread{Index: i + 1, Name: long}}}},
			&codec.BlockRows{Kind: wire.KindLabelList, FirstID: uint32(i + 1), LabelLists: []codec.LabelListBytes{{Labels: []codec.Label{
				{Kind: wire.LabelKeyString, Key: "k", Value: long},
			}}}})
		events.Events = append(events.Events, codec.EventRow{
			MetadataID: 1, Sequence: 1, ThreadIndex: i + 1, CaptureThreadIndex: i + 1, LabelListID: uint32(i + 1), Timestamp: 100 + i,
		})
	}
	data := stream(t, 6, append(blocks, events)...)
	var out bytes.Buffer
	list, err := edit.Convert(context.Background(), &out, codec.NewBytesBlockReader(data, largeLimits), edit.ConvertOptions{Compact: true})
	if err != nil || len(list) > 0 {
		t.Fatal(list, err)
	}
	r := codec.NewBytesReader(out.Bytes(), largeLimits)
	for e, err := range r.Events() {
		if err != nil {
			t.Fatal(err)
		}
		i := int(e.Timestamp - 100)
		name, labels := e.Thread().Name, e.Labels()
		if len(name) != size+i {
			t.Fatalf("len(name): got %v, want %v", len(name), size+i)
		}
		expect.Len(t, "labels", labels, 1)
		expect.Equal(t, "labels[0].Value", labels[0].Value, name)
		expect.Equal(t, "name[0]", name[0], byte('a'+i%26))
	}
	if r.Count() != rows || len(r.Defects()) > 0 {
		t.Errorf("%d events, %v", r.Count(), r.Defects())
	}
}
