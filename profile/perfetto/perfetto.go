// Package perfetto writes a profile as a Perfetto trace (.pftrace), which ui.perfetto.dev and its
// trace processor read. The messages are those of protos/perfetto/trace of Perfetto v58.
//
// The samples of each type are StackSamples of a packet sequence of their own, whose source is
// named dotnet.wall, dotnet.alloc, ...: readers before v58 skip them. Samples of a type with durations,
// such as waits, are also slices, and marks are slices or instants with their fields. Times
// are Unix times. Stacks of asynchronous methods are those of the profile.
//
// The file is written packet by packet; in memory are the numbers of what a sequence has named.
// The files were checked by the rules of the importer, not in the user interface.
package perfetto

import (
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// Options configure a file. The zero value is right for most programs.
type Options struct {
	// Types are the types of samples. Default: all that have samples.
	Types []profile.Type
	// RawNames shows methods and types as the runtime writes them.
	RawNames bool
	// CommandLine adds the command lines of the processes.
	CommandLine bool
}

// Write writes a profile. It returns the error of w.
func Write(w io.Writer, p *profile.Profile, opt Options) error {
	e := &encoder{
		w: w, p: p, opt: opt, names: calltree.NewNames(p, calltree.Naming(opt.RawNames)),
		start: p.Trace.SyncTime.UnixNano() - p.Nanos(p.Trace.SyncTicks), tracks: tracks{byPlace: map[place]uint64{}},
	}
	e.names.Lines = p.HasLines()
	e.clock()
	e.threads()
	types := opt.Types
	if len(types) == 0 {
		types = p.Types()
	}
	for i, t := range types {
		e.sequence = samplesFrom + uint64(i)
		e.samples(t)
	}
	e.sequence = eventSequence
	e.begin(nil)
	for _, t := range types {
		if drawn(t) {
			e.slices(t)
		}
	}
	e.marks()
	e.flush()
	return e.err
}

// The packet sequences. Numbers that one of them has given are good in it only.
const (
	eventSequence = 1
	samplesFrom   = 2
)

// Fields of TracePacket and its parts.
const (
	packetField = 1 // of Trace

	packetClock      = 6
	packetTime       = 8
	packetSequence   = 10
	packetEvent      = 11
	packetInterned   = 12
	packetFlags      = 13
	packetDefaults   = 59
	packetDescriptor = 60
	packetSample     = 135

	cleared, needed = 1, 2 // of packetFlags

	defaultsSamples = 100
)

// message is an encoded message of protocol buffers.
type message []byte

func (m message) number(field protowire.Number, v uint64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), v)
}

func (m message) bytes(field protowire.Number, v []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), v)
}

func (m message) text(field protowire.Number, v string) message {
	return protowire.AppendString(protowire.AppendTag(m, field, protowire.BytesType), v)
}

// encoder writes a file.
type encoder struct {
	w   io.Writer
	b   []byte // not yet written
	err error

	p        *profile.Profile
	opt      Options
	names    *calltree.Names
	start    int64 // Unix time of Profile.Nanos 0
	sequence uint64
	interned interned
	tracks   tracks
	pids     []uint64 // by thread
	tids     []uint64 // by thread
	packet   message
}

// full is how much is collected before it is written.
const full = 64 << 10

func (e *encoder) flush() {
	if e.err == nil {
		_, e.err = e.w.Write(e.b)
	}
	e.b = e.b[:0]
}

// write writes a packet of the sequence with what it names for the first time.
func (e *encoder) write(packet message, flags uint64) {
	packet = packet.number(packetSequence, e.sequence)
	if len(e.interned.added) > 0 {
		packet = packet.bytes(packetInterned, e.interned.added)
		e.interned.added = e.interned.added[:0]
	}
	if flags != 0 {
		packet = packet.number(packetFlags, flags)
	}
	e.b = message(e.b).bytes(packetField, packet)
	if e.packet = packet; len(e.b) >= full {
		e.flush()
	}
}

// begin begins a sequence.
func (e *encoder) begin(defaults message) {
	e.interned.clear()
	packet := e.packet[:0]
	if defaults != nil {
		packet = packet.bytes(packetDefaults, defaults)
	}
	e.write(packet, cleared|needed)
}

// at begins a packet of a time, in nanoseconds since the start of the profile.
func (e *encoder) at(nanos int64) message {
	return e.packet[:0].number(packetTime, e.time(nanos))
}

// time returns a time of the file.
func (e *encoder) time(nanos int64) uint64 {
	if nanos > math.MaxInt64-max(e.start, 0) {
		return math.MaxInt64
	}
	return uint64(max(e.start+nanos, 0))
}

// clock makes the clock of the file Unix time.
func (e *encoder) clock() {
	const realTime, bootTime = 1, 6
	now := e.time(0)
	var snapshot message
	for _, id := range []uint64{realTime, bootTime} {
		snapshot = snapshot.bytes(1, message(nil).number(1, id).number(2, now))
	}
	e.sequence = eventSequence
	e.write(message(nil).number(packetTime, now).bytes(packetClock, snapshot), 0)
}
