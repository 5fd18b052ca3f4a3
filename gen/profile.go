package gen

import (
	"fmt"
	"io"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// Profile is a kind of trace that real programs write.
//
// A profile of the .NET runtime can also be written in version 6, which no
// runtime writes yet. Its threads then become rows and its activity ids labels.
type Profile struct {
	Name      string        // for FindProfile
	Number    int           // group of real writers that it models, from 1 to 8
	Sentence  string        // describes what is typical
	Formats   []wire.Format // versions in which it can be written
	Truncated bool          // the stream is truncated
	events    func(*run)
	setup     func(*run)
	tail      func(data tailWriter) tailWriter
}

// Order describes a trace of a Profile.
type Order struct {
	Events int64       // approximate number of events; 0 means 10,000
	Format wire.Format // one of Profile.Formats
	Seed   uint64      // determines times, stacks and texts
}

var (
	everyFormat = []wire.Format{wire.V4, wire.V5, wire.V6}
	onlyV6      = []wire.Format{wire.V6}
)

var profiles = []Profile{
	{Name: "cpu-sampling", Number: 1, Formats: everyFormat, events: cpuSampling,
		Sentence: "the runtime's sampler: suspend, samples, resume every 1.3 ms, a rundown of methods at the end"},
	{Name: "rundown", Number: 2, Formats: everyFormat, events: onlyRundown,
		Sentence: "descriptions of methods, 100 KB blocks back to back on one thread"},
	{Name: "steady", Number: 3, Formats: everyFormat, events: steady,
		Sentence: "one event source, 8-byte payloads, a thousand events every 100 ms"},
	{Name: "idle", Number: 4, Formats: everyFormat, events: idle,
		Sentence: "one event in a block of its own every 100 ms"},
	{Name: "gc-alloc", Number: 5, Formats: everyFormat, events: gcAlloc,
		Sentence: "many native events of a dozen threads, payloads up to 11 KB, some activity ids"},
	{Name: "drops", Number: 6, Formats: everyFormat, events: drops,
		Sentence: "numbers missing inside a thread, before a sequence point, of a silent thread; ids used again"},
	{Name: "32-bit", Number: 7, Formats: everyFormat, setup: bits32, events: cpuSampling,
		Sentence: "cpu-sampling with pointers of 4 bytes"},
	{Name: "macos", Number: 7, Formats: everyFormat, setup: macOS, events: manySamples,
		Sentence: "the sampler alone over many threads with large ids, without suspensions"},
	{Name: "windows", Number: 7, Formats: everyFormat, setup: windows, events: gcAlloc,
		Sentence: "gc-alloc with processor numbers and a clock of 3,124,099 Hz"},
	{Name: "cut-object", Number: 7, Formats: everyFormat, Truncated: true, events: steady, tail: cutObject,
		Sentence: "steady, truncated after a complete block"},
	{Name: "cut-block", Number: 7, Formats: everyFormat, Truncated: true, events: steady, tail: cutBlock,
		Sentence: "steady, truncated inside a block"},
	{Name: "one-collect", Number: 8, Formats: onlyV6, setup: oneCollectSetup, events: oneCollect,
		Sentence: "record-trace over several processes, in its form: every field written, labels not zig-zag"},
	{Name: "good-citizen", Number: 8, Formats: onlyV6, setup: citizenSetup, events: citizen,
		Sentence: "several processes with all features of v6: fields left out, names, all labels and types, RemoveThread"},
}

// Profiles returns all profiles.
func Profiles() []Profile { return profiles }

// FindProfile returns the profile with a name, and whether there is one.
func FindProfile(name string) (*Profile, bool) {
	for i := range profiles {
		if profiles[i].Name == name {
			return &profiles[i], true
		}
	}
	return nil, false
}

// Write writes a trace as a stream. Its memory does not depend on the number of
// events.
func (p *Profile) Write(dst io.Writer, order Order) error {
	known := false
	for _, f := range p.Formats {
		known = known || f == order.Format
	}
	if !known {
		return fmt.Errorf("gen: profile %s cannot be written in format %v", p.Name, order.Format)
	}
	if order.Events == 0 {
		order.Events = 10_000
	}
	if p.tail != nil {
		w := p.tail(tailWriter{dst: dst})
		return p.write(&w, order)
	}
	return p.write(dst, order)
}

func (p *Profile) write(dst io.Writer, order Order) error {
	r := newRun(order)
	if p.setup != nil {
		p.setup(r)
	}
	r.begin(dst)
	p.events(r)
	return r.b.Close()
}

// tailWriter leaves out the end of a stream. Each Write is a block.
type tailWriter struct {
	dst  io.Writer
	last []byte // the last block but one, when the end mark comes
	keep func(last []byte) []byte
}

// cutObject leaves out the end mark.
func cutObject(w tailWriter) tailWriter {
	w.keep = func(last []byte) []byte { return last }
	return w
}

// cutBlock leaves out half of the last block as well.
func cutBlock(w tailWriter) tailWriter {
	w.keep = func(last []byte) []byte { return last[:len(last)/2] }
	return w
}

// Write passes the block before on, and holds b back. The end mark is shorter
// than any block.
func (w *tailWriter) Write(b []byte) (int, error) {
	const endMark = 4
	pass := w.last
	if w.last = append([]byte(nil), b...); len(b) <= endMark {
		pass = w.keep(pass)
	}
	if _, err := w.dst.Write(pass); err != nil {
		return 0, err
	}
	return len(b), nil
}
