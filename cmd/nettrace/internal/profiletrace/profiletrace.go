// Package profiletrace generates a small trace with samples and events of every kind that
// profiles show.
//
// Only tests import this package.
package profiletrace

import (
	"encoding/binary"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/sampling"
)

// The methods of the small trace, one after another in memory, 0x100 bytes each.
const (
	codeStart = 0x7f00_0000_1000

	codeMain = iota
	codeWork
	codeWorkOverload
	codeAdd
	codeSleep
	codeCount
)

var smallMethods = [codeCount][3]string{
	codeMain:         {"App.Program", "Main", "void  (class System.String[])"},
	codeWork:         {"App.Program", "Work", "void  (int32)"},
	codeWorkOverload: {"App.Program", "Work", "void  (class System.String)"},
	codeAdd:          {"System.Collections.Generic.List`1[System.Int32]", "Add", "instance void  (!0)"},
	codeSleep:        {"System.Threading.Thread", "Sleep", "void  (int32)"},
}

// smallTrace makes a trace with all that the formats show: 40 ms in which one
// thread is sampled in each round of a millisecond and another in every second
// one, with allocations, a lock, a lock that a thread still waits for at the
// end, an exception, a garbage collection and the requests of an event source.
type smallTrace struct {
	*gen.Builder
	types map[string]uint32
}

// Threads of the small trace.
const (
	sampler = 100 + iota
	mainThread
	workThread
)

func newSmallTrace() *smallTrace {
	head := codec.Trace{
		SyncTime: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), SyncTicks: 1e9, TickFrequency: 1e9, PointerSize: 8,
		Properties: []codec.KeyValue{{Key: codec.ProcessIDKey, Value: "42"}},
	}
	return &smallTrace{gen.NewBuilder(gen.BuilderOptions{Format: wire.V5, Trace: head}), map[string]uint32{}}
}

// at sets the time in microseconds.
func (s *smallTrace) at(micros uint64) { s.Now = 1e9 + micros*1e3 }

// event adds an event of the runtime, whose metadata has neither name nor
// fields.
func (s *smallTrace) event(provider string, id, version uint32, thread uint64, stack []uint64, payload []byte) {
	key := provider + string(rune(id))
	if s.types[key] == 0 {
		s.types[key] = s.Metadata(&codec.Metadata{Provider: provider, EventID: id, Version: version, Level: 4})
	}
	capture := thread
	if provider == sampling.Provider {
		capture = sampler
	}
	s.row(s.types[key], capture, thread, stack, payload, wire.GUID{})
}

func (s *smallTrace) row(metadata uint32, capture, thread uint64, stack []uint64, payload []byte, activity wire.GUID) {
	row := codec.EventRow{
		MetadataID: metadata, CaptureThreadIndex: capture, ThreadIndex: thread, Timestamp: s.Now, Payload: payload, Activity: activity,
		Processor: wire.UnknownProcessor,
	}
	if len(stack) > 0 {
		row.StackID = s.Stack(stack)
	}
	s.Event(&row)
}

const (
	RuntimeName = "Microsoft-Windows-DotNETRuntime"
	RundownName = RuntimeName + "Rundown"
)

// code is a stack, leaf first: an address within each method.
func code(methods ...int) []uint64 {
	var stack []uint64
	for _, m := range methods {
		stack = append(stack, codeStart+uint64(m)*0x100+0x20)
	}
	return stack
}

// Pack makes a payload of numbers and texts.
func Pack(fields ...any) []byte {
	var b []byte
	for _, f := range fields {
		switch v := f.(type) {
		case string:
			b = wire.AppendUTF16Z(b, v)
		default:
			var err error
			if b, err = binary.Append(b, binary.LittleEndian, v); err != nil {
				panic(err)
			}
		}
	}
	return b
}

// sample adds a sample: kind 1 is external, 2 managed.
func (s *smallTrace) sample(thread uint64, kind uint32, methods ...int) {
	s.event(sampling.Provider, 0, 0, thread, code(methods...), Pack(kind))
}

// Trace returns a trace of 40 ms with samples of two threads and other events.
func Trace() []byte {
	s := newSmallTrace()
	for ms := range uint64(40) {
		s.at(ms * 1000)
		switch {
		case ms < 10:
			s.sample(mainThread, 2, codeAdd, codeWork, codeMain)
		case ms < 20:
			s.sample(mainThread, 2, codeAdd, codeWorkOverload, codeMain)
		default:
			s.sample(mainThread, 1, codeSleep, codeMain)
		}
		if ms%2 == 0 {
			s.at(ms*1000 + 100)
			s.sample(workThread, 1, codeSleep, codeWork)
		}
		s.happen(ms)
	}
	s.at(50_000)
	s.rundown()
	return s.Trace().Bytes()
}

// happen adds the other events of a millisecond.
func (s *smallTrace) happen(ms uint64) {
	activity := wire.GUID{1, 2, 3}
	s.at(ms*1000 + 200)
	switch ms {
	case 2: // RuntimeInformationStart: the version of the runtime is 10
		version := [2][4]uint16{{10, 0, 0, 0}, {10, 0, 0, 0}}
		s.event(RuntimeName, 187, 0, mainThread, nil, Pack(uint16(0), uint16(0), version, uint32(0), uint8(0), "", wire.GUID{}, ""))
	case 3:
		s.source("RequestStart", 1, activity, "https://example.org/")
		tick := Pack(uint32(100_000), uint32(0), uint16(0), uint64(100_000), uint64(1), "System.Int32[]", uint32(0), uint64(2), uint64(1000))
		s.event(RuntimeName, 10, 4, mainThread, code(codeAdd, codeWork, codeMain), tick)
	case 5:
		s.event(RuntimeName, 81, 2, workThread, code(codeSleep, codeWork), Pack(uint8(0), uint16(0), uint64(1), uint64(2), uint64(mainThread)))
	case 7:
		s.event(RuntimeName, 91, 1, workThread, nil, Pack(uint8(0), uint16(0), float64(2_500_000)))
		s.event(RuntimeName, 80, 1, mainThread, code(codeWork, codeMain), Pack("App.Failure", "it failed; twice", uint64(0), uint32(0), uint16(0), uint16(0)))
	case 9:
		s.event(RuntimeName, 9, 1, mainThread, nil, Pack(uint32(1), uint32(1), uint16(0)))
		s.event(RuntimeName, 1, 2, mainThread, nil, Pack(uint32(1), uint32(0), uint32(0), uint32(0), uint16(0), uint64(0)))
		s.at(ms*1000 + 700)
		s.event(RuntimeName, 2, 1, mainThread, nil, Pack(uint32(1), uint32(0), uint16(0)))
		s.event(RuntimeName, 3, 1, mainThread, nil, Pack(uint16(0)))
	case 12:
		s.source("Note", 0, wire.GUID{}, "half <way> & \"on\"")
	case 15:
		s.source("RequestStop", 2, activity, "200")
	case 30:
		s.event(RuntimeName, 81, 2, workThread, code(codeSleep, codeWork), Pack(uint8(0), uint16(0), uint64(1), uint64(2), uint64(mainThread)))
	}
}

// source adds an event of an event source, whose metadata describes its fields.
func (s *smallTrace) source(name string, opcode uint8, activity wire.GUID, text string) {
	if s.types[name] == 0 {
		s.types[name] = s.Metadata(&codec.Metadata{
			Provider: "App-Requests", EventID: uint32(opcode) + 1, Name: name, Level: 4, Opcode: opcode, OpcodeSet: opcode > 0,
			Fields: []codec.Field{{Name: "Text", Type: codec.Type{Code: wire.NullTerminatedUTF16String}}},
		})
	}
	s.row(s.types[name], mainThread, mainThread, code(codeMain), Pack(text), activity)
}

// rundown adds the events with the names of the process, its module and the
// methods.
func (s *smallTrace) rundown() {
	text := codec.Type{Code: wire.NullTerminatedUTF16String}
	process := s.Metadata(&codec.Metadata{
		Provider: "Microsoft-DotNETCore-EventPipe", EventID: 1, Version: 1, Name: "ProcessInfo",
		Fields: []codec.Field{{Name: "CommandLine", Type: text}, {Name: "OSInformation", Type: text}, {Name: "ArchInformation", Type: text}},
	})
	s.row(process, mainThread, mainThread, nil, Pack("dotnet /srv/App.dll --port 80", "Linux", "x64"), wire.GUID{})
	s.event(RundownName, 148, 1, sampler, nil, Pack(uint16(0))) // DCEndInit
	const app, core = 0x7e00_0000_0000, 0x7e00_0001_0000
	for _, m := range []struct {
		id   uint64
		path string
	}{{app, "/srv/App.dll"}, {core, "/usr/share/dotnet/System.Private.CoreLib.dll"}} {
		s.event(RundownName, 154, 2, sampler, nil, Pack(m.id, m.id+1, uint32(8), uint32(0), m.path, "", uint16(0)))
	}
	for i, m := range smallMethods {
		module := uint64(core)
		if m[0] == "App.Program" {
			module = app
		}
		address := codeStart + uint64(i)*0x100
		s.event(RundownName, 144, 1, sampler, nil, Pack(address, module, address, uint32(0x100), uint32(i), uint32(1), m[0], m[1], m[2], uint16(0)))
	}
}
