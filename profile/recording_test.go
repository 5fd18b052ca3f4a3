package profile_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/profile"
)

// bare adds an event without a stack.
func (m *makingTrace) bare(at uint64, provider string, id uint32) {
	key := metadataKey{provider, id}
	if m.types[key] == 0 {
		m.types[key] = m.Metadata(&codec.Metadata{Provider: provider, EventID: id, Version: 2, Level: 4})
	}
	m.Now = at
	m.Event(&codec.EventRow{
		MetadataID: m.types[key], CaptureThreadIndex: 9, ThreadIndex: 9, Timestamp: at, Processor: wire.UnknownProcessor,
	})
}

// TestRecordingEnd checks up to when a wait that has not ended counts. A slice of
// a v4 file cannot record its bounds, and has the events that name its frames from
// after its end: those do not make the recording longer.
func TestRecordingEnd(t *testing.T) {
	const dcEndInit, methodDCEnd, threadCreated, methodLoad = 148, 144, 85, 143
	for _, c := range []struct {
		name string
		make func(*makingTrace)
		want uint64
	}{
		{"last event", func(*makingTrace) {}, 900},
		{"complete rundown", func(m *makingTrace) {
			m.bare(4000, rundownEvents, dcEndInit)
			m.bare(5000, rundownEvents, methodDCEnd)
		}, 4000},
		{"rundown of a slice", func(m *makingTrace) { m.bare(5000, rundownEvents, methodDCEnd) }, 900},
		{"naming events of a slice", func(m *makingTrace) {
			m.bare(2000, runtimeEvents, threadCreated)
			m.bare(3000, runtimeEvents, methodLoad)
			m.bare(5000, rundownEvents, methodDCEnd)
		}, 900},
		{"naming events with stacks", func(m *makingTrace) { m.on(2000, threadCreated, 2) }, 2000},
		{"other events without a stack", func(m *makingTrace) { m.bare(2000, runtimeEvents, 1) }, 2000},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := makeTrace(wire.V4)
			m.on(500, waitStart, 1)
			m.on(900, 1000, 2)
			c.make(m)
			p := m.read(t, profile.Options{})
			if p.End != c.want {
				t.Errorf("the recording ends at %d, want %d", p.End, c.want)
			}
			for s := range p.Samples(profile.Wait) {
				if want := int64(c.want-500) * 1000; s.Value != want {
					t.Errorf("wait of %d ns, want %d", s.Value, want)
				}
			}
		})
	}
}
