package perfetto

import "github.com/nettrace-go/nettrace/profile"

// Fields of StackSample and of StackSampleDefaults.
const (
	sampleTask   = 2
	sampleStack  = 6
	sampleWeight = 11

	defaultsSource     = 1
	defaultsDescriptor = 2
)

// units are the units of weights.
var units = map[string]uint64{"nanoseconds": 1, "bytes": 4, "count": 9}

// samples writes the samples of a type.
func (e *encoder) samples(t profile.Type) {
	value := t.Value()
	descriptor := message(nil).text(2, value.Name)
	if unit, ok := units[value.Unit]; ok {
		descriptor = descriptor.number(3, unit)
	} else {
		descriptor = descriptor.text(4, value.Unit)
	}
	e.begin(message(nil).bytes(defaultsSamples, message(nil).text(defaultsSource, "dotnet."+t.String()).bytes(defaultsDescriptor, descriptor)))
	var sample message
	for s := range e.p.Samples(t) {
		sample = sample[:0].number(sampleTask, e.task(s.Thread))
		if number := e.stack(s.Stack); number != 0 {
			sample = sample.number(sampleStack, number)
		}
		sample = sample.number(sampleWeight, uint64(max(s.Value, 0)))
		e.write(e.at(e.p.Nanos(s.Ticks)).bytes(packetSample, sample), needed)
	}
}

// drawn reports whether the samples of a type are slices too: they have durations, but are not
// those of a sampler. Marks draw the pauses of collections.
func drawn(t profile.Type) bool {
	switch t {
	case profile.Wall, profile.CPUApprox, profile.CPU, profile.Switch, profile.GC:
		return false
	}
	return t.Value().Unit == "nanoseconds"
}
