package gen

import (
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// syllables make names of methods.
var syllables = [...]string{
	"Get", "Set", "Try", "Async", "Read", "Write", "Buffer", "Stream", "Task", "Cache", "Token", "Value", "Item",
	"Resolve", "Build", "Parse", "Core", "Inner", "Handle", "Socket", "Json", "Node", "Entry", "Scope",
}

// words returns a name of k syllables.
func (r *run) words(k uint64) string {
	s := ""
	for range k {
		s += syllables[r.n(uint64(len(syllables)))]
	}
	return s
}

// processInfo describes the process at the end of a session.
func (r *run) processInfo() {
	text := codec.Type{Code: wire.NullTerminatedUTF16String}
	k := &kind{Metadata: codec.Metadata{Provider: pipeProvider, EventID: 1, Version: 1, Name: "ProcessInfo", Fields: []codec.Field{
		{Name: "CommandLine", Type: text}, {Name: "OSInformation", Type: text}, {Name: "ArchInformation", Type: text},
	}}}
	p := r.payload[:0]
	for _, s := range []string{"dotnet Sample.dll", "Linux 6.8", "x64"} {
		p = wire.AppendUTF16Z(p, s)
	}
	r.event(k, 0, 0, 0, p)
}

// onlyRundown is a rundown and nothing else.
func onlyRundown(r *run) {
	r.makeStacks(0)
	r.makeThreads(1)
	r.methods(r.left())
	r.end()
}

// methods makes n events of a rundown: runs of methods, with maps of their code
// in between. Blocks close when they are full.
func (r *run) methods(n int64) {
	r.period = 0
	method, ilMap := native(rundownProvider, 144, 2, 0x30), native(rundownProvider, 150, 1, 0x20000)
	id := 0x7F3A_6000_0000 + r.n(1<<20)<<4
	if r.head.PointerSize == 4 {
		id = 0x5000_0000
	}
	var name [3]string
	for run, maps := r.between(10, 40), false; n > 0; n-- {
		if run--; run == 0 {
			maps, run = !maps, r.between(10, 40)
		}
		if id += 16 + r.n(8)*8; maps {
			r.event(ilMap, 0, 0, 0, r.ilMap(id))
		} else {
			if !r.percent(16) { // the others are instances of a generic method
				name = [3]string{"System." + r.words(r.between(3, 6)), r.words(r.between(2, 5)), "class " + r.words(r.between(2, 7)) + " ()"}
			}
			r.event(method, 0, 0, 0, r.methodLoad(id, name))
		}
		r.pause(n)
	}
}

// pause advances the clock by the time of a rundown event. Blocks are written
// when they are full.
func (r *run) pause(n int64) {
	r.wait(r.micros(1, 26))
	if n%256 == 0 {
		r.write()
		if r.made >= r.due {
			r.point()
		}
	}
}

// methodLoad is the payload of MethodDCEndVerbose.
func (r *run) methodLoad(id uint64, name [3]string) []byte {
	le := binary.LittleEndian
	p := le.AppendUint64(r.payload[:0], id)
	p = le.AppendUint64(p, 0x7F3A_5B00_0000+r.n(40)<<12)
	p = le.AppendUint64(p, 0x7F3A_5C00_0000+r.n(1<<26))
	p = le.AppendUint32(p, uint32(r.between(20, 2000)))
	p = le.AppendUint32(p, 0x0600_0000+uint32(r.n(4000)))
	p = le.AppendUint32(p, 1)
	for _, s := range name {
		p = wire.AppendUTF16Z(p, s)
	}
	p = le.AppendUint16(p, 0)
	p = le.AppendUint64(p, 0)
	r.payload = le.AppendUint64(p, 0)
	return r.payload
}

// ilMap is the payload of MethodDCEndILToNativeMap.
func (r *run) ilMap(id uint64) []byte {
	le := binary.LittleEndian
	n := r.between(14, 45)
	if r.percent(14) {
		n = 20
	}
	p := le.AppendUint64(r.payload[:0], id)
	p = append(le.AppendUint64(p, 0), 0)
	p = le.AppendUint16(p, uint16(n))
	for i := range 2 * n {
		p = le.AppendUint32(p, uint32(i*7))
	}
	r.payload = le.AppendUint64(le.AppendUint16(p, 0), 0)
	return r.payload
}
