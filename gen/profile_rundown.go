package gen

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
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
	k := native(clr.KindProcessInfo, 1, 0)
	k.Level, k.Name = 0, "ProcessInfo"
	k.Fields = []codec.Field{{Name: "CommandLine", Type: text}, {Name: "OSInformation", Type: text}, {Name: "ArchInformation", Type: text}}
	info := clr.ProcessInfoFields{CommandLine: "dotnet Sample.dll", OSInformation: "Linux 6.8", ArchInformation: "x64"}
	r.event(k, 0, 0, 0, info.Append(r.payload[:0], 1, r.head.PointerSize))
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
	method, ilMap := native(clr.KindMethodDCEndVerbose, 2, 0x30), native(clr.KindMethodDCEndILToNativeMap, 1, 0x20000)
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
	f := clr.MethodLoadVerboseFields{
		MethodID: id, ModuleID: 0x7F3A_5B00_0000 + r.n(40)<<12, MethodStartAddress: 0x7F3A_5C00_0000 + r.n(1<<26),
		MethodSize: uint32(r.between(20, 2000)), MethodToken: 0x0600_0000 + uint32(r.n(4000)), MethodFlags: 1,
		MethodNamespace: name[0], MethodName: name[1], MethodSignature: name[2],
	}
	r.payload = append(f.Append(r.payload[:0], 2, r.head.PointerSize), make([]byte, 8)...) // of a later version
	return r.payload
}

// ilMap is the payload of MethodDCEndILToNativeMap.
func (r *run) ilMap(id uint64) []byte {
	n := r.between(14, 45)
	if r.percent(14) {
		n = 20
	}
	f := clr.MethodILToNativeMapFields{MethodID: id, CountOfMapEntries: uint16(n), ILOffsets: make([]uint32, n), NativeOffsets: make([]uint32, n)}
	for i := range n {
		f.ILOffsets[i], f.NativeOffsets[i] = uint32(i*7), uint32((n+i)*7)
	}
	r.payload = f.Append(r.payload[:0], 1, r.head.PointerSize)
	return r.payload
}
