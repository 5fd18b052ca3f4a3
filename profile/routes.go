package profile

import (
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec"
)

// The providers of the events that samples are made of.
const (
	samplerProvider = "Microsoft-DotNETCore-SampleProfiler"
	runtimeProvider = "Microsoft-Windows-DotNETRuntime"
)

// routeOf chooses what is done with the events of a metadata row.
func (b *builder) routeOf(m *codec.Metadata) func(*builder, *codec.Event) {
	if m.Provider == samplerProvider {
		return (*builder).sampled
	}
	return nil
}

// sampled takes in a sample of the sample profiler.
func (b *builder) sampled(ev *codec.Event) {
	payload := ev.Payload()
	if len(payload) < 4 {
		return
	}
	r := b.record(ev)
	r.managed = binary.LittleEndian.Uint32(payload) == managedSample
	b.add(Wall, r)
}

// managedSample is the type of a sample taken in managed code; 1 is outside.
const managedSample = 2
