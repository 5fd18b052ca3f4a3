package edit_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/edit"
)

// TestRepairShifted removes bytes before an object of v4, which shifts its
// alignment and that of the next ones, and truncates the stream anywhere.
// Complete objects after the damage stay.
func TestRepairShifted(t *testing.T) {
	for name, last := range map[string]*codec.BlockRows{
		"events":         eventsOf(2, 1, 2, 3),
		"unknown object": {Kind: 99, TypeName: "Novelty", Version: 2, MinReader: 2, Body: []byte("some 20 bytes or so.")},
		"another":        {Kind: 99, TypeName: "StackBlock", Version: 2, MinReader: 2, Body: []byte("this is no stack at all")},
	} {
		t.Run(name, func(t *testing.T) {
			unknown := &codec.BlockRows{Kind: 99, TypeName: "Oddity", Version: 2, MinReader: 2, Body: []byte("some 20 bytes or so.")}
			data := stream(t, 4, eventsOf(1, 1, 2), last, unknown, eventsOf(3, 1))
			starts := objectStarts(data)
			from, after := starts[len(starts)-3], starts[len(starts)-2]
			for missing := 1; missing <= 3; missing++ {
				for end := from; end <= len(data); end++ {
					damaged := slices.Concat(data[:from-missing], data[from:end])
					var out bytes.Buffer
					if _, err := edit.Repair(context.Background(), &out, bytes.NewReader(damaged), codec.Options{}); err != nil {
						t.Fatalf("%d bytes missing, truncated at %d: %v", missing, end, err)
					}
					got := map[uint64]int{}
					r := codec.NewBytesReader(out.Bytes(), codec.Options{OnError: codec.Skip})
					for e, err := range r.Events() {
						if err != nil {
							t.Fatalf("%d bytes missing, truncated at %d: %v", missing, end, err)
						}
						got[e.ThreadIndex]++
					}
					odd := bytes.Contains(out.Bytes(), append(unknown.Body, 6))
					if name == "events" && (end >= after && got[2] != 3 || end >= starts[len(starts)-1] && !odd) {
						t.Errorf("%d bytes missing, truncated at %d of %d: %v", missing, end, len(data), got)
					}
					if end >= len(data)-1 && got[3] != 1 {
						t.Errorf("%d bytes missing, truncated at %d of %d: %v", missing, end, len(data), got)
					}
				}
			}
		})
	}
}

// objectStarts are the positions of the objects of v4, and of the end.
func objectStarts(data []byte) (list []int) {
	for i := range data {
		if bytes.HasPrefix(data[i:], []byte{5, 5, 1}) {
			list = append(list, i)
		}
	}
	return list
}
