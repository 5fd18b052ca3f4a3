package profile_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/profile"
)

// TestGCOfProcesses: pauses of two processes at the same time belong to the
// collections of their own process, which have the same number.
func TestGCOfProcesses(t *testing.T) {
	b := gen.NewBuilder(gen.BuilderOptions{Format: wire.V6, Trace: codec.Trace{Format: wire.V6, TickFrequency: 1e9, PointerSize: 8}})
	types := map[uint32]uint32{}
	for id, version := range map[uint32]uint32{1: 2, 2: 1, 3: 1, 9: 1} {
		types[id] = b.Metadata(&codec.Metadata{Provider: "Microsoft-Windows-DotNETRuntime", EventID: id, Version: version})
	}
	for _, process := range []uint64{7, 9} {
		b.Thread(&codec.Thread{Index: process, ProcessID: process, ThreadID: 70, HasProcessID: true, HasThreadID: true})
	}
	numbers := func(values ...uint32) []byte {
		var payload []byte
		for _, v := range values {
			payload = binary.LittleEndian.AppendUint32(payload, v)
		}
		return append(payload, make([]byte, 10)...)
	}
	for i, e := range []struct {
		process uint64
		id      uint32
		payload []byte
	}{
		{7, 9, numbers(1, 1)}, {9, 9, numbers(1, 1)}, // suspended for a collection
		{7, 1, numbers(1, 2, 0, 0)}, {9, 1, numbers(1, 0, 0, 0)}, // number 1, generations 2 and 0
		{9, 2, numbers(1, 0)}, {9, 3, nil}, {7, 2, numbers(1, 2)}, {7, 3, nil},
	} {
		b.Now = 1e9 + uint64(i)*1e6
		b.Event(&codec.EventRow{
			MetadataID: types[e.id], ThreadIndex: e.process, CaptureThreadIndex: e.process, Timestamp: b.Now, Payload: e.payload,
		})
	}
	sameProfiles(t, b.Trace().Bytes(), profile.Options{})
	p, err := profile.FromReader(context.Background(), codec.NewBytesReader(b.Trace().Bytes(), codec.Options{}), profile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[uint64]string{}
	for s := range p.Samples(profile.GC) {
		for _, l := range p.Labels(&s) {
			if l.Key == "gc generation" {
				got[p.Threads()[s.Thread].ProcessID] += l.Text
			}
		}
	}
	for process, want := range map[uint64]string{7: "2", 9: "0"} {
		t.Run(fmt.Sprintf("process=%v", process), func(t *testing.T) {
			if got[process] != want {
				t.Errorf("process %d: generation %q, want %q", process, got[process], want)
			}
		})
	}
}
